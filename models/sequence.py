"""The sequences under derivation: B rows of items, and the Memory that their variables point into."""

from typing import NamedTuple

import torch
from torch import Tensor

from lane.models import memory as mem
from lane.models import symbols
from lane.models.nodes import joined


class Sequences(NamedTuple):
    """Partially merged commands, one per row."""

    item: Tensor  # [B, W] the node at each position; undefined from `remaining` on
    held: Tensor  # [B, W, P] Memory slots of the variables inside the item, NONE after the last
    remaining: Tensor  # [B] number of items left
    memory: Tensor  # [B, K] see memory.py


def start(words: Tensor, recognized: Tensor, variables: int) -> Sequences:
    """Recognised words become variables at once, in slots from left to right.  # [B, L] both"""
    rows, width = words.size(0), words.size(1)
    none = torch.full_like(words, symbols.NONE)
    item = torch.where(recognized, torch.full_like(words, symbols.VARIABLE), words)
    slot = torch.where(recognized, recognized.to(torch.int64).cumsum(dim=1) - 1, none)
    held = torch.cat([slot.unsqueeze(2), none.unsqueeze(2).expand(rows, width, variables - 1)], dim=2)
    # Writing word i's step into its slot, for all words at once; column `width` takes the rest.
    step = torch.arange(width, device=words.device).expand(rows, width)
    memory = mem.empty(rows, width + 1, words)
    memory = memory.scatter(1, torch.where(recognized, slot, torch.full_like(slot, width)), step)
    return Sequences(item, held, (words > 0).sum(dim=1), memory[:, :width])


def slots_of_pair(rows: Sequences, at: Tensor) -> Tensor:
    """The slots of the items at `at` and `at + 1`, in order.  # [B] -> [B, P]"""
    place = at.view(-1, 1, 1).expand(-1, 1, rows.held.size(2))
    left = rows.held.gather(1, place)[:, 0]
    return joined(left, rows.held.gather(1, place + 1)[:, 0])


def replace_pair(rows: Sequences, at: Tensor, node: Tensor, slots: Tensor, alive: Tensor) -> Sequences:
    """Put `node` with `slots` in the place of the pair at `at`; rows that are not alive stay as they are."""
    width = rows.item.size(1) - 1
    position = torch.arange(width, device=at.device).unsqueeze(0)  # [1, W - 1]
    beyond = (position > at.unsqueeze(1)) & alive.unsqueeze(1)
    here = (position == at.unsqueeze(1)) & alive.unsqueeze(1)
    source = position + beyond.to(torch.int64)  # [B, W - 1]
    item = torch.where(here, node.unsqueeze(1), rows.item.gather(1, source))
    held = rows.held.gather(1, source.unsqueeze(2).expand(-1, -1, slots.size(1)))
    held = torch.where(here.unsqueeze(2), slots.unsqueeze(1), held)
    return Sequences(item, held, rows.remaining - alive.to(torch.int64), rows.memory)


def drop_candidate(candidate: Tensor, at: Tensor, alive: Tensor) -> Tensor:
    """Candidates after the merge at `at`: one pair fewer, those beyond it move up.  # [B, W] -> [B, W - 1]"""
    position = torch.arange(candidate.size(1) - 1, device=at.device).unsqueeze(0)
    beyond = (position >= at.unsqueeze(1)) & alive.unsqueeze(1)
    return candidate.gather(1, position + beyond.to(torch.int64))
