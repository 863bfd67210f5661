"""The experiments of the paper; each has a result file of its own and can be resumed."""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.data.scan import join_and, scan_phrases
from lane.experiments.paper import published
from lane.experiments.paper.departures import RECIPE
from lane.experiments.paper.departures import trials as trials_of_departures
from lane.experiments.sweep import append_result, not_done, read_results, sweep
from lane.experiments.trial import Trial, trial_of

SCAN = ("simple", "addjump", "around_right", "length", "mcd1", "mcd2", "mcd3")
TASKS = (*SCAN, "limit", "extend")
ABLATIONS = {
    "without Composer": "composer=false",
    "without curriculum": "curriculum=false",
    "without simplicity": "gamma=0",
}
ABLATION_SEEDS = 3  # on 7 tasks without one of 3 parts: 63 runs, two hours
CAP = 3  # times the full model's median time: enough to tell slow from stuck
RATES = tuple((composer, solver) for composer in (1e-4, 1e-3, 1e-2) for solver in (2e-4, 2e-3, 2e-2))
BASELINE_TASKS = ("simple", "addjump", "length", "limit")
BASELINE_SEEDS = 3
LEFT_OUT = ("dax blicket zup", "wif kiki zup")  # test items of MiniSCAN that the paper leaves out
TREES = {
    "addjump": "jump around left thrice after walk opposite right twice",
    "mcd1": "turn around right twice and look thrice",
    "limit": "zup blicket wif kiki dax fep",
}
ANDS = (10, 20, 50, 100)  # the paper goes to 9
LONG_COMMANDS = 50  # for each number of `and`

Say = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """Where the results go, and how many seeds are trained."""

    out: Path  # result files
    models: Path  # checkpoints of the full model
    seeds: int
    data_dir: Path | None
    say: Say

    def file(self, name: str) -> Path:
        """The result file of an experiment."""
        return self.out / name


def tasks(study: Study) -> None:
    """The full model on every task, with every seed; the checkpoints are kept."""
    trials = [Trial(task, seed, preset=RECIPE) for seed in range(1, study.seeds + 1) for task in TASKS]
    _sweep(study, trials, "tasks.jsonl", study.models)


def ablations(study: Study) -> None:
    """One part left out at a time, on the seven tasks of SCAN, for at most CAP times as long as with it."""
    trials = [
        _changed(study, task, seed, setting)
        for seed in range(1, ABLATION_SEEDS + 1)
        for setting in ABLATIONS.values()
        for task in SCAN
    ]
    _sweep(study, trials, "ablations.jsonl")


def departures(study: Study) -> None:
    """The recipe, and the recipe with each departure from the paper undone."""
    _sweep(study, trials_of_departures(), "departures.jsonl", jobs=2)


def published_tasks(study: Study) -> None:
    """The preset `paper` on every task; two runs side by side, since each is one process."""
    _sweep(study, published.tasks(), "published.jsonl", study.models / published.PRESET, jobs=2)


def published_ablations(study: Study) -> None:
    """The same ablations as above, of the preset `paper`."""
    _sweep(study, published.ablations(ABLATIONS.values()), "published-ablations.jsonl", jobs=2)


def published_rates(study: Study) -> None:
    """The differential update by AdaDelta, as the paper has it."""
    _sweep(study, published.rates(), "published-rates.jsonl", jobs=2)


def published_behaviours(study: Study) -> None:
    """The preset `paper` with each behaviour of the published code taken back alone."""
    _sweep(study, published.behaviours(), "published-behaviours.jsonl", jobs=2)


def rates(study: Study) -> None:
    """The differential update: a grid of learning rates for Composer and Solver."""
    trials = [
        _changed(study, "addjump", 1, f"composer_rate={composer}", f"solver_rate={solver}")
        for composer, solver in RATES
    ]
    _sweep(study, trials, "rates.jsonl")


def baselines(study: Study) -> None:
    """An LSTM and a Transformer on four of the tasks, one after the other, until they gain no more."""
    from lane.data import load_task
    from lane.experiments.baseline import KINDS, measure

    out = study.file("baselines.jsonl")
    # Records that do not say how the training ended are of a fixed number of updates.
    done = {(r["task"], r["kind"], r["seed"]) for r in read_results(out) if "stopped" in r}
    for seed in range(1, BASELINE_SEEDS + 1):
        for task in BASELINE_TASKS:
            for kind in KINDS:
                if (task, kind, seed) not in done:
                    record = measure(load_task(task, study.data_dir), kind, seed)
                    append_result(out, record)
                    study.say(f"{kind} on {task}, seed {seed}: {record['accuracy']}")


def productivity(study: Study) -> None:
    """Accuracy of the SCAN-ext models by command length, and on commands far longer than the paper's."""
    from lane.data import load_task

    test = load_task("extend").test
    lengths = sorted({len(pair.source) for pair in test})
    phrases, draw = scan_phrases(), random.Random("beyond")
    beyond = {
        ands: tuple(reduce(join_and, draw.choices(phrases, k=ands + 1)) for _ in range(LONG_COMMANDS))
        for ands in ANDS
    }
    path = study.file("productivity.json")
    figures: dict[str, Any] = {
        "test": {length: sum(len(pair.source) == length for pair in test) for length in lengths},
        "train": _lengths(pair.source for pair in load_task("extend").train),
        "accuracy": {},
        "beyond": {},
    }
    if path.exists():
        figures = json.loads(path.read_text(encoding="utf-8"))
    for seed in map(str, range(1, study.seeds + 1)):
        if seed in figures["beyond"]:
            continue
        right = _measurer(study, "extend", int(seed))
        figures["accuracy"][seed] = {
            length: right(tuple(pair for pair in test if len(pair.source) == length)) for length in lengths
        }
        figures["beyond"][seed] = {ands: right(pairs) for ands, pairs in beyond.items()}
        study.say(f"extend, seed {seed}: {figures['beyond'][seed]} by number of `and`")
        _write(path, figures)


