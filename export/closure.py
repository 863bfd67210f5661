"""The closure: every node that the greedy loop can build, over the whole vocabulary.

A node merges two neighbours, each of which is the variable, a word that is not recognised by itself, or an
unrecognised node. The limits bound the size of an unrecognised node, so there are finitely many.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.composer import Composer
from lane.models.nodes import Nodes

CHUNK = 4096  # pairs evaluated together; fixed, so that the same model gives the same numbers

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
    """The rows; `left_out` counts, by size, the nodes beyond the budget."""

    recognized: tuple[bool, ...]  # by word, from number 1 on: the check fires for the word alone
    rows: tuple[NodeRow, ...]
    left_out: dict[int, int] = field(default_factory=dict)


class _Layer(NamedTuple):
    """The unrecognised nodes of one size, which can be merged further."""

    trees: list[Tree]
    h: Tensor
    c: Tensor
    variables: list[int]


def leaves_of(tree: Tree) -> tuple[int, ...]:
    """The leaves of a tree from left to right."""
    return (tree,) if isinstance(tree, int) else leaves_of(tree[0]) + leaves_of(tree[1])


def close(composer: Composer, budget: int, met: Sequence[Nodes] = ()) -> Closure:
    """All nodes in order of size; of the sizes beyond `budget`, only the nodes of `met`."""
    leaves = composer.leaf_nodes()
    fires = [composer.recognizes and value > 0 for value in leaves.check.tolist()]
    open_leaves = [symbols.VARIABLE, *(w for w in range(1, composer.words + 1) if not fires[w])]
    variables = [int(leaf == symbols.VARIABLE) for leaf in open_leaves]
    layers = {1: _Layer(list(open_leaves), leaves.h[open_leaves], leaves.c[open_leaves], variables)}
    rows: list[NodeRow] = []
    left_out: dict[int, int] = {}
    for size in range(2, composer.max_span + 1):
        splits = [(a, size - a) for a in range(1, size) if a in layers and size - a in layers]
        count = sum(len(layers[a].trees) * len(layers[b].trees) for a, b in splits)
        if left_out or len(rows) + count > budget:
            # Larger nodes are built from these, so from here on the counts are lower bounds.
            left_out[size] = count
            continue
        made = [_merged(composer, layers[a], layers[b], size) for a, b in splits]
        rows += [row for layer_rows, _ in made for row in layer_rows]
        layers[size] = _joined([layer for _, layer in made])
    if left_out:
        rows += [row for row in _rows_of(composer, met) if len(row.leaves) in left_out]
    return Closure(tuple(fires[1:]), tuple(rows), left_out)


def _merged(composer: Composer, left: _Layer, right: _Layer, size: int) -> tuple[list[NodeRow], _Layer]:
    """The parents of all pairs of a left and a right node, and the unrecognised ones as a layer."""
    rows: list[NodeRow] = []
    kept: list[_Layer] = [_Layer([], left.h[:0], left.c[:0], [])]
    pairs = list(product(range(len(left.trees)), range(len(right.trees))))
    for chunk in _chunks(pairs):
        first, second = torch.tensor(chunk, dtype=torch.int64).T
        h, c = composer.merge(left.h[first], left.c[first], right.h[second], right.c[second])
        scores = composer.score(h).tolist()
        fires = [composer.recognizes and value > 0 for value in composer.check(h)[:, 0].tolist()]
        stays: list[int] = []
        for i, (a, b) in enumerate(chunk):
            variables = left.variables[a] + right.variables[b]
            free = size < composer.span_limit and variables < composer.variable_limit
            rows.append(NodeRow(left.trees[a], right.trees[b], scores[i], not free or fires[i]))
            if not rows[-1].recognized:
                stays.append(i)
        trees: list[Tree] = [(left.trees[chunk[i][0]], right.trees[chunk[i][1]]) for i in stays]
        counts = [left.variables[chunk[i][0]] + right.variables[chunk[i][1]] for i in stays]
        kept.append(_Layer(trees, h[stays], c[stays], counts))
    return rows, _joined(kept)


def _joined(layers: list[_Layer]) -> _Layer:
    return _Layer(
        [tree for layer in layers for tree in layer.trees],
        torch.cat([layer.h for layer in layers]),
        torch.cat([layer.c for layer in layers]),
        [count for layer in layers for count in layer.variables],
    )


def _chunks(pairs: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    for start in range(0, len(pairs), CHUNK):
        yield pairs[start : start + CHUNK]


def _rows_of(composer: Composer, met: Sequence[Nodes]) -> list[NodeRow]:
    """The distinct merged nodes of some batches as rows, in an order independent of the batches."""
    count = composer.words + 1
    rows: dict[Tree, NodeRow] = {}
    for nodes in met:
        trees: list[Tree] = list(range(count))
        checks, scores = nodes.check.tolist(), nodes.score.tolist()
        sizes, variables = nodes.size.tolist(), nodes.variables.tolist()
        for number, pair in enumerate(nodes.pair.tolist(), start=count):
            left, right = trees[pair // symbols.PAIR], trees[pair % symbols.PAIR]
            trees.append((left, right))
            free = sizes[number] < composer.span_limit and variables[number] < composer.variable_limit
            fires = composer.recognizes and checks[number] > 0
            rows.setdefault((left, right), NodeRow(left, right, scores[number], not free or fires))
    return sorted(rows.values(), key=lambda row: str(row[:2]))
