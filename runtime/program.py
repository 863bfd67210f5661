"""The program: a trained model as finite tables, data only.

A node of the Composer is context-free, so a greedy model over a fixed vocabulary is a table of
nodes (the order of merges, and which nodes are recognised) and a table of rules (span to template).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lane.base.rule import VARIABLE, Rule
from lane.base.scheme import PLAIN, Schemes
from lane.runtime.bounds import (
    FORMAT_VERSION,
    MAX_PROVENANCE_BYTES,
    MAX_PROVENANCE_DEPTH,
    SPOKEN_VERSION,
    Limits,
)
from lane.runtime.errors import ProgramError
from lane.runtime.kind import RuleKind
from lane.runtime.program_tables import Tables

Tree: TypeAlias = "str | tuple[Tree, Tree]"
"""A leaf (`$` or an unrecognised word), or a merge of two trees."""


class Node(NamedTuple):
    """A merge of two items: the pair with the highest rank goes first, the leftmost on a tie."""

    left: Tree
    right: Tree
    rank: int
    recognized: bool


@dataclass(frozen=True)
class Program:
    """A program in canonical order, validated when it is made. See docs/format.md."""

    words: tuple[tuple[str, bool], ...]
    """Each word and whether it is recognised on its own, sorted."""
    actions: tuple[str, ...]
    nodes: tuple[Node, ...]
    rules: tuple[Rule, ...]
    limits: Limits
    complete: bool = True
    """No command over the vocabulary leads beyond the tables."""
    margin: float | None = None
    """The smallest distance between the best and the second-best choice met at export."""
    agreement: float | None = None
    """Share of unlabelled commands on which independent trainings agree."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Where it came from; any JSON, for people and for reproduction."""
    schemes: Schemes = PLAIN
    """How commands are split into words, and actions are joined."""
    kinds: tuple[RuleKind, ...] | None = None
    """What was learned: which rules may stand where. None: not known, and nothing can be refused."""
    tables: Tables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, low_high in (("margin", (0.0, float("inf"))), ("agreement", (0.0, 1.0))):
            _check_figure(name, getattr(self, name), *low_high)
        if unsafe := self.schemes.unsafe(self.actions):
            raise ProgramError("actions", f"{unsafe!r} stands for a control character or a line end")
        # A round trip through JSON, so that reading the file again gives an equal program.
        object.__setattr__(self, "provenance", _plain_json(self.provenance))
        object.__setattr__(self, "tables", Tables.compile(self))

    @classmethod
    def build(
        cls,
        *,
        words: Mapping[str, bool],
        nodes: Iterable[tuple[Tree, Tree, float, bool]],
        rules: Iterable[tuple[tuple[str, ...], tuple[str, ...], int]],
        limits: Limits,
        actions: Iterable[str] | None = None,
        complete: bool = True,
        margin: float | None = None,
        agreement: float | None = None,
        provenance: Mapping[str, Any] | None = None,
        schemes: Schemes = PLAIN,
        kinds: Iterable[RuleKind] | None = None,
    ) -> "Program":
        """Bring tables in any order, with any finite scores, into canonical order and ranks.

        `words` maps each word to whether it is recognised on its own; a node is (left, right, score,
        recognised), a rule (span, template, uses). `actions` defaults to those the rules use. `kinds` must
        be in canonical order already, since they refer to each other by number.
        """
        rule_rows = sorted((Rule(*row) for row in rules), key=lambda rule: (len(rule.span), rule.span))
        if actions is None:
            actions = {token for rule in rule_rows for token in rule.template if token[:1] != VARIABLE}
        return cls(
            words=tuple(sorted(words.items())),
            actions=tuple(sorted(actions)),
            nodes=_canonical_nodes(words, nodes),
            rules=tuple(rule_rows),
            limits=limits,
            complete=complete,
            margin=None if margin is None else float(margin),
            agreement=None if agreement is None else float(agreement),
            provenance=provenance or {},
            schemes=schemes,
            kinds=None if kinds is None else tuple(kinds),
        )

    @property
    def version(self) -> int:
        """Of the format that its file needs."""
        return SPOKEN_VERSION if self.schemes.is_spoken else FORMAT_VERSION

    @classmethod
    def loads(cls, data: bytes) -> "Program":
        """Read and validate the bytes of a `.lane` file; ProgramError if they are invalid."""
        from lane.runtime import codec

        return codec.decode(data)

    def dumps(self) -> bytes:
        """The bytes of its file: equal programs give equal bytes."""
        from lane.runtime import codec

        return codec.encode(self)

    @classmethod
    def load(cls, path: str | Path) -> "Program":
        """Read a `.lane` file."""
        from lane.runtime import codec

        return codec.load(Path(path))

    def save(self, path: str | Path) -> None:
        """Write a `.lane` file atomically."""
        from lane.runtime import codec

        codec.save(self, Path(path))


def _canonical_nodes(
    words: Mapping[str, bool], nodes: Iterable[tuple[Tree, Tree, float, bool]]
) -> tuple[Node, ...]:
    """Sort by leaves, left and right (leaves first, then nodes in this order); ranks become 0, 1, ..."""
    rows = list(nodes)
    rank_of = {score: rank for rank, score in enumerate(sorted({row[2] for row in rows}))}
    ids: dict[Tree, int] = {VARIABLE: 0}
    for word in sorted(word for word, recognized in words.items() if not recognized):
        ids[word] = len(ids)
    by_size: dict[int, list[tuple[Tree, Tree, float, bool]]] = {}
    for row in rows:
        by_size.setdefault(_size(row[0]) + _size(row[1]), []).append(row)
    ordered: list[Node] = []
    for size in sorted(by_size):
        try:
            group = sorted(by_size[size], key=lambda row: (ids[row[0]], ids[row[1]]))
        except KeyError as error:
            raise ProgramError(
                "nodes", f"{error.args[0]!r} is neither a leaf nor an unrecognised node"
            ) from None
        for left, right, score, recognized in group:
            ids[left, right] = len(ids)
            ordered.append(Node(left, right, rank_of[score], bool(recognized)))
    return tuple(ordered)


def _size(tree: Tree) -> int:
    return 1 if isinstance(tree, str) else _size(tree[0]) + _size(tree[1])


def _check_figure(name: str, value: float | None, low: float, high: float) -> None:
    if value is None:
        return
    finite = isinstance(value, float) and value - value == 0.0
    if not finite or not low <= value <= high:
        raise ProgramError(name, f"{value!r} is neither null nor a finite number in [{low}, {high}]")


def _plain_json(provenance: Mapping[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(provenance, allow_nan=False, ensure_ascii=False)
        size, plain = len(text.encode()), json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ProgramError("provenance", f"is not plain JSON: {error}") from None
    if size > MAX_PROVENANCE_BYTES:
        raise ProgramError("provenance", f"takes {size} bytes; at most {MAX_PROVENANCE_BYTES} are allowed")
    if not isinstance(plain, dict) or _is_deeper(plain, MAX_PROVENANCE_DEPTH):
        raise ProgramError("provenance", f"is not an object at most {MAX_PROVENANCE_DEPTH} levels deep")
    return plain


def _is_deeper(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in parts)
