"""Phrases: neighbouring tokens that are read as one, such as `electron volt`."""

from collections.abc import Iterable, Sequence

from lane.base.errors import LaneError

BLANK = "␣"  # stands between the tokens of a phrase, since no token holds white space
MOST = 1000  # phrases of a model: reading a command takes time for each of them
Phrase = tuple[str, str]  # two neighbours; each may be a phrase itself


def join_phrases(tokens: Sequence[str], phrases: Iterable[Phrase]) -> list[str]:
    """The tokens with each phrase as one token; the phrases are joined in their order, from left to right."""
    joined = list(tokens)
    for first, second in phrases:
        place = 0
        while first in joined[place:-1]:
            place = joined.index(first, place)
            if joined[place + 1] == second:
                joined[place : place + 2] = [first + BLANK + second]
            place += 1
    return joined


def first_place(joined: Sequence[str], position: int) -> int:
    """The position, from 1 on, of the first of the tokens that a joined token at a position is made of."""
    return position + sum(token.count(BLANK) for token in joined[: position - 1])


def checked_phrases(phrases: object) -> tuple[Phrase, ...]:
    """Phrases as they are read from a file; a LaneError if they are none."""
    if not isinstance(phrases, list | tuple) or len(phrases) > MOST:
        raise LaneError(f"phrases: not a list of at most {MOST}")
    for phrase in phrases:
        if not isinstance(phrase, list | tuple) or len(phrase) != 2:
            raise LaneError("phrases: each has two tokens")
        if any(not isinstance(token, str) or token.split() != [token] for token in phrase):
            raise LaneError("phrases: tokens are not empty and hold no white space")
    return tuple((first, second) for first, second in phrases)
