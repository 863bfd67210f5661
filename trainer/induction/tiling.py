"""Tiling: the one right side that writes several outputs, given the values of its variables in each."""

from collections.abc import Sequence
from heapq import heappop, heappush

from lane.trainer.induction.text import action_of

LONGEST = 30  # tokens of a right side: enough for calls with several arguments
CONSTANT = 100  # what a constant costs more than a variable: a rule is to say its arguments, not a text
MOST_STATES = 3000  # of the search; right sides that are found at all are found long before

Values = tuple[str, ...]  # the value of one variable in each of K outputs


def tile(outputs: Values, values: Sequence[Values]) -> tuple[int, ...] | None:
    """The cheapest right side that writes every output, or None: variables 1, 2, ..., constants negative.

    Every variable is used at least once. Fewest constants first, then fewest tokens: Dijkstra's algorithm
    over the places reached in all outputs at once and the set of variables used.
    """
    end = tuple(len(output) for output in outputs)
    every = (1 << len(values)) - 1
    begin = (0,) * len(outputs)
    heap: list[tuple[int, int, tuple[int, ...], int, tuple[int, ...]]] = [(0, 0, begin, 0, ())]
    seen: set[tuple[tuple[int, ...], int]] = set()
    pushed = 0
    while heap and len(seen) < MOST_STATES:
        cost, _, places, used, right = heappop(heap)
        if places == end and used == every:
            return right
        if (places, used) in seen or len(right) >= LONGEST:
            continue
        seen.add((places, used))
        steps = [
            (1, number + 1, tuple(len(text) for text in value), 1 << number)
            for number, value in enumerate(values)
            if all(map(str.startswith, outputs, value, places))
        ]
        if all(map(int.__lt__, places, end)):
            letters = {output[place] for output, place in zip(outputs, places, strict=True)}
            if len(letters) == 1:
                steps.append((1 + CONSTANT, -action_of(letters.pop()), (1,) * len(outputs), 0))
        for price, token, lengths, now in steps:
            pushed += 1
            reached = tuple(map(int.__add__, places, lengths))
            heappush(heap, (cost + price, pushed, reached, used | now, (*right, token)))
    return None
