"""Any number of pairs of one language, to see how time and memory grow with them."""

import random
import re
from collections.abc import Callable, Sequence
from functools import partial, reduce

from lane.base.errors import LaneError
from lane.data.pair import Pair
from lane.data.scan import join_and, scan_pairs, scan_phrases
from lane.data.task import Task

FEWEST = 100  # with every word of SCAN
MOST = 1_000_000
TESTS = 1_000


def growth_task(size: int) -> Task:
    """The `size` shortest commands of SCAN; above all 20,910, also phrases joined by two and three `and`.

    The test has random commands that are longer than any in training, where SCAN has any, else with up to
    five `and`.
    """
    rng = random.Random(f"growth/{size}")
    scan = sorted(scan_pairs(), key=lambda pair: (len(pair.source), pair.source))
    train, rest = scan[:size], scan[size:]
    phrases = scan_phrases()
    seen = {pair.source for pair in train}
    train += _chains(rng, phrases, (3, 4), size - len(train), seen)
    test = rng.sample(rest, min(TESTS, len(rest)))
    test += _chains(rng, phrases, (5, 6), TESTS - len(test), seen)
    note = f"the {size} shortest commands of SCAN and of chains of its phrases"
    return Task(f"growth{size}", tuple(train), tuple(test), (note,))


def named(name: str) -> Callable[[], Task] | None:
    """The task `growth:N`; None for another name."""
    match = re.fullmatch("growth:([0-9]{1,9})", name)
    if not match:
        return None
    if not FEWEST <= int(match[1]) <= MOST:
        raise LaneError(f"{name!r}: a task of {FEWEST:,} to {MOST:,} pairs")
    return partial(growth_task, int(match[1]))


def _chains(
    rng: random.Random,
    phrases: Sequence[Pair],
    sizes: tuple[int, int],
    count: int,
    seen: set[tuple[str, ...]],
) -> list[Pair]:
    """`count` distinct commands of so many phrases that are not in `seen`, which is updated."""
    chains: list[Pair] = []
    while len(chains) < count:
        pair = reduce(join_and, rng.choices(phrases, k=rng.choice(sizes)))
        if pair.source not in seen:
            seen.add(pair.source)
            chains.append(pair)
    return chains
