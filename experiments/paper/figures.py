"""The pictures of the report, drawn from the findings; readable on white and on black."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lane.experiments.paper.experiments import ABLATIONS, RATES, SCAN, TASKS
from lane.experiments.paper.findings import Findings, of_task, shares, with_setting
from lane.trainer.canvas import COLOURS, INK, new_figure, save

FULL = "full model"
FLAT = 5  # percent


def draw(findings: Findings) -> list[Path]:
    """Every picture whose experiment was done."""
    pictures: dict[str, tuple[bool, Callable[[Findings], Any]]] = {
        "times": (bool(findings.tasks), times),
        "productivity": (bool(findings.productivity), productivity),
        "ablations": (bool(findings.ablations), ablations),
        "rates": (bool(findings.rates), rates),
        "published": (any("curve" in run for run in findings.published), published_curves),
    }
    drawn = []
    for name, (done, picture) in pictures.items():
        if done:
            drawn.append(findings.folder / f"{name}.svg")
            save(picture(findings), drawn[-1])
    return drawn


def times(findings: Findings) -> Any:
    """A dot for each run: how long it took."""
    figure = new_figure(7.5, 3.4)
    axis = figure.subplots()
    for place, task in enumerate(TASKS):
        seconds = [run["seconds"] for run in of_task(findings.tasks, task)]
        axis.plot(seconds, [place] * len(seconds), "o", color=COLOURS[0], alpha=0.6, markersize=6)
    axis.set_yticks(range(len(TASKS)), TASKS)
    axis.invert_yaxis()
    axis.set_xlim(left=0)
    axis.set_xlabel("seconds to the end of the command, two CPU cores")
    axis.grid(axis="x", alpha=0.25)
    return figure


def productivity(findings: Findings) -> Any:
    """Accuracy by length over the lengths of training and test; and far beyond."""
    figures = findings.productivity
    figure = new_figure(9, 3.8)
    near, far = figure.subplots(1, 2, width_ratios=(2, 1))
    for name, colour in (("train", COLOURS[0]), ("test", COLOURS[1])):
        counts = {int(length): count for length, count in figures[name].items()}
        total = sum(counts.values())
        near.bar(
            list(counts),
            [100 * c / total for c in counts.values()],
            width=0.9,
            color=colour,
            alpha=0.45,
            label=name,
        )
    near.set(xlabel="words of the command", ylabel="share of the commands, %")
    accuracy = near.twinx()
    by_length: dict[int, list[float]] = {}
    for of_seed in figures["accuracy"].values():
        for length, share in of_seed.items():
            by_length.setdefault(int(length), []).append(100 * share)
    worst = [min(values) for values in by_length.values()]
    accuracy.plot(list(by_length), worst, "-", color=COLOURS[2], linewidth=2, label="accuracy, worst seed")
    accuracy.set(ylim=(0, 105), ylabel="right, %")
    lines = [near.get_legend_handles_labels(), accuracy.get_legend_handles_labels()]
    handles, labels = ([item for part in column for item in part] for column in zip(*lines, strict=True))
    near.legend(handles, labels, frameon=False, loc="center right", labelcolor=INK)
    beyond = list(figures["beyond"].values())
    ands = [int(count) for count in beyond[0]]
    far.plot(ands, [min(100 * seed[str(count)] for seed in beyond) for count in ands], "o-", color=COLOURS[2])
    far.set(xlabel='how many "and"', ylabel="right, %, worst seed", ylim=(0, 105), xticks=ands)
    far.grid(alpha=0.25)
    return figure


def ablations(findings: Findings) -> Any:
    """Bars by task: the mean on the test, and a line from the worst seed to the best."""
    figure = new_figure(9, 3.8)
    axis = figure.subplots()
    kinds = {FULL: findings.tasks}
    kinds |= {name: tuple(with_setting(findings.ablations, ABLATIONS[name])) for name in ABLATIONS}
    width = 0.8 / len(kinds)
    for number, (name, records) in enumerate(kinds.items()):
        for place, task in enumerate(SCAN):
            found = shares(of_task(records, task))
            if found:
                x = place + (number - (len(kinds) - 1) / 2) * width
                mean = sum(found) / len(found)
                axis.bar(x, mean, width * 0.92, color=COLOURS[number], label=name if not place else None)
                axis.plot([x, x], [min(found), max(found)], color=INK, linewidth=1.2)
                if mean < FLAT:  # a bar of zero would look like a missing one
                    axis.text(x, max(found) + 1, f"{mean:.0f}", ha="center", fontsize=8, color=INK)
    axis.set_xticks(range(len(SCAN)), SCAN)
    axis.set(ylabel="right on the test, %", ylim=(0, 105))
    axis.legend(
        frameon=False, ncols=len(kinds), loc="lower center", bbox_to_anchor=(0.5, 1.0), labelcolor=INK
    )
    axis.grid(axis="y", alpha=0.25)
    return figure


def rates(findings: Findings) -> Any:
    """A square for each pair of learning rates: accuracy and time."""
    composers = sorted({composer for composer, _ in RATES})
    solvers = sorted({solver for _, solver in RATES})
    figure = new_figure(5.2, 3.8)
    axis = figure.subplots()
    for x, solver in enumerate(solvers):
        for y, composer in enumerate(composers):
            runs = with_setting(findings.rates, f"composer_rate={composer}", f"solver_rate={solver}")
            for run in runs[:1]:
                share = shares([run])[0]
                axis.fill_between(
                    [x - 0.48, x + 0.48], y - 0.48, y + 0.48, color=COLOURS[0], alpha=share / 125
                )
                label = f"{share:.1f} %\n{run['seconds']:.0f} s"
                axis.text(x, y, label, ha="center", va="center", color=INK, fontsize=11)
    axis.set_xticks(range(len(solvers)), [f"{rate:g}" for rate in solvers])
    axis.set_yticks(range(len(composers)), [f"{rate:g}" for rate in composers])
    axis.set(xlabel="learning rate of the Solver", ylabel="learning rate of the Composer")
    return figure


def published_curves(findings: Findings) -> Any:
    """Nine small pictures: the accuracy in its lesson of each run of the preset `paper`, by updates."""
    figure = new_figure(9, 6.6)
    axes = figure.subplots(3, 3, sharex=True, sharey=True).flatten()
    for axis, task in zip(axes, TASKS, strict=True):
        for number, run in enumerate(of_task(findings.published, task)):
            points = run.get("curve", [])
            shares_right = [100 * accuracy for _, _, accuracy in points]
            axis.plot(
                [updates for updates, _, _ in points], shares_right, color=COLOURS[number % 3], alpha=0.7
            )
        axis.set_title(task, fontsize=10, color=INK)
        axis.set_ylim(0, 105)
        axis.grid(alpha=0.25)
    axes[3].set_ylabel("right in the lesson, %")
    axes[7].set_xlabel("updates")
    return figure
