"""The core of the exported networks: numbers in, numbers out, and a status for whatever the input is."""

import torch
from torch import Tensor, nn

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.model import LaneModel


class GuardedModel(nn.Module):
    """Greedy translation of any table of numbers; it never raises, and holds nothing that changes.

    It computes in double precision: sums differ in their last digits with the size of a batch, the number of
    threads and the library, and choices a billionth apart must still be the same choices everywhere.
    """

    def __init__(self, model: LaneModel, words: int, config: ModelConfig) -> None:
        super().__init__()
        self.words = words
        self.max_words = config.max_words
        self.model = model.double()

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Translate each row: word numbers, then zeros.  # [B, L] -> actions [total], length [B], status [B]

        The actions of all rows stand one behind the other; a row whose status is not OK has none.
        """
        status = self._status(words)
        good = torch.nonzero(status == symbols.OK)[:, 0]
        # One row of one word more, so that a batch of nothing is no special case.
        one = torch.ones([1, 1], dtype=torch.int64, device=words.device)
        rows = torch.cat([nn.functional.pad(words, [0, 1])[good], nn.functional.pad(one, [0, words.size(1)])])
        width = int((rows != 0).sum(dim=1).max())
        values = self.model.translate(rows[:, :width])
        length = torch.zeros_like(status).scatter(0, good, values.length[:-1])
        status = status.scatter(0, good, values.status[:-1])
        return values.actions[: int(length.sum())], length, status

    def _status(self, words: Tensor) -> Tensor:
        """What is wrong with each row by itself; the first reason counts.  # [B, L] -> [B]"""
        count = (words != 0).sum(dim=1)
        position = torch.arange(words.size(1), device=words.device).unsqueeze(0)
        misplaced = (words != 0) != (position < count.unsqueeze(1))  # a zero with a word behind it
        unknown = ((words < 0) | (words > self.words) | misplaced).sum(dim=1) > 0
        status = unknown.to(torch.int64) * symbols.UNKNOWN_WORD
        status = torch.where(count > self.max_words, torch.full_like(status, symbols.TOO_MANY_WORDS), status)
        return torch.where(count == 0, torch.full_like(status, symbols.EMPTY), status)
