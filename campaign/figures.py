"""The figures of the campaign as tables of docs/security.md."""

from collections.abc import Sequence
from typing import Any


def fuzz(figures: dict[str, Any]) -> list[str]:
    """A row for each reader."""
    keys = ("seconds", "inputs", "branches", "crashes")
    rows = [[name, *(figure[key] for key in keys)] for name, figure in figures["readers"].items()]
    return _table(["reader", "seconds", "inputs", "branches reached", "crashes"], rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str | int]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return [
        f"| {' | '.join(cell if isinstance(cell, str) else f'{cell:,}' for cell in line)} |" for line in lines
    ]


TABLES = {"fuzz": fuzz}
