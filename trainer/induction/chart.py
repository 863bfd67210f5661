"""The chart: the values that a grammar gives to the parts of a shape, as far as they occur in the output.

No rule leaves out a variable and right sides are written without gaps, so the value of every part of a
derivation stands somewhere in the output. That keeps the chart small.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lane.models import symbols
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.ruleset import Fork, Left, RuleSet
from lane.trainer.induction.shape import Shape
from lane.trainer.induction.tiling import Values

MOST_WAYS = 6  # to the same value of a part: all of them would be exponentially many
MOST_ITEMS = 3000  # partly matched rules at one place: a bound for ambiguous commands


class Part(NamedTuple):
    """Tokens `start` to `end` of a shape, with a value for each member."""

    start: int
    end: int
    value: Values


class Way(NamedTuple):
    """A rule that writes a part, and the parts that its variables are."""

    left: Left
    arguments: tuple[Part, ...]


Cell = dict[Values, list[Way]]  # no ways for a word's own value
Chart = dict[tuple[int, int], Cell]  # by start and end
Item = tuple[Fork, tuple[Part, ...]]  # a partly matched left side, and the parts that its variables are


def written(pieces: Sequence[int | str], arguments: Sequence[Values], member: int) -> str:
    """What a right side writes for one member."""
    return "".join(piece if isinstance(piece, str) else arguments[piece - 1][member] for piece in pieces)


def parse(shape: Shape, grammar: RuleSet, work: Budget) -> Chart:
    """All parts that the grammar explains: from right to left by start, then by length."""
    tokens, width = shape.tokens, len(shape.tokens)
    chart: Chart = {}
    values = iter(shape.values)
    for place, token in enumerate(tokens):
        if token == symbols.VARIABLE:
            chart[place, place + 1] = {next(values): []}
    for start in range(width - 1, -1, -1):
        items: list[list[Item]] = [[] for _ in range(width + 1)]
        items[start].append((grammar.root, ()))
        for at in range(start, width + 1):
            if at > start:
                cell = chart.get((start, at), {})
                _complete(items[at], cell, grammar, shape.outputs)
                if cell:
                    chart[start, at] = cell
                    # Only now: a rule that begins with a variable needs the parts that begin here.
                    follow = grammar.root.next.get(symbols.VARIABLE)
                    if follow is not None:
                        items[at] += [(follow, (Part(start, at, value),)) for value in cell]
            if at < width:
                work.spend(len(items[at]))
                _advance(items, at, at > start, tokens, chart)
    return chart


def _complete(items: Sequence[Item], cell: Cell, grammar: RuleSet, outputs: Values) -> None:
    """Enter the values of the left sides that are matched to their end, if the outputs contain them."""
    for branch, arguments in items:
        if branch.left is not None:
            pieces, known = grammar.pieces[branch.left], [part.value for part in arguments]
            value = tuple(written(pieces, known, member) for member in range(len(outputs)))
            if all(map(str.__contains__, outputs, value)):
                ways = cell.setdefault(value, [])
                if len(ways) < MOST_WAYS:
                    ways.append(Way(branch.left, arguments))


def _advance(
    items: list[list[Item]],
    at: int,
    may_be_part: bool,
    tokens: Left,
    chart: Chart,
) -> None:
    """Match the next token of every item: the word here, or any part that begins here."""
    width = len(tokens)
    for branch, arguments in items[at][:MOST_ITEMS]:
        if tokens[at] != symbols.VARIABLE:
            follow = branch.next.get(tokens[at])
            if follow is not None:
                items[at + 1].append((follow, arguments))
        follow = branch.next.get(symbols.VARIABLE)
        if follow is not None and may_be_part:
            for end in range(at + 1, width + 1):
                for value in chart.get((at, end), ()):
                    items[end].append((follow, (*arguments, Part(at, end, value))))


def explains(chart: Chart, shape: Shape) -> bool:
    """Whether the whole shape has the outputs of its members."""
    return shape.outputs in chart.get((0, len(shape.tokens)), {})
