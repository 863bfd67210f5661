"""The Composer's greedy loop over a program's tables: which spans are translated, in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from lane.runtime.tables import Tables

_NO_PAIR = -1


class Reduction(NamedTuple):
    """A recognized span: translated by its rule and replaced by a variable."""

    node: int
    start: int
    """The first word it covers."""
    stop: int
    """One past the last word it covers."""
    reads: tuple[int, ...]
    """The values of its variables: i < n is the value of word i, n + k the value of reduction k."""


class Gap(NamedTuple):
    """Where the tables end: the loop meets a pair, or a root, that they do not hold."""

    start: int
    left: int
    right: int | None
    """None: `left` is the root and has no rule."""


@dataclass(slots=True)
class Composition:
    """The derivation without its values: it depends on the leaves alone."""

    reductions: list[Reduction]
    gap: Gap | None = None


def compose(tables: Tables, leaves: Sequence[int]) -> Composition:
    """Merge the pair of highest rank, leftmost on a tie, until one variable is left: O(n log n)."""
    if len(leaves) == 1:
        return _single(tables, leaves[0])
    return _Chain(tables, leaves).run()


def _single(tables: Tables, leaf: int) -> Composition:
    """A command of one word: done if recognized, else the root, which is always recognized."""
    if leaf == 0:
        return Composition([])
    if tables.template(leaf) is None:
        return Composition([], Gap(0, leaf, None))
    return Composition([Reduction(leaf, 0, 1, ())])


class _Chain:
    """The items of the sequence as a linked list, named by the position of their first word.

    A heap holds the pairs. An entry is stale once its pair is no longer the one that starts there;
    an equal pair at the same place has the same priority, so comparing keys is enough.
    """

    def __init__(self, tables: Tables, leaves: Sequence[int]) -> None:
        count = len(leaves)
        self.tables = tables
        self.count = count
        self.items = list(leaves)
        self.reads: list[tuple[int, ...]] = [() if leaf else (i,) for i, leaf in enumerate(leaves)]
        self.after = list(range(1, count + 1))  # `count` is past the end
        self.before = list(range(-1, count - 1))
        self.keys = [_NO_PAIR] * count
        self.heap: list[tuple[int, int, int]] = []
        self.gap: Gap | None = None

    def run(self) -> Composition:
        reductions: list[Reduction] = []
        for start in range(self.count - 1):
            if not self._offer(start):
                return Composition(reductions, self.gap)
        for remaining in range(self.count - 1, 0, -1):
            start = self._next_pair()
            self._merge(start)
            node = self.items[start]
            if remaining == 1 or self.tables.recognized[node]:
                if self.tables.template(node) is None:
                    return Composition(reductions, Gap(start, node, None))
                reductions.append(Reduction(node, start, self.after[start], self.reads[start]))
                self.items[start] = 0
                self.reads[start] = (self.count + len(reductions) - 1,)
            if not self._offer(self.before[start]) or not self._offer(start):
                return Composition(reductions, self.gap)
        return Composition(reductions)

    def _next_pair(self) -> int:
        while True:
            _, start, key = heappop(self.heap)
            if self.keys[start] == key:
                return start

    def _merge(self, start: int) -> None:
        right = self.after[start]
        self.items[start] = self.tables.pairs[self.keys[start]][1]
        self.reads[start] += self.reads[right]
        self.keys[start] = self.keys[right] = _NO_PAIR
        beyond = self.after[start] = self.after[right]
        if beyond < self.count:
            self.before[beyond] = start

    def _offer(self, start: int) -> bool:
        """Enter the pair that starts here, if one does; False, with the gap noted, if it is unknown."""
        if start < 0 or self.after[start] == self.count:
            return True
        left, right = self.items[start], self.items[self.after[start]]
        key = left * self.tables.stride + right
        found = self.tables.pairs.get(key)
        if found is None:
            self.gap = Gap(start, left, right)
            return False
        self.keys[start] = key
        heappush(self.heap, (found[0], start, key))
        return True
