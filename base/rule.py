"""Rules as people read them: `$x twice -> $X $X`, and the names of their variables."""

from collections.abc import Iterable
from typing import Final, NamedTuple

VARIABLE: Final = "$"  # begins every variable, and so no word
SOURCE_NAMES: Final = ("$x", "$y", "$z", "$w", "$u", "$v", "$s", "$t")
TARGET_NAMES: Final = tuple(name.upper() for name in SOURCE_NAMES)
MOST_VARIABLES: Final = len(SOURCE_NAMES)


class Rule(NamedTuple):
    """A span of words and `$x`, `$y`, and what it becomes: actions and `$X`, `$Y`."""

    span: tuple[str, ...]
    template: tuple[str, ...]
    uses: int = 0
    """How many expressions of the training pairs it translates (0: none, or not known)."""

    @property
    def is_word(self) -> bool:
        """Whether it translates a single word."""
        return len(self.span) == 1

    @property
    def order(self) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        """Single words first, then by length and name: the order of every list of rules."""
        return len(self.span), self.span, self.template

    def __str__(self) -> str:
        return f"{' '.join(self.span)} -> {' '.join(self.template)}"


def name_variables(leaves: Iterable[str]) -> tuple[str, ...]:
    """A span whose variables are all `$`, with the variables named in order of appearance."""
    names = iter(SOURCE_NAMES)
    return tuple([next(names) if leaf == VARIABLE else leaf for leaf in leaves])
