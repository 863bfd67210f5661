"""Hash-consed nodes: each distinct subtree of a batch is stored once, with its vector and its scores."""

from typing import NamedTuple

import torch
from torch import Tensor

from lane.models import symbols


class Nodes(NamedTuple):
    """The distinct nodes so far: first all leaves, then the merged ones in order of creation.

    The total is carried as a number of its own: exporters fold the size of a tensor that grows in a loop
    into a wrong constant.
    """

    total: int
    h: Tensor  # [N, D]
    c: Tensor  # [N, D]
    score: Tensor  # [N] merge score <q, h>
    check: Tensor  # [N] logit of "recognisable"
    pair: Tensor  # [N - leaves] left * PAIR + right
    leaves: Tensor  # [N, max_span] the node's leaves, NONE after the last
    size: Tensor  # [N] number of leaves
    variables: Tensor  # [N] number of variables among them


def joined(left: Tensor, right: Tensor) -> Tensor:
    """The entries of each left row, then those of the right row, padded with NONE.  # [M, K] all"""
    width = left.size(1)
    taken = (left != symbols.NONE).sum(dim=1, keepdim=True)
    position = torch.arange(width, device=left.device).unsqueeze(0)
    source = torch.where(position < taken, position, width + position - taken)
    return torch.cat([left, right], dim=1).gather(1, source)


def place_pairs(nodes: Nodes, leaves: int, pair: Tensor) -> tuple[Tensor, Tensor]:
    """The node number of every pair, and the new pairs in the order of their numbers."""
    known = nodes.total - leaves
    distinct, place = torch.unique(torch.cat([nodes.pair, pair]), return_inverse=True)
    number = torch.full_like(distinct, symbols.NONE)
    number = number.scatter(0, place[:known], torch.arange(leaves, nodes.total, device=pair.device))
    fresh = torch.nonzero(number == symbols.NONE)[:, 0]
    total = nodes.total + fresh.size(0)
    number = number.scatter(0, fresh, torch.arange(nodes.total, total, device=pair.device))
    return number[place[known:]], distinct[fresh]


def distinct_rows(table: Tensor) -> tuple[Tensor, Tensor]:
    """A place of each distinct row of `table`, and which of them each row is.  # [B, L] -> [U], [B]

    Entries are node numbers or NONE. Column after column, rows that agree so far share a number: that is
    exact, in the order of the rows, and many times faster than comparing whole rows.
    """
    number = torch.zeros_like(table[:, 0])
    distinct = number
    for column in range(table.size(1)):
        distinct, number = torch.unique(number * symbols.PAIR + table[:, column] + 1, return_inverse=True)
    place = torch.arange(table.size(0), device=table.device)
    return torch.zeros_like(distinct).scatter(0, number, place), number


def distinct_spans(nodes: Nodes, node: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct spans of the nodes in `node`, and which of them each has; NONE stays.

    Trees that differ may have the same leaves.  # [B, S] -> [spans, max_span], [B, S]
    """
    taken = node != symbols.NONE
    used, place = torch.unique(node[taken], return_inverse=True)
    leaves = nodes.leaves[used]
    example, span = distinct_rows(leaves)
    return leaves[example], torch.full_like(node, symbols.NONE).masked_scatter(taken, span[place])
