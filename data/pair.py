"""A pair: a command and its actions, both as words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lane.base.rule import VARIABLE
from lane.base.scheme import Schemes

# Control characters survive str.split() and would corrupt a terminal or a file;
# lone surrogates (JSON can spell them) cannot be written as UTF-8 at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pair:
    """A command (`source`) and its actions (`target`)."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    written: str | None = field(default=None, compare=False)
    """The output as it was written, where its words are not separated by single spaces."""

    @classmethod
    def of(cls, source: str, target: str) -> "Pair":
        """The pair of two texts, split at white space."""
        return cls(tuple(source.split()), tuple(target.split()), _written(target))

    @property
    def output(self) -> str:
        """The output as text."""
        return " ".join(self.target) if self.written is None else self.written

    def by(self, schemes: Schemes) -> "Pair":
        """The same pair in the tokens of other schemes than white space."""
        if schemes.is_plain:
            return self
        return Pair(tuple(schemes.read(" ".join(self.source))), tuple(schemes.write(self.output)))


def checked_pair(source: str | Sequence[str], target: str | Sequence[str]) -> Pair:
    """The pair of two texts or lists of words, or a ValueError with the reason that it is invalid."""
    pair = Pair(_words(source), _words(target), _written(target) if isinstance(target, str) else None)
    _check_side("input", pair.source)
    _check_side("output", pair.target)
    return pair


def _words(side: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(side.split() if isinstance(side, str) else side)


def _written(target: str) -> str | None:
    """The text without outer white space and with blanks for tabs and line ends; None if it is as joined."""
    plain = re.sub(r"[^\S ]", " ", target.strip())
    return plain if "  " in plain else None


def _check_side(side: str, words: Iterable[str]) -> None:
    empty = True
    for word in words:
        empty = False
        if word.startswith(VARIABLE):
            raise ValueError(
                f"the {side} word {word!r} starts with '{VARIABLE}', which is reserved for variables; "
                "write it another way"
            )
        if word.split() != [word]:
            raise ValueError(f"the {side} word {word!r} is empty or holds white space; a word has neither")
        if _UNPRINTABLE.search(word):
            raise ValueError(f"the {side} word {word!r} holds a control character or half of a character")
    if empty:
        raise ValueError(f"the {side} is empty; each side needs at least one word")