def limit(study: Study) -> None:
    """The models of MiniSCAN on the paper's eight items, and on all ten."""
    from lane.data import load_task

    test = load_task("limit").test
    eight = tuple(pair for pair in test if " ".join(pair.source) not in LEFT_OUT)
    found = {}
    for seed in range(1, study.seeds + 1):
        right = _measurer(study, "limit", seed)
        found[seed] = {len(pairs): right(pairs) for pairs in (eight, test)}
    study.say(f"limit, by number of items: {found}")
    _write(study.file("limit.json"), found)


def trees(study: Study) -> None:
    """Pictures of derivations by the exported models of the first seed."""
    from lane.export import export
    from lane.runtime import load

    for task, command in TREES.items():
        model = _model(study, task, 1)
        with tempfile.TemporaryDirectory(prefix="lane-trees-") as folder:
            (program,) = export(model, out=folder, formats=["program"]).files
            with load(program.path) as translator:
                picture = translator.explain(command).as_svg()
        _put(study.file(f"tree-{task}.svg"), picture)
        study.say(f"{study.file(f'tree-{task}.svg')}: {command}")


def rules(study: Study) -> None:
    """The rules that each kept model has learned."""
    from lane.models import checkpoint

    found = {
        task: {
            seed: checkpoint.load(_model(study, task, seed)).card.rules for seed in range(1, study.seeds + 1)
        }
        for task in TASKS
    }
    _write(study.file("rules.json"), found)


EXPERIMENTS: dict[str, Callable[[Study], None]] = {
    "tasks": tasks,
    "rules": rules,
    "trees": trees,
    "limit": limit,
    "productivity": productivity,
    "ablations": ablations,
    "rates": rates,
    "baselines": baselines,
    "departures": departures,
    "published": published_tasks,
    "published-ablations": published_ablations,
    "published-rates": published_rates,
    "published-behaviours": published_behaviours,
}


def reproduce(study: Study, only: Sequence[str]) -> None:
    """Do the named experiments, those first whose results the others need."""
    study.out.mkdir(parents=True, exist_ok=True)
    for name, experiment in EXPERIMENTS.items():
        if name in only:
            study.say(f"== {name}")
            experiment(study)


def _sweep(
    study: Study, trials: Sequence[Trial], name: str, models: Path | None = None, jobs: int = 1
) -> None:
    """Train the missing trials, `jobs` at a time, and report how many are left and the time they need."""
    out = study.file(name)
    left = len(not_done(trials, out))
    started, count = time.monotonic(), 0

    def tell(record: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        minutes = (time.monotonic() - started) / count * (left - count) / 60
        share = ", ".join(f"{name} {value:.1%}" for name, value in record["accuracy"].items())
        trial = trial_of(record)
        study.say(f"{trial.name}, seed {trial.seed}: {share}; {left - count} left, about {minutes:.0f} min")

    sweep(trials, jobs, out, tell, study.data_dir, models)


def _changed(study: Study, task: str, seed: int, *settings: str) -> Trial:
    """A trial with other settings, for at most CAP times as long as the full model takes."""
    return Trial(task, seed, settings, RECIPE, minutes=_cap(study, task))


def _cap(study: Study, task: str) -> float:
    """Minutes: CAP times the median of the full model on the task, with the same seeds."""
    # Only these seeds, so that training the full model with more later does not change the cap.
    runs = [run for run in read_results(study.file("tasks.jsonl")) if run["seed"] <= ABLATION_SEEDS]
    seconds = [float(run["seconds"]) for run in runs if run["task"] == task]
    if not seconds:
        raise LaneError(f"{study.file('tasks.jsonl')} has no run of {task}: do the experiment `tasks` first")
    return round(CAP * statistics.median(seconds) / 60, 2)


def _model(study: Study, task: str, seed: int) -> Path:
    path = study.models / f"{task}-{seed}.pt"
    if not path.exists():
        raise LaneError(
            f"{path}: no such model; the experiment `tasks` trains it unless tasks.jsonl has its result"
        )
    return path


def _measurer(study: Study, task: str, seed: int) -> Callable[[Any], float]:
    """A function that gives the share of pairs which a kept model translates exactly."""
    from lane.models import checkpoint
    from lane.trainer.config import build_config
    from lane.trainer.dataset import Dataset
    from lane.trainer.learner import Learner
    from lane.trainer.measurement import measure

    loaded = checkpoint.load(_model(study, task, seed))
    learner = Learner(loaded.model(), build_config(RECIPE))
    return lambda pairs: measure(learner, pairs, Dataset((), loaded.source, loaded.target))


def _lengths(commands: Iterable[Sequence[str]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for command in commands:
        counts[len(command)] = counts.get(len(command), 0) + 1
    return dict(sorted(counts.items()))


def _write(path: Path, figures: object) -> None:
    _put(path, json.dumps(figures, indent=1) + "\n")


def _put(path: Path, text: str) -> None:
    from lane.base.files import write_atomically

    write_atomically(path, text.encode())
