"""The figures of the campaign as tables of docs/security.md."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

SHOWN = 10  # samples of the memory


def fuzz(figures: dict[str, Any]) -> list[str]:
    """A row for each reader."""
    keys = ("seconds", "inputs", "branches", "crashes")
    rows = [[name, *(figure[key] for key in keys)] for name, figure in figures["readers"].items()]
    return _table(["reader", "seconds", "inputs", "branches reached", "crashes"], rows)


def faults(figures: dict[str, Any]) -> list[str]:
    """A row for each kind of fault, with the losses of its name."""
    kinds = {name: name.partition(", ") for name in figures["faults"]}
    lost = Counter(loss.partition(": ")[0] for loss in figures["losses"])
    rows = [[place, fault, figures["faults"][name], lost[name]] for name, (place, _, fault) in kinds.items()]
    total = ["together", f"in {figures['seconds']:,} seconds", sum(figures["faults"].values())]
    return _table(["in", "fault", "injected", "losses"], [*rows, [*total, len(figures["losses"])]])


def memory(figures: dict[str, Any]) -> list[str]:
    """A row for each input."""
    keys = ("peak_mb", "bound_mb", "seconds", "bound_seconds")
    rows = [[row["input"], *(row[key] for key in keys)] for row in figures["inputs"]]
    return _table(["input", "peak, MB", "bound, MB", "seconds", "bound, seconds"], rows)


def soak(figures: dict[str, Any]) -> list[str]:
    """A row for each count, and the memory over time."""
    rows = [
        [name.replace("_", " "), value]
        for name, value in figures.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    names = {"service_mb": "MB of the service, over time", "stream_mb": "MB of a stream, over time"}
    rows += [[text, ", ".join(map(str, figures[name][:SHOWN]))] for name, text in names.items()]
    return _table(["load", "count"], rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str | float]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return [
        f"| {' | '.join(cell if isinstance(cell, str) else f'{cell:,}' for cell in line)} |" for line in lines
    ]


TABLES = {"fuzz": fuzz, "faults": faults, "memory": memory, "soak": soak}
