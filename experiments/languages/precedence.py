"""Languages whose meaning follows from the precedence of their operators alone.

An expression of level 0 is a primitive. Level k, k = 1, 2, ..., has operators of one kind:

    prefix    E_k = op E_k | E_{k-1}
    postfix   E_k = E_k op | E_{k-1}
    infix     E_k = E_k op E_{k-1} | E_{k-1}        (left-associative)

so a lower level binds tighter and each command has exactly one parse: the tightest operator comes first, the
leftmost among equals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from lane.base.errors import LaneError


class Fixity(StrEnum):
    """The position of an operator relative to its arguments."""

    PREFIX = "prefix"
    INFIX = "infix"
    POSTFIX = "postfix"

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return 2 if self is Fixity.INFIX else 1


@dataclass(frozen=True)
class Operator:
    """A word with its template, in which a number is an argument and a text is an action."""

    word: str
    kind: Fixity
    level: int
    template: tuple[int | str, ...]

    def __str__(self) -> str:
        """The rule in the usual notation: `$0 fep -> $0 $0 $0`."""
        left = {
            Fixity.PREFIX: f"{self.word} $0",
            Fixity.POSTFIX: f"$0 {self.word}",
            Fixity.INFIX: f"$0 {self.word} $1",
        }
        right = " ".join(item if isinstance(item, str) else f"${item}" for item in self.template)
        return f"{left[self.kind]} -> {right}"

    def operand_level(self, slot: int) -> int:
        """The loosest level allowed in argument `slot`."""
        return self.level - slot  # the right side of an infix operator, slot 1, binds tighter


@dataclass(frozen=True)
class Parse:
    """The parse of a command: a primitive, or an operator and its arguments."""

    word: str
    arguments: tuple["Parse", ...] = ()


@dataclass(frozen=True)
class Language:
    """Primitives, each with its action, and operators."""

    primitives: tuple[tuple[str, str], ...]
    operators: tuple[Operator, ...]

    def __post_init__(self) -> None:
        words = [word for word, _ in self.primitives] + [operator.word for operator in self.operators]
        if len(set(words)) != len(words):
            raise ValueError("a word of the language is used twice")
        if sorted(self.by_level) != list(range(1, self.depth + 1)):
            raise ValueError("the levels are not 1, 2, ... without a gap")
        for level in self.by_level.values():
            _check_level(level)

    @cached_property
    def actions(self) -> dict[str, str]:
        """The action of each primitive."""
        return dict(self.primitives)

    @cached_property
    def by_word(self) -> dict[str, Operator]:
        """Each operator under its word."""
        return {operator.word: operator for operator in self.operators}

    @cached_property
    def by_level(self) -> dict[int, list[Operator]]:
        """The operators of each level."""
        levels: dict[int, list[Operator]] = {}
        for operator in self.operators:
            levels.setdefault(operator.level, []).append(operator)
        return levels

    @property
    def depth(self) -> int:
        """The number of levels."""
        return max(self.by_level, default=0)

    def words(self, tree: Parse) -> tuple[str, ...]:
        """The command that `parse` reads as `tree`."""
        if not tree.arguments:
            return (tree.word,)
        sides = [self.words(argument) for argument in tree.arguments]
        if self.by_word[tree.word].kind is Fixity.PREFIX:
            return (tree.word, *sides[0])
        return (*sides[0], tree.word, *(sides[1] if len(sides) == 2 else ()))

    def meaning(self, tree: Parse) -> tuple[str, ...]:
        """The actions of a parse."""
        if not tree.arguments:
            return (self.actions[tree.word],)
        values = [self.meaning(argument) for argument in tree.arguments]
        actions: list[str] = []
        for item in self.by_word[tree.word].template:
            actions.extend((item,) if isinstance(item, str) else values[item])
        return tuple(actions)

    def size(self, tree: Parse) -> int:
        """The number of actions, without writing them: they can be exponentially many."""
        if not tree.arguments:
            return 1
        sizes = [self.size(argument) for argument in tree.arguments]
        return sum(1 if isinstance(item, str) else sizes[item] for item in self.by_word[tree.word].template)

    def parse(self, words: Sequence[str]) -> Parse:
        """The parse of a command; LaneError if it has none."""
        tree, end = self._read(self.depth, words, 0)
        if end < len(words):
            raise LaneError(f"{' '.join(words)!r}: word {end + 1}, {words[end]!r}, is not expected there")
        return tree

    def evaluate(self, words: Sequence[str]) -> tuple[str, ...]:
        """The actions of a command; LaneError if it has no parse."""
        return self.meaning(self.parse(words))

    def _read(self, level: int, words: Sequence[str], start: int) -> tuple[Parse, int]:
        """The longest expression of `level` from `start` on, and where it ends."""
        if level == 0:
            return self._read_primitive(words, start)
        kind = self.by_level[level][0].kind
        prefixes = []
        while kind is Fixity.PREFIX and self._is_of(level, words, start):
            prefixes.append(words[start])
            start += 1
        tree, end = self._read(level - 1, words, start)
        while kind is not Fixity.PREFIX and self._is_of(level, words, end):
            word = words[end]
            if kind is Fixity.POSTFIX:
                tree, end = Parse(word, (tree,)), end + 1
            else:
                right, after = self._read(level - 1, words, end + 1)
                tree, end = Parse(word, (tree, right)), after
        for word in reversed(prefixes):
            tree = Parse(word, (tree,))
        return tree, end

    def _read_primitive(self, words: Sequence[str], start: int) -> tuple[Parse, int]:
        if start >= len(words):
            raise LaneError(f"{' '.join(words)!r}: ends where an argument is needed")
        if words[start] not in self.actions:
            raise LaneError(f"{' '.join(words)!r}: word {start + 1}, {words[start]!r}, is not expected there")
        return Parse(words[start]), start + 1

    def _is_of(self, level: int, words: Sequence[str], at: int) -> bool:
        operator = self.by_word.get(words[at]) if at < len(words) else None
        return operator is not None and operator.level == level


def _check_level(operators: Sequence[Operator]) -> None:
    kinds = {operator.kind for operator in operators}
    if len(kinds) > 1:
        raise ValueError("the operators of a level are of more than one kind")
    # With two, `x a y b z` and `x b y a z` need opposite orders, and no fixed ranking of
    # neighbours, as a greedy Composer has, parses both.
    if Fixity.INFIX in kinds and len(operators) > 1:
        raise ValueError("a level has more than one infix operator")
    for operator in operators:
        if {item for item in operator.template if isinstance(item, int)} != set(range(operator.kind.arity)):
            raise ValueError(f"{operator.word!r} does not use each of its arguments")
