"""Words and their numbers."""

from collections.abc import Iterable, Iterator, Sequence

from lane.base.errors import LaneError
from lane.base.rule import VARIABLE


class Vocabulary:
    """An immutable list of distinct words; number 1 is the first, 0 is never a word."""

    __slots__ = ("_number", "words")

    def __init__(self, words: Iterable[str]) -> None:
        self.words: tuple[str, ...] = tuple(words)
        self._number = {word: number for number, word in enumerate(self.words, start=1)}
        for word in self.words:
            _reject_reserved(word)
        if len(self._number) != len(self.words):
            twice = next(word for i, word in enumerate(self.words) if word in self.words[:i])
            raise LaneError(f"vocabulary: {twice!r} is listed twice; every word needs a number of its own")

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> "Vocabulary":
        """The sorted words of the sentences, so that the order of the data does not matter."""
        return cls(sorted({word for sentence in sentences for word in sentence}))

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({list(self.words)!r})"

    def number(self, word: str) -> int:
        """The number of a known word."""
        try:
            return self._number[word]
        except KeyError:
            raise LaneError(f"unknown word {word!r}; the vocabulary has {len(self)} words") from None

    def word(self, number: int) -> str:
        """The word of a number from 1 on."""
        if not 1 <= number <= len(self.words):
            raise LaneError(f"no word has number {number}; they run from 1 to {len(self)}")
        return self.words[number - 1]


def _reject_reserved(word: str) -> None:
    if not word or word.split() != [word]:
        raise LaneError(f"vocabulary: {word!r} is not a word; words are not empty and hold no white space")
    if word.startswith(VARIABLE):
        raise LaneError(f"vocabulary: {word!r} begins with {VARIABLE!r}, which is kept for variables")
