"""The splits of SCAN that a rule or a seed gives: no file is needed for them."""

import random
from collections.abc import Iterator, Sequence
from functools import reduce

from lane.data.pair import Pair
from lane.data.scan import join_and, scan_pairs, scan_phrases
from lane.data.task import Task

SIMPLE_TRAIN = 16_728
_JUMP = Pair(("jump",), ("I_JUMP",))
_JUMP_COPIES = 1_467
_LONGEST_TRAINED = 22
_EXTEND_TRIPLES = 10_000
_EXTEND_TESTS = 500
_EXTEND_ANDS = range(2, 10)


def simple(seed: int) -> Task:
    """A random split of the official one's sizes; which pairs go where depends on the seed."""
    pairs = list(scan_pairs())
    random.Random(f"simple/{seed}").shuffle(pairs)
    note = (
        f"a random split of our own (seed {seed}), of the official one's sizes: "
        "the official files are used when a data directory with them is given"
    )
    return Task("simple", tuple(pairs[:SIMPLE_TRAIN]), tuple(pairs[SIMPLE_TRAIN:]), (note,))


def addjump() -> Task:
    """`jump` is trained alone only, as often as in the official file, and tested in every combination."""
    train = [pair for pair in scan_pairs() if "jump" not in pair.source]
    test = [pair for pair in scan_pairs() if "jump" in pair.source and pair != _JUMP]
    note = f"regenerated; `jump` alone is in the training pairs {_JUMP_COPIES} times, as in the official file"
    return Task("addjump", (*train, *[_JUMP] * _JUMP_COPIES), tuple(test), (note,))


def around_right() -> Task:
    """`around right` is never trained; `turn around right` is neither trained nor tested."""
    train = [pair for pair in scan_pairs() if not _has(pair, ("around", "right"))]
    test = [
        pair
        for pair in scan_pairs()
        if _has(pair, ("around", "right")) and not _has(pair, ("turn", "around", "right"))
    ]
    note = "regenerated; commands with `turn around right` are in neither part, as in the official files"
    return Task("around_right", tuple(train), tuple(test), (note,))


def length() -> Task:
    """Trained on outputs of at most 22 actions, tested on all longer ones."""
    train = [pair for pair in scan_pairs() if len(pair.target) <= _LONGEST_TRAINED]
    test = [pair for pair in scan_pairs() if len(pair.target) > _LONGEST_TRAINED]
    return Task("length", tuple(train), tuple(test), ("regenerated",))


def extend(seed: int) -> Task:
    """SCAN-ext: phrases joined by `and` alone; up to 2 are trained, 2 to 9 tested, no command in both."""
    phrases = scan_phrases()
    rng = random.Random(f"extend/{seed}")
    couples = [join_and(left, right) for left in phrases for right in phrases]
    seen: set[tuple[str, ...]] = set()
    triples = _sampled(rng, phrases, 3, _EXTEND_TRIPLES, seen)
    train = (*phrases, *couples, *triples)
    test = [pair for ands in _EXTEND_ANDS for pair in _sampled(rng, phrases, ands + 1, _EXTEND_TESTS, seen)]
    note = f"generated with seed {seed}: 10,000 commands with two `and` are sampled, and all the tests"
    return Task("extend", train, tuple(test), (note,))


def _sampled(
    rng: random.Random, phrases: Sequence[Pair], size: int, count: int, seen: set[tuple[str, ...]]
) -> Iterator[Pair]:
    """`count` different chains of `size` phrases, none of them in `seen`, to which they are added."""
    while count:
        pair = reduce(join_and, rng.choices(phrases, k=size))
        if pair.source not in seen:
            seen.add(pair.source)
            count -= 1
            yield pair


def _has(pair: Pair, part: tuple[str, ...]) -> bool:
    size = len(part)
    return any(pair.source[at : at + size] == part for at in range(len(pair.source) - size + 1))
