"""The closure: every node that the greedy loop can build, over the whole vocabulary.

A node merges two neighbours, each of which is the variable, a word that is not recognised by itself, or an
unrecognised node. The limits bound the size of an unrecognised node, so there are finitely many; the order of
the merges leaves out most of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.composer import Composer
from lane.models.nodes import Nodes

CHUNK = 4096  # pairs evaluated together; fixed, so that the same model gives the same numbers
CELLS = 1 << 21  # pairs looked up together: some 100 MB
PAIRS = (
    1 << 26
)  # of one size that are looked up: seconds; with more pairs, the nodes exceed the budget anyway
ROUNDING = 1e-9  # scores differ by less between batches: merges this close may come in either order

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""A leaf, as a word number or VARIABLE, or a merge of two trees."""


class NodeRow(NamedTuple):
    """One node of the program's table."""

    left: Tree
    right: Tree
    score: float
    recognized: bool

    @property
    def leaves(self) -> tuple[int, ...]:
        """Its words and variables from left to right."""
        return leaves_of((self.left, self.right))


@dataclass(frozen=True)
class Closure:
    """The rows: all nodes of fewer leaves than `left_out`, and from there on some."""

    recognized: tuple[bool, ...]  # by word, from number 1 on: the check fires for the word alone
    rows: tuple[NodeRow, ...]
    left_out: int | None = None  # the smallest size that the budget has no room for; None: complete


def leaves_of(tree: Tree) -> tuple[int, ...]:
    """The leaves of a tree from left to right."""
    return (tree,) if isinstance(tree, int) else leaves_of(tree[0]) + leaves_of(tree[1])


def close(composer: Composer, budget: int, met: Sequence[Nodes] = ()) -> Closure:
    """All nodes in order of size while `budget` has room; of larger sizes the nodes of `met`, in any case."""
    leaves = composer.leaf_nodes()
    fires = [composer.recognizes and value > 0 for value in leaves.check.tolist()]
    open_leaves = [symbols.VARIABLE, *(w for w in range(1, composer.words + 1) if not fires[w])]
    wanted = _rows_of(composer, met)
    table = _Table(composer, open_leaves, leaves)
    left_out = None
    for size in range(2, composer.max_span + 1):
        beyond = sum(row_size > size for row_size in wanted.values())
        if not table.grow(size, budget - beyond):
            left_out = size
            break
    rows = table.rows
    if left_out is not None:
        rows += [row for row, size in wanted.items() if size >= left_out]
    return Closure(tuple(fires[1:]), tuple(rows), left_out)


