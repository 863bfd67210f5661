"""The known word that a misspelt one probably means."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

MAX_LENGTH = 40  # a longer word is no typing error, and comparing it would take long
MOST_COMPARED = 4096  # known words looked at for an unknown one: some milliseconds at most


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word; empty where no known word is near."""
    nearest = Suggestions(known).nearest(word)
    return f"; did you mean {nearest!r}?" if nearest else ""


class _Prepared(NamedTuple):
    place: int
    word: str
    folded: str
    letters: int


class Suggestions:
    """Known words, prepared once for many searches; threads may share it."""

    def __init__(self, known: Iterable[str]) -> None:
        self._of_length: dict[int, list[_Prepared]] = {}
        self._of_start: dict[tuple[int, str], list[_Prepared]] = {}
        for place, word in enumerate(known):
            folded = word.casefold()
            entry = _Prepared(place, word, folded, _letters(folded))
            self._of_length.setdefault(len(folded), []).append(entry)
            self._of_start.setdefault((len(folded), folded[:1]), []).append(entry)

    def nearest(self, word: str) -> str | None:
        """The closest known word: equal but for case, or at most 2 edits (1 in short words) away.

        Of words equally near the first one counts.
        """
        if len(word) > MAX_LENGTH:
            return None
        folded = word.casefold()
        letters = _letters(folded)
        bound = 3 if len(word) > 3 else 2
        near: list[tuple[int, int, str]] = []
        for known in self._candidates(folded, bound):
            # Each edit adds and removes one letter at most: this rules out most words without `_edits`.
            if (known.letters & ~letters).bit_count() < bound > (letters & ~known.letters).bit_count():
                distance = _edits(folded, known.folded, bound)
                if distance < min(bound, len(known.word)):
                    near.append((distance, known.place, known.word))
        return min(near)[2] if near else None

    def _candidates(self, folded: str, bound: int) -> Iterator[_Prepared]:
        """Words of about this length; of very many, those that begin alike: few mistype the first letter."""
        lengths = range(len(folded) - bound + 1, len(folded) + bound)
        groups = [self._of_length.get(length, []) for length in lengths]
        if sum(map(len, groups)) > MOST_COMPARED:
            groups = [self._of_start.get((length, folded[:1]), []) for length in lengths]
        return islice(chain.from_iterable(groups), MOST_COMPARED)


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
