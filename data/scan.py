"""SCAN: the grammar of all 20,910 commands and their actions (Lake and Baroni, 2018)."""

from collections.abc import Iterator
from functools import cache

from lane.data.pair import Pair

_VERBS = {"walk": "I_WALK", "look": "I_LOOK", "run": "I_RUN", "jump": "I_JUMP"}
_DIRECTIONS = {"left": "I_TURN_LEFT", "right": "I_TURN_RIGHT"}
_REPEATS = {"twice": 2, "thrice": 3}


@cache
def scan_phrases() -> tuple[Pair, ...]:
    """The 102 commands without `and` and `after`."""
    phrases = []
    for pair in _verb_phrases():
        phrases.append(pair)
        for word, times in _REPEATS.items():
            phrases.append(Pair((*pair.source, word), pair.target * times))
    return tuple(phrases)


@cache
def scan_pairs() -> tuple[Pair, ...]:
    """All of SCAN: each phrase, and each two phrases joined by `and` or `after`."""
    phrases = scan_phrases()
    pairs = list(phrases)
    for left in phrases:
        for right in phrases:
            pairs.append(join_and(left, right))
            # `a after b`: b is done first.
            pairs.append(Pair((*left.source, "after", *right.source), right.target + left.target))
    return tuple(pairs)


def join_and(left: Pair, right: Pair) -> Pair:
    """`left and right`: the actions of the one, then of the other."""
    return Pair((*left.source, "and", *right.source), left.target + right.target)


def _verb_phrases() -> Iterator[Pair]:
    for verb, action in _VERBS.items():
        yield Pair((verb,), (action,))
        yield from _directed(verb, (action,))
    # `turn` has no action of its own, and needs a direction.
    yield from _directed("turn", ())


def _directed(verb: str, act: tuple[str, ...]) -> Iterator[Pair]:
    for direction, turn in _DIRECTIONS.items():
        yield Pair((verb, direction), (turn, *act))
        yield Pair((verb, "opposite", direction), (turn, turn, *act))
        yield Pair((verb, "around", direction), (turn, *act) * 4)
