"""Replays a command through the Composer and the Memory, keeping every step."""

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count

from lane.base.rule import name_variables
from lane.runtime.composer import Composition, Gap, Reduction, compose
from lane.runtime.derivation import Step
from lane.runtime.kind import RuleKind
from lane.runtime.program_tables import Tables
from lane.runtime.refusal import UNKNOWN, departures
from lane.runtime.substitution import Piece, Values, evaluate


def derive(
    tables: Tables,
    kinds: tuple[RuleKind, ...] | None,
    words: Sequence[str],
    texts: Sequence[str],
    limit: int | None = None,
) -> tuple[tuple[Step, ...], Piece, Gap | int | None, Composition]:
    """Steps, last value, why they ended early (a gap, or the word where a value overflows), derivation.

    `texts` are the values of the words.
    """
    leaves = [tables.leaf_of[word] for word in words]
    composition = compose(tables, leaves)
    lengths = [len(tables.value_of.get(word, ())) for word in words]
    values = evaluate(tables, composition, texts, lengths, limit)
    problem: Gap | int | None = composition.gap
    if values.overflow is not None:
        problem = composition.reductions[values.overflow].start
    recorder = _Recorder(tables, words, values)
    if kinds is not None and problem is None:
        of_words = [
            tables.kind_of.get((word,), UNKNOWN) if leaf == 0 else UNKNOWN
            for word, leaf in zip(words, leaves, strict=True)
        ]
        recorder.departed = {found.value for found in departures(tables, kinds, composition, of_words)}
    for place, leaf in enumerate(leaves):
        if leaf == 0:
            recorder.add_word(place)
    for number, reduction in enumerate(composition.reductions[: values.overflow]):
        recorder.add_reduction(len(words) + number, reduction)
    return tuple(recorder.steps), values.pieces[-1], problem, composition


class _Recorder:
    """Gives every value its step and the lowest empty slot of the Memory; reading empties a slot."""

    def __init__(self, tables: Tables, words: Sequence[str], values: Values) -> None:
        self.tables, self.words, self.values = tables, words, values
        self.emptied: list[int] = []  # a heap of slots
        self.unused = count()
        self.steps: list[Step] = []
        self.step_of: dict[int, Step] = {}  # by value
        self.departed: set[int] = set()  # values that leave what was learned
        self.pair_of: dict[int, tuple[int, int]] = {}
        if len(words) > 1:
            self.pair_of = {node: divmod(key, tables.stride) for key, (_, node) in tables.pairs.items()}

    def add_word(self, place: int) -> None:
        word = self.words[place]
        self._add(place, (word,), word, (place, place + 1), ())

    def add_reduction(self, value: int, reduction: Reduction) -> None:
        node, start, stop, reads = reduction
        names = list(reversed(name_variables(self.tables.spans[node])))
        self._add(value, self.tables.spans[node], self._bracket(node, names), (start, stop), reads)

    def _add(
        self, value: int, span: tuple[str, ...], node: str, covers: tuple[int, int], reads: tuple[int, ...]
    ) -> None:
        parts = [self.step_of[read] for read in reads]
        for part in parts:
            heappush(self.emptied, part.slot)
        step = Step(
            number=len(self.steps) + 1,
            rule=self.tables.rule_of[span],
            node=node,
            start=covers[0],
            stop=covers[1],
            parts=tuple(part.number for part in parts),
            reads=tuple(part.slot for part in parts),
            slot=heappop(self.emptied) if self.emptied else next(self.unused),
            length=self.values.lengths[value],
            value=self.values.pieces[value],
            learned=value not in self.departed,
        )
        self.steps.append(step)
        self.step_of[value] = step

    def _bracket(self, node: int, names: list[str]) -> str:
        """`((walk around) $x)`: the leaves take their names from the end of `names`."""
        pair = self.pair_of.get(node)
        if pair is None:
            return names.pop()
        return f"({self._bracket(pair[0], names)} {self._bracket(pair[1], names)})"
