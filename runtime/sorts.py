"""Sorts of words: what of a word decides the derivation of a command, and whether it is refused.

A word that is no variable is its leaf. A recognised word is the variable to the Composer, leaf 0; where the
model refuses, its kind counts too, and its sort is `stride + kind`, beyond all leaves. So a cached plan of a
shape of sorts needs no check: the refusal costs nothing for commands whose shape has a plan.
"""

from collections.abc import Sequence

from lane.runtime.composer import Composition
from lane.runtime.kind import RuleKind
from lane.runtime.program_tables import Tables
from lane.runtime.refusal import UNKNOWN, Stray, departures


class Sorts:
    """The sorts of a program's words; a lenient one sorts by leaves alone, and refuses nothing."""

    def __init__(self, tables: Tables, kinds: tuple[RuleKind, ...] | None, lenient: bool) -> None:
        self.tables, self._kinds, self._stride = tables, kinds or (), tables.stride
        self.refuses = kinds is not None and not lenient
        self.of_word = dict(tables.leaf_of)
        if self.refuses:
            for word, leaf in tables.leaf_of.items():
                if leaf == 0:
                    self.of_word[word] = self._stride + tables.kind_of.get((word,), UNKNOWN)

    def leaves(self, shape: Sequence[int]) -> Sequence[int]:
        """The leaves of a shape of sorts."""
        return [sort if sort < self._stride else 0 for sort in shape] if self.refuses else shape

    def departure(self, composition: Composition, shape: Sequence[int]) -> Stray | None:
        """The first place where a derivation leaves what was learned, if that is refused."""
        if not self.refuses:
            return None
        of_words = [max(sort - self._stride, UNKNOWN) for sort in shape]
        return next(departures(self.tables, self._kinds, composition, of_words), None)
