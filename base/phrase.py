"""Phrases: neighbouring tokens that are read as one, such as `electron volt`."""

from collections.abc import Iterable, Iterator, Sequence

from lane.base.errors import LaneError

BLANK = "␣"  # stands between the tokens of a phrase, since no token holds white space
MOST = 200  # phrases of a model: reading a command takes time for each of them
Phrase = tuple[str, str]  # two neighbours; each may be a phrase itself


def join_phrases(tokens: Sequence[str], phrases: Iterable[Phrase]) -> list[str]:
    """The tokens with each phrase as one token; the phrases are joined in their order, from left to right."""
    joined, present = list(tokens), set(tokens)
    for first, second in phrases:
        if first in present and second in present:
            joined = list(_joined(joined, first, second))
            present.add(first + BLANK + second)
    return joined


def _joined(tokens: Sequence[str], first: str, second: str) -> Iterator[str]:
    """In one pass: a hostile line may hold the phrase a million times."""
    waiting = False  # for `second`, with `first` behind us
    for token in tokens:
        if waiting and token == second:
            yield first + BLANK + second
            waiting = False
            continue
        if waiting:
            yield first
        waiting = token == first
        if not waiting:
            yield token
    if waiting:
        yield first


def first_place(tokens: Sequence[str], joined: Sequence[str], position: int) -> int:
    """The position, from 1 on, of the first of the tokens that a joined token at a position is made of.

    By lengths: a token that holds BLANK may have been typed so, and then is no phrase.
    """
    place = 0
    for token in joined[: position - 1]:
        left = len(token) - len(tokens[place])
        place += 1
        while left:
            left -= len(BLANK) + len(tokens[place])
            place += 1
    return place + 1


def checked_phrases(phrases: object) -> tuple[Phrase, ...]:
    """Phrases as they are read from a file; a LaneError if they are malformed."""
    if not isinstance(phrases, list | tuple) or len(phrases) > MOST:
        raise LaneError(f"phrases: not a list of at most {MOST}")
    for phrase in phrases:
        if not isinstance(phrase, list | tuple) or len(phrase) != 2:
            raise LaneError("phrases: each has two tokens")
        if any(not isinstance(token, str) or token.split() != [token] for token in phrase):
            raise LaneError("phrases: tokens are not empty and hold no white space")
    return tuple((first, second) for first, second in phrases)
