"""The known word that a misspelt one probably means."""

from collections.abc import Iterable
from typing import NamedTuple

MAX_LENGTH = 40  # a longer word is no typing error, and comparing it would take long


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word; empty where no known word is near."""
    nearest = Suggestions(known).nearest(word)
    return f"; did you mean {nearest!r}?" if nearest else ""


class _Prepared(NamedTuple):
    word: str
    folded: str
    letters: int


class Suggestions:
    """Known words, prepared once for many searches; threads may share it."""

    def __init__(self, known: Iterable[str]) -> None:
        folded = ((word, word.casefold()) for word in known)
        self._known = [_Prepared(word, plain, _letters(plain)) for word, plain in folded]

    def nearest(self, word: str) -> str | None:
        """The closest known word: equal but for case, or at most 2 edits (1 in short words) away.

        Of words equally near the first one counts.
        """
        if len(word) > MAX_LENGTH:
            return None
        folded = word.casefold()
        length, letters = len(folded), _letters(folded)
        best, bound = None, 3 if len(word) > 3 else 2
        for known in self._known:
            # Each edit adds and removes one letter at most: this rules out nearly all words without `_edits`.
            if (
                -bound < len(known.folded) - length < bound
                and (known.letters & ~letters).bit_count() < bound
                and (letters & ~known.letters).bit_count() < bound
            ):
                distance = _edits(folded, known.folded, bound)
                if distance < bound and distance < len(known.word):
                    best, bound = known.word, distance
                    if distance == 0:
                        break
        return best


def _letters(word: str) -> int:
    """The set of the letters as bits; letters that share a bit only make the filter weaker."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def _edits(left: str, right: str, enough: int) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours; `enough` if there are that many."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left):
        older, before, row = before, row, [i + 1]
        for j, other in enumerate(right):
            cost = min(before[j] + (letter != other), before[j + 1] + 1, row[j] + 1)
            if i and j and letter == right[j - 1] and left[i - 1] == other:
                cost = min(cost, older[j - 1] + 1)
            row.append(cost)
        if min(row) >= enough and (not before or min(before) >= enough):
            return enough
    return min(row[-1], enough)
