"""A pair: a command and its actions, both as words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lane.base.rule import VARIABLE

# Control characters survive str.split() and would corrupt a terminal or a file;
# lone surrogates (JSON can spell them) cannot be written as UTF-8 at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pair:
    """A command (`source`) and its actions (`target`)."""

    source: tuple[str, ...]
    target: tuple[str, ...]

    @classmethod
    def of(cls, source: str, target: str) -> "Pair":
        """The pair of two texts, split at white space."""
        return cls(tuple(source.split()), tuple(target.split()))


def checked_pair(source: Sequence[str], target: Sequence[str]) -> Pair:
    """The pair, or a ValueError with the reason that it is invalid."""
    _check_side("input", source)
    _check_side("output", target)
    return Pair(tuple(source), tuple(target))


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