class _Table:
    """The rows so far, and the unrecognised nodes, numbered in order of size: first the leaves, `$` is 0."""

    def __init__(self, composer: Composer, open_leaves: list[int], leaves: Nodes) -> None:
        self.composer = composer
        self.rows: list[NodeRow] = []
        self.trees: list[Tree] = list(open_leaves)
        self.range = {1: range(len(open_leaves))}  # the numbers of each size
        self.h, self.c = leaves.h[open_leaves], leaves.c[open_leaves]
        self.variables = leaves.variables[open_leaves]
        self.left = torch.full_like(self.variables, symbols.NONE)  # the parts of each; a leaf has none
        self.right = self.left
        self.score = torch.full_like(self.h[:, 0], -torch.inf)  # that its parts were merged by
        # Of all pairs so far, recognised ones too, in the order of the keys:
        self.keys = self.left[:0]
        self.scores = self.score[:0]

    def grow(self, size: int, budget: int) -> bool:
        """Add all nodes of a size; False, and none, if there would be more rows than `budget`."""
        room = budget - len(self.rows)
        pairs = self._pairs(size, room)
        if pairs is None:
            return False
        composer, left, right = self.composer, *pairs
        made = [self._merged(left[i : i + CHUNK], right[i : i + CHUNK]) for i in range(0, len(left), CHUNK)]
        if not made:
            return True
        h, c, score, fires = (torch.cat(parts) for parts in zip(*made, strict=True))
        variables = self.variables[left] + self.variables[right]
        free = (variables < composer.variable_limit) & (size < composer.span_limit)
        stays = free & ~fires
        self._add_rows(left, right, score, ~stays)
        self._add_open(size, (h[stays], c[stays], variables[stays], left[stays], right[stays], score[stays]))
        return True

    def _pairs(self, size: int, room: int) -> tuple[Tensor, Tensor] | None:
        """The pairs of a size that the loop can come to; None if there are more than `room`."""
        splits = [
            (self.range[a], self.range[size - a]) for a in range(1, size) if {a, size - a} <= {*self.range}
        ]
        if sum(len(first) * len(second) for first, second in splits) > PAIRS:
            return None
        found, count = [(self.left[:0], self.left[:0])], 0
        for first, second in splits:
            for left, right in _products(first, second):
                meets = self._can_meet(left, right)
                found.append((left[meets], right[meets]))
                count += len(found[-1][0])
                if count > room:
                    return None
        lefts, rights = zip(*found, strict=True)
        return torch.cat(lefts), torch.cat(rights)

    def _can_meet(self, left: Tensor, right: Tensor) -> Tensor:
        """Whether the two can stand side by side: a merge inside one of them came last, and was the best.

        Just before, the left one was still in two parts, the second of which stood beside the right one, and
        merging these two was no better; or the other way round. Leaves were there from the start. A variable
        may have come last of all, in place of a recognised node of any score.
        """
        leaves = len(self.range[1])
        always = (
            (left == symbols.VARIABLE) | (right == symbols.VARIABLE) | ((left < leaves) & (right < leaves))
        )
        left_last = self.score[left] >= self._score_of(self.right[left], right) - ROUNDING
        right_last = self.score[right] >= self._score_of(left, self.left[right]) - ROUNDING
        return always | left_last | right_last

    def _score_of(self, left: Tensor, right: Tensor) -> Tensor:
        """The scores of some pairs; infinite where the loop never comes to the pair."""
        if not len(self.keys):
            return torch.full_like(self.score[left], torch.inf)
        key = left * symbols.PAIR + right
        place = torch.searchsorted(self.keys, key).clamp(max=len(self.keys) - 1)
        there = (self.keys[place] == key) & (left != symbols.NONE) & (right != symbols.NONE)
        return self.scores[place].masked_fill(~there, torch.inf)

    def _merged(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Vectors, score and check of the parents."""
        composer = self.composer
        h, c = composer.merge(self.h[left], self.c[left], self.h[right], self.c[right])
        fires = (
            composer.check(h)[:, 0] > 0 if composer.recognizes else torch.zeros_like(left, dtype=torch.bool)
        )
        return h, c, composer.score(h), fires

    def _add_rows(self, left: Tensor, right: Tensor, score: Tensor, recognized: Tensor) -> None:
        columns = (column.tolist() for column in (left, right, score, recognized))
        self.rows += [
            NodeRow(self.trees[a], self.trees[b], value, known)
            for a, b, value, known in zip(*columns, strict=True)
        ]
        self.keys, order = torch.cat([self.keys, left * symbols.PAIR + right]).sort()
        self.scores = torch.cat([self.scores, score])[order]

    def _add_open(self, size: int, columns: tuple[Tensor, ...]) -> None:
        h, c, variables, left, right, score = columns
        first = len(self.trees)
        self.trees += [
            (self.trees[a], self.trees[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)
        ]
        self.range[size] = range(first, len(self.trees))
        self.h, self.c = torch.cat([self.h, h]), torch.cat([self.c, c])
        self.variables = torch.cat([self.variables, variables])
        self.left, self.right = torch.cat([self.left, left]), torch.cat([self.right, right])
        self.score = torch.cat([self.score, score])


def _products(first: range, second: range) -> Iterator[tuple[Tensor, Tensor]]:
    """All pairs of two ranges, in parts of bounded size."""
    rights = torch.tensor(second, dtype=torch.int64)
    step = max(1, CELLS // max(1, len(second)))
    for start in range(0, len(first), step):
        part = torch.tensor(first[start : start + step], dtype=torch.int64)
        yield part.repeat_interleave(len(second)), rights.repeat(len(part))


def _rows_of(composer: Composer, met: Sequence[Nodes]) -> dict[NodeRow, int]:
    """The distinct merged nodes of some batches with their sizes, in an order independent of the batches."""
    count = composer.words + 1
    rows: dict[Tree, tuple[NodeRow, int]] = {}
    for nodes in met:
        trees: list[Tree] = list(range(count))
        checks, scores = nodes.check.tolist(), nodes.score.tolist()
        sizes, variables = nodes.size.tolist(), nodes.variables.tolist()
        for number, pair in enumerate(nodes.pair.tolist(), start=count):
            left, right = trees[pair // symbols.PAIR], trees[pair % symbols.PAIR]
            trees.append((left, right))
            free = sizes[number] < composer.span_limit and variables[number] < composer.variable_limit
            fires = composer.recognizes and checks[number] > 0
            row = NodeRow(left, right, scores[number], not free or fires)
            rows.setdefault((left, right), (row, sizes[number]))
    return dict(sorted(rows.values(), key=lambda found: str(found[0][:2])))
