"""Training pairs as tensors: distinct, shortest first."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from lane.models.vocabulary import Vocabulary
from lane.trainer.data.pair import Pair


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of numbers, 0 behind the last of each.  # [B, longest]"""
    width = max((len(row) for row in rows), default=0)
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], dtype=torch.int64).view(
        -1, width
    )


class Examples:
    """Distinct pairs in order of length, and the same as numbers."""

    def __init__(self, pairs: Iterable[Pair], source: Vocabulary, target: Vocabulary) -> None:
        # Sorted, so that neither the order of a file nor repeated lines change a run.
        self.pairs = sorted(set(pairs), key=lambda pair: (len(pair.source), pair.source, pair.target))
        self.words = padded([[source.number(word) for word in pair.source] for pair in self.pairs])
        self.gold = padded([[target.number(word) for word in pair.target] for pair in self.pairs])
        self.length = torch.tensor([len(pair.source) for pair in self.pairs], dtype=torch.int64)
        self.gold_length = torch.tensor([len(pair.target) for pair in self.pairs], dtype=torch.int64)

    def __len__(self) -> int:
        return len(self.pairs)

    def words_of(self, index: Tensor) -> Tensor:
        """The words of some examples, no wider than the longest of them."""
        return self.words[index][:, : int(self.length[index].max())]

    def gold_of(self, index: Tensor) -> Tensor:
        """Their gold actions, likewise."""
        return self.gold[index][:, : int(self.gold_length[index].max())]
