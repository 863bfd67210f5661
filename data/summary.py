"""Counts over a set of pairs, and its contradictions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lane.data.pair import Pair


@dataclass(frozen=True, slots=True)
class Lengths:
    """The shortest, the median and the longest of one side, in words."""

    min: int
    median: int
    max: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One input with more than one output; each output with the lines it is on."""

    source: tuple[str, ...]
    outputs: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all pairs."""

    pairs: int
    distinct: int
    source_vocabulary: tuple[str, ...]
    target_vocabulary: tuple[str, ...]
    source_lengths: Lengths
    target_lengths: Lengths
    contradictions: tuple[Contradiction, ...]

    @property
    def duplicates(self) -> int:
        """The number of pairs that repeat an earlier one."""
        return self.pairs - self.distinct


def summarize(numbered: Iterable[tuple[int, Pair]]) -> Summary:
    """The summary of at least one (line number, pair)."""
    tally = _Tally()
    for number, pair in numbered:
        tally.add(number, pair)
    return Summary(
        pairs=tally.source_lengths.total(),
        distinct=sum(len(outputs) for outputs in tally.outputs.values()),
        source_vocabulary=tuple(sorted(tally.source_words)),
        target_vocabulary=tuple(sorted(tally.target_words)),
        source_lengths=_lengths(tally.source_lengths),
        target_lengths=_lengths(tally.target_lengths),
        contradictions=tuple(
            Contradiction(source, tuple((target, tuple(lines)) for target, lines in outputs.items()))
            for source, outputs in tally.outputs.items()
            if len(outputs) > 1
        ),
    )


@dataclass
class _Tally:
    outputs: dict[tuple[str, ...], dict[tuple[str, ...], list[int]]] = field(default_factory=dict)
    source_words: set[str] = field(default_factory=set)
    target_words: set[str] = field(default_factory=set)
    source_lengths: Counter[int] = field(default_factory=Counter)
    target_lengths: Counter[int] = field(default_factory=Counter)

    def add(self, number: int, pair: Pair) -> None:
        self.outputs.setdefault(pair.source, {}).setdefault(pair.target, []).append(number)
        self.source_words.update(pair.source)
        self.target_words.update(pair.target)
        self.source_lengths[len(pair.source)] += 1
        self.target_lengths[len(pair.target)] += 1


def _lengths(counts: Counter[int]) -> Lengths:
    # The lower median: a length that occurs.
    middle = (counts.total() + 1) // 2
    below = 0
    for length in sorted(counts):
        below += counts[length]
        if below >= middle:
            return Lengths(min(counts), length, max(counts))
    raise ValueError("there are no pairs to summarize")
