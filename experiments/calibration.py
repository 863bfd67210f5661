"""Calibration: how often a training that reports agreement is wrong, where many should fail."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lane.data import task_names
from lane.data.registry import is_scan
from lane.experiments.languages.practical import KINDS
from lane.experiments.sweep import sweep
from lane.experiments.trial import Trial, trial_of

HANDICAPS = ("word_penalty=0", "consolidations=0", "gamma=0")
SHARES = (0.1, 0.03, 0.01)  # of the training pairs
FULL = 0.999  # the agreement from which on a model counts as confirmed
# Lower ends of the groups of the table, with their names; a training without any comparison has none.
GROUPS = {
    FULL: "at least 99.9 %",
    0.99: "99 to 99.9 %",
    0.9: "90 to 99 %",
    0.5: "50 to 90 %",
    0.0: "less than 50 %",
}
NOTHING_NEW = "nothing new to compare"


def trials(minutes: float) -> list[Trial]:
    """All trainings of the study, the shortest first."""
    tasks = [name for name in task_names() if name != "limit"]
    languages = [f"random:{number}" for number in range(20)]
    practical = [f"practical:{kind}:0" for kind in KINDS]
    found = [Trial("limit", seed, minutes=minutes) for seed in range(1, 11)]
    found += [Trial("limit", s, (setting,), minutes=minutes) for setting in HANDICAPS for s in range(1, 6)]
    for share in sorted(SHARES):
        for seed in (1, 2, 3):
            found += [Trial(task, seed, minutes=minutes, thin=share) for task in tasks]
        found += [Trial(task, 1, minutes=minutes, thin=share) for task in (*languages, *practical)]
    for seed in (1, 2):
        found += [Trial(task, seed, minutes=minutes) for task in (*languages, *practical)]
    found += [Trial(task, 1, (s,), minutes=minutes) for s in HANDICAPS for task in (*languages[:10], *tasks)]
    found += [Trial(task, seed, minutes=minutes) for seed in (1, 2, 3) for task in tasks]
    return found


def study(
    minutes: float, jobs: int, out: Path, tell: Callable[[dict[str, Any]], None], data_dir: Path | None
) -> list[dict[str, Any]]:
    """Train what `out` lacks; the records of the study. Without `data_dir`, the mcd tasks are left out."""
    wanted = [trial for trial in trials(minutes) if data_dir is not None or not _is_official(trial.task)]
    records = sweep(wanted, jobs, out, tell, data_dir)
    chosen = set(wanted)
    return [record for record in records if trial_of(record) in chosen]


def _is_official(task: str) -> bool:
    return is_scan(task) and task.startswith("mcd")


def is_wrong(record: dict[str, Any]) -> bool:
    """Whether the model is wrong anywhere: on a training or test pair, or elsewhere in the language."""
    return any(share < 1 for share in record["accuracy"].values())


def group(record: dict[str, Any]) -> str:
    """The row of the table that a training belongs to."""
    agreement = record["agreement"]
    if agreement is None:
        return NOTHING_NEW
    return next(name for least, name in GROUPS.items() if agreement >= least)


def table(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """For each group of agreement: trainings, how many are wrong anywhere, and how right they are."""
    every = list(records)
    yield "| agreement on new commands | trainings | wrong anywhere | these with open readings | accuracy |"
    yield "|---|--:|--:|--:|--:|"
    for name in (*GROUPS.values(), NOTHING_NEW):
        runs = [record for record in every if group(record) == name]
        if not runs:
            continue
        wrong = [record for record in runs if is_wrong(record)]
        noted = sum(bool(record["open_readings"]) for record in wrong)
        mean = sum(min(record["accuracy"].values()) for record in runs) / len(runs)
        yield f"| {name} | {len(runs)} | {len(wrong)} | {noted} | {mean:.1%} |"


def draw(records: Iterable[dict[str, Any]], path: Path) -> None:
    """A reliability diagram: a dot for each training, agreement against accuracy on all of the language."""
    from lane.trainer.canvas import COLOURS, INK, new_figure, save

    figure = new_figure(6, 4.5)
    axis = figure.subplots()
    axis.plot([0, 100], [0, 100], "--", color=INK, linewidth=1)
    compared = [record for record in records if record["agreement"] is not None]
    for noted, label in ((False, "no open readings"), (True, "with open readings")):
        runs = [record for record in compared if bool(record["open_readings"]) == noted]
        axis.plot(
            [100 * record["agreement"] for record in runs],
            [100 * min(record["accuracy"].values()) for record in runs],
            "o",
            color=COLOURS[int(noted)],
            alpha=0.5,
            markersize=5,
            label=label,
        )
    axis.set(xlabel="agreement on new commands, %", ylabel="right on all of the language, %")
    axis.legend(frameon=False)
    save(figure, path)
