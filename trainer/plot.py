"""A plot of a run, drawn from its metrics file."""

import json
import math
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.trainer.canvas import COLOURS, INK, new_figure, save

PANELS = (("accuracy", "right"), ("simplicity", "simplicity"), ("rules", "rules"))
NUMBERS = ("candidate", "seconds", "lesson", "seed", *(key for key, _ in PANELS))


def read_metrics(path: Path) -> dict[int, list[dict[str, Any]]]:
    """The reports of each candidate; a line that a kill has truncated, or that is damaged, is skipped."""
    series: dict[int, list[dict[str, Any]]] = defaultdict(list)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise LaneError(f"{path}: cannot be read: {error.strerror}") from None
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if _is_report(record):
            series[record["candidate"]].append(record)
    return dict(series)


def _is_report(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    numbers = [record.get(key) for key in NUMBERS]
    return all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)


def draw(metrics: Path, out: Path, title: str) -> None:
    """Accuracy, simplicity and rules over time; a dot for each lesson passed, a cross for each stall."""
    series = read_metrics(metrics)
    figure = new_figure(7.5, 6)
    axes = figure.subplots(len(PANELS), 1, sharex=True)
    for axis, (key, label) in zip(axes, PANELS, strict=True):
        for number, records in sorted(series.items()):
            _line(axis, records, key, COLOURS[number % len(COLOURS)], f"candidate {number + 1}")
        axis.set_ylabel(label)
        axis.grid(alpha=0.25)
    for axis in axes[:2]:
        axis.set_ylim(-0.03, 1.05)
    axes[0].set_title(title, loc="left", fontsize=11)
    axes[0].legend(frameon=False, loc="lower right", fontsize=9, labelcolor=INK)
    axes[-1].set_xlabel("seconds of training (a dot: a lesson passed, a cross: an attempt given up)")
    save(figure, out)


def _line(axis: Any, records: list[dict[str, Any]], key: str, colour: str, label: str) -> None:
    seconds, before = [], 0.0
    offset = 0.0
    for record in records:
        # The clock restarts with each attempt.
        if record["seconds"] < before:
            offset += before
        before = record["seconds"]
        seconds.append(offset + record["seconds"])
    values = [record[key] for record in records]
    axis.plot(seconds, values, color=colour, linewidth=1.5, label=label)
    ends = list(pairwise(records))
    passed = [i for i, (a, b) in enumerate(ends) if b["lesson"] > a["lesson"] and b["seed"] == a["seed"]]
    stalled = [i for i, record in enumerate(records) if record.get("outcome") == "stalled"]
    axis.plot([seconds[i] for i in passed], [values[i] for i in passed], "o", color=colour, markersize=4)
    axis.plot([seconds[i] for i in stalled], [values[i] for i in stalled], "x", color=colour, markersize=7)
