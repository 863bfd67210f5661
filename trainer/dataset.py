"""A data set: pairs, their vocabularies, and the same pairs as tensors."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from lane.base.phrase import Phrase, join_phrases
from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair

CHUNK = 2048  # examples evaluated at once: enough to fill a core, few enough for a laptop's memory


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of numbers as a tensor, padded with 0 at the end.  # [B, longest]"""
    width = max((len(row) for row in rows), default=0)
    full = [[*row, *[0] * (width - len(row))] for row in rows]
    return torch.tensor(full, dtype=torch.int64).view(len(rows), width)


class Dataset:
    """Distinct pairs, shortest first, as tensors of numbers in both vocabularies."""

    def __init__(
        self, pairs: Iterable[Pair], source: Vocabulary, target: Vocabulary, phrases: Sequence[Phrase] = ()
    ) -> None:
        self.source, self.target, self.phrases = source, target, tuple(phrases)
        pairs = map(self.joined, pairs)
        # Sorted and distinct: neither the order of a file nor repeated lines change a run.
        self.pairs = sorted(set(pairs), key=lambda pair: (len(pair.source), pair.source, pair.target))
        self.words = padded([[source.number(word) for word in pair.source] for pair in self.pairs])
        self.gold = padded([[target.number(word) for word in pair.target] for pair in self.pairs])
        self.length = torch.tensor([len(pair.source) for pair in self.pairs], dtype=torch.int64)
        self.gold_length = torch.tensor([len(pair.target) for pair in self.pairs], dtype=torch.int64)
        in_phrases = {word for pair in self.pairs if len(pair.source) > 1 for word in pair.source}
        # No phrase trains the check of a word that only occurs alone: its own example must.
        self.must_be_whole = torch.tensor(
            [len(pair.source) > 1 or pair.source[0] not in in_phrases for pair in self.pairs],
            dtype=torch.bool,
        )

    @classmethod
    def of(cls, pairs: Sequence[Pair], phrases: Sequence[Phrase] = ()) -> "Dataset":
        """The pairs with the vocabularies of their words and phrases."""
        source = Vocabulary.of(join_phrases(pair.source, phrases) for pair in pairs)
        return cls(pairs, source, Vocabulary.of(pair.target for pair in pairs), phrases)

    def __len__(self) -> int:
        return len(self.pairs)

    def __reduce__(self) -> tuple[type["Dataset"], tuple[Any, ...]]:
        """Another process makes the tensors itself: they are larger than the pairs."""
        return Dataset, (self.pairs, self.source, self.target, self.phrases)

    def joined(self, pair: Pair) -> Pair:
        """The pair with each phrase of its command as one word."""
        return Pair(tuple(join_phrases(pair.source, self.phrases)), pair.target) if self.phrases else pair

    def like(self, pairs: Iterable[Pair]) -> "Dataset":
        """Other pairs over the same vocabularies."""
        return Dataset(pairs, self.source, self.target, self.phrases)

    def chunks(self, index: Tensor | None = None) -> list[Tensor]:
        """The indices of all examples, or `index`, in chunks that bound the memory of an evaluation."""
        every = torch.arange(len(self)) if index is None else index
        return [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]

    def words_of(self, index: Tensor) -> Tensor:
        """The words of the examples of `index`, trimmed to the longest.  # [B] -> [B, L]"""
        return self.words[index][:, : int(self.length[index].max())]

    def gold_of(self, index: Tensor) -> Tensor:
        """Their gold actions, likewise.  # [B] -> [B, G]"""
        return self.gold[index][:, : int(self.gold_length[index].max())]

    def contradictions(self) -> int:
        """How many inputs have more than one output."""
        return sum(outputs > 1 for outputs in Counter(pair.source for pair in self.pairs).values())

    def not_alone(self) -> tuple[int, ...]:
        """The actions that occur in no output of a single word."""
        alone = set(self.gold[self.length == 1].flatten().tolist())
        return tuple(sorted(set(self.gold.flatten().tolist()) - alone - {0}))

    def known(self) -> dict[tuple[int, ...], tuple[int, ...]]:
        """The gold actions of each command, as numbers."""
        rows = zip(self.words.tolist(), self.gold.tolist(), strict=True)
        return {_without_padding(words): _without_padding(gold) for words, gold in rows}


def _without_padding(row: list[int]) -> tuple[int, ...]:
    return tuple(number for number in row if number)
