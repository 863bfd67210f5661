"""The Composer's greedy loop over a program's tables: which spans are translated, in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from lane.runtime.program_tables import Tables

_NO_PAIR = -1  # no entry of the heap


class Reduction(NamedTuple):
    """A recognised span: translated by its rule and replaced by a variable."""

    node: int
    start: int
    """The first word it covers."""
    stop: int
    """One past the last word it covers."""
    reads: tuple[int, ...]
    """The values of its variables: i < n is the value of word i, n + k the value of reduction k."""


class Gap(NamedTuple):
    """A pair, or a root, that the tables do not hold: the loop ends there."""

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
    """Merge the pair of highest rank, leftmost on a tie, until one variable is left: O(n log n).

    Items are a linked list, identified by the position of their first word. The heap holds pairs, each as a
    single integer, which compares fastest: priority * n + start. An entry is stale once the pair that starts
    there has another number; an equal number means the same rank and place, so it is valid either way. One
    long function, since calls would take most of the time.
    """
    count = len(leaves)
    if count == 1:
        return _single(tables, leaves[0])
    pairs, stride, recognized, template_of = tables.pairs, tables.stride, tables.recognized, tables.template
    items = list(leaves)
    reads: list[tuple[int, ...]] = [() if leaf else (i,) for i, leaf in enumerate(leaves)]
    after, before = list(range(1, count + 1)), list(range(-1, count - 1))  # `count` is past the end
    entry, merged = [_NO_PAIR] * count, [0] * count  # of the pair that starts here: its number, its node
    reductions: list[Reduction] = []
    for start in range(count - 1):
        found = pairs.get(items[start] * stride + items[start + 1])
        if found is None:
            return Composition(reductions, Gap(start, items[start], items[start + 1]))
        entry[start], merged[start] = found[0] * count + start, found[1]
    heap = entry[:-1]
    heapify(heap)
    for remaining in range(count - 1, 0, -1):
        number = heappop(heap)
        start = number % count
        while entry[start] != number:
            number = heappop(heap)
            start = number % count
        node, right = merged[start], after[start]
        beyond = after[start] = after[right]
        entry[start] = entry[right] = _NO_PAIR
        reads[start] += reads[right]
        if recognized[node] or remaining == 1:
            if template_of(node) is None:
                return Composition(reductions, Gap(start, node, None))
            reductions.append(Reduction(node, start, beyond, reads[start]))
            node = 0
            reads[start] = (count + len(reductions) - 1,)
        items[start] = node
        previous = before[start]
        if previous >= 0:
            found = pairs.get(items[previous] * stride + node)
            if found is None:
                return Composition(reductions, Gap(previous, items[previous], node))
            number = entry[previous] = found[0] * count + previous
            merged[previous] = found[1]
            heappush(heap, number)
        if beyond < count:
            before[beyond] = start
            found = pairs.get(node * stride + items[beyond])
            if found is None:
                return Composition(reductions, Gap(start, node, items[beyond]))
            number = entry[start] = found[0] * count + start
            merged[start] = found[1]
            heappush(heap, number)
    return Composition(reductions)


def _single(tables: Tables, leaf: int) -> Composition:
    """A command of one word: either recognised, or the root, which always counts as recognised."""
    if leaf == 0:
        return Composition([])
    if tables.template(leaf) is None:
        return Composition([], Gap(0, leaf, None))
    return Composition([Reduction(leaf, 0, 1, ())])
