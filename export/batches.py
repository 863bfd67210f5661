"""Commands as tables of numbers, in batches that fit in memory whatever the lengths."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from lane.base.vocabulary import Vocabulary
from lane.models import symbols

MOST_ROWS = 2048  # bounds a batch of short commands; symbols.CELLS bounds one of long commands


def numbers(command: str, vocabulary: Vocabulary) -> list[int]:
    """The numbers of a command's words, -1 for unknown ones."""
    return [vocabulary.number(word) if word in vocabulary else -1 for word in command.split()]


def table(rows: Sequence[Sequence[int]]) -> Tensor:
    """One row per command, padded with zeros.  # [B, L]"""
    width = max(map(len, rows), default=0)
    padded = [[*row, *[0] * (width - len(row))] for row in rows]
    return torch.tensor(padded, dtype=torch.int64).view(len(rows), width)


def portions(lengths: Sequence[int], most: int = MOST_ROWS) -> Iterator[list[int]]:
    """The indices of the rows of each batch, sorted by length so that a long row pads no short one."""
    portion: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Lengths rise, so this row is the widest so far.
        if portion and (len(portion) == most or (len(portion) + 1) * lengths[place] > symbols.CELLS):
            yield portion
            portion = []
        portion.append(place)
    if portion:
        yield portion
