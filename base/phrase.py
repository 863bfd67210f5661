"""Phrases: neighbouring words that are read as one word, such as `electron volt`."""

from collections.abc import Iterable, Sequence

BLANK = "␣"  # stands between the words of a phrase, since no word holds white space
Phrase = tuple[str, str]  # two neighbours; each may be a phrase itself


def join_phrases(words: Sequence[str], phrases: Iterable[Phrase]) -> tuple[str, ...]:
    """The words with each phrase as one word; the phrases are joined in their order, from left to right."""
    joined = list(words)
    for first, second in phrases:
        place = 0
        while place < len(joined) - 1:
            if joined[place] == first and joined[place + 1] == second:
                joined[place : place + 2] = [first + BLANK + second]
            place += 1
    return tuple(joined)
