"""The core of the exported networks: numbers in, numbers out, and a status for any input."""

import torch
from torch import Tensor, nn

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.learned import Learned, LearnedTables, refused_rows, tables
from lane.models.model import LaneModel


class GuardedModel(nn.Module):
    """Greedy translation of any table of numbers; it never raises and has no mutable state.

    It computes in double precision: the last digits of a sum depend on the size of the batch, the number of
    threads and the library, and choices whose scores are a billionth apart must be the same everywhere.
    """

    learned_spans: Tensor
    learned_kind: Tensor
    allowed: Tensor
    root: Tensor

    def __init__(
        self, model: LaneModel, words: int, config: ModelConfig, learned: Learned | None = None
    ) -> None:
        super().__init__()
        self.refuses = learned is not None
        of = tables(learned, config.max_span, config.max_variables)
        self.register_buffer("learned_spans", of.spans)
        self.register_buffer("learned_kind", of.kind)
        self.register_buffer("allowed", of.allowed)
        self.register_buffer("root", of.root)
        self.words = words
        self.max_words = config.max_words
        self.model = model.double()

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Translate each row: word numbers, then zeros.  # [B, L] -> actions [total], length [B], status [B]

        The actions of all rows are concatenated; a row has none if its status is neither OK nor NOT_LEARNED.
        """
        status = self._status(words)
        good = torch.nonzero(status == symbols.OK)[:, 0]
        # One extra row of one word, so that an empty batch is no special case.
        one = torch.ones([1, 1], dtype=torch.int64, device=words.device)
        rows = torch.cat([nn.functional.pad(words, [0, 1])[good], nn.functional.pad(one, [0, words.size(1)])])
        width = int((rows != 0).sum(dim=1).max())
        found = self.model.translate(rows[:, :width])
        values, of_rows = found.values, found.values.status
        if self.refuses:
            learned = LearnedTables(self.learned_spans, self.learned_kind, self.allowed, self.root)
            refused = refused_rows(learned, found.spans, found.solution, found.arguments, found.root)
            # A translation that is too long has no actions in any case.
            refused = refused & (of_rows == symbols.OK)
            of_rows = torch.where(refused, torch.full_like(of_rows, symbols.NOT_LEARNED), of_rows)
        length = torch.zeros_like(status).scatter(0, good, values.length[:-1])
        status = status.scatter(0, good, of_rows[:-1])
        return values.actions[: int(length.sum())], length, status

    def _status(self, words: Tensor) -> Tensor:
        """The problem of each row before any derivation; the first one counts.  # [B, L] -> [B]"""
        count = (words != 0).sum(dim=1)
        position = torch.arange(words.size(1), device=words.device).unsqueeze(0)
        misplaced = (words != 0) != (position < count.unsqueeze(1))  # a zero with a word behind it
        unknown = ((words < 0) | (words > self.words) | misplaced).sum(dim=1) > 0
        status = unknown.to(torch.int64) * symbols.UNKNOWN_WORD
        status = torch.where(count > self.max_words, torch.full_like(status, symbols.TOO_MANY_WORDS), status)
        return torch.where(count == 0, torch.full_like(status, symbols.EMPTY), status)
