"""Substitution: the values of the variables of a derivation, shared instead of copied.

The one expansion of templates at run time: translations, plans (plan_cache.py) and derivations
(explain.py) all take their values from `evaluate`. A value is a tuple of pieces; a piece is a run of actions,
the number of an input word, or another value. Copying would cost the square of the output's length; a shared
value is written out once, at the end.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from lane.runtime.composer import Composition
from lane.runtime.program_tables import Tables

Piece: TypeAlias = "int | str | tuple[Piece, ...]"


class Values(NamedTuple):
    """The value of every word, then of every reduction; and how many actions each has."""

    pieces: list[Piece]
    lengths: list[int]
    overflow: int | None
    """The first reduction whose value is longer than the program allows; there the lists end."""


def evaluate(
    tables: Tables,
    composition: Composition,
    words: Sequence[Piece],
    lengths: Sequence[int],
    limit: int | None = None,
) -> Values:
    """The values of a derivation, given those of its words and their lengths; `limit` is of the program."""
    values, sizes, limit = list(words), list(lengths), limit or tables.limits.max_actions
    for number, (node, _, _, reads) in enumerate(composition.reductions):
        template = tables.template(node)
        assert template is not None, "the Composer gives no reduction without a rule"
        pieces, size, counts = template
        for read, count in zip(reads, counts, strict=True):
            size += sizes[read] * count
        # Before anything is written out: `twice` a hundred times is 2**100 actions.
        if size > limit:
            return Values(values, sizes, number)
        sizes.append(size)
        if len(pieces) == 1:
            # Not nested in a tuple, so that the time of writing out grows with the output alone.
            values.append(pieces[0] if isinstance(pieces[0], str) else values[reads[pieces[0]]])
        else:
            values.append(tuple([p if isinstance(p, str) else values[reads[p]] for p in pieces]))
    return Values(values, sizes, None)


def flatten(value: Piece) -> Iterator[int | str]:
    """The pieces of a value from left to right; no recursion, since values nest as deep as commands."""
    stack = [value]
    while stack:
        piece = stack.pop()
        if isinstance(piece, tuple):
            stack.extend(reversed(piece))
        else:
            yield piece


def write_out(value: Piece) -> str:
    """The actions of a value whose words are known, joined by spaces."""
    return " ".join(flatten(value))  # type: ignore[arg-type]
