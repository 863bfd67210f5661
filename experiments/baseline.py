"""Baselines: plain sequence-to-sequence networks trained on the same pairs, until they gain no more."""

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.data.task import Task
from lane.trainer.dataset import padded

END = 0  # pads behind the end, and begins an output
CHUNK = 512  # pairs evaluated together; bounds memory
POOL = 4  # batches drawn together and sorted by length: little padding, and still at random


@dataclass(frozen=True)
class Recipe:
    """How one is trained: usual values, not tuned for any task."""

    size: int
    layers: int
    dropout: float
    heads: int = 8
    batch: int = 64
    rate: float = 1e-3
    clip: float = 1.0
    evaluate_every: int = 1000  # updates between two looks at the training accuracy
    patience: int = 5  # looks without a gain that end the training
    most_updates: int = 60_000
    shown: int = 1000  # pairs of a set to evaluate on at most: decoding is slow


# Sizes that the literature uses on SCAN: two layers of 200 for LSTMs, three of 128 for Transformers.
RECIPES = {
    "lstm": Recipe(size=200, layers=2, dropout=0.5),
    "transformer": Recipe(size=128, layers=3, dropout=0.1),
}


class Recurrent(nn.Module):
    """LSTM encoder in both directions, LSTM decoder with attention."""

    def __init__(self, words: int, actions: int, recipe: Recipe) -> None:
        super().__init__()
        size, layers, self.dropout = recipe.size, recipe.layers, nn.Dropout(recipe.dropout)
        between = recipe.dropout if layers > 1 else 0.0
        self.source = nn.Embedding(words + 1, size, padding_idx=END)
        self.target = nn.Embedding(actions + 1, size)
        self.encoder = nn.LSTM(size, size // 2, layers, batch_first=True, bidirectional=True, dropout=between)
        self.decoder = nn.LSTM(size, size, layers, batch_first=True, dropout=between)
        self.output = nn.Linear(2 * size, actions + 1)

    def forward(self, words: Tensor, begun: Tensor) -> Tensor:
        """Scores of the next action behind each beginning.  # [B, L], [B, T] -> [B, T, A]"""
        length = (words != END).sum(dim=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.source(words)), length.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, (h, c) = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)  # [B, L, D]
        # The last states of both directions side by side, layer by layer.
        state = tuple(torch.cat([s[0::2], s[1::2]], dim=2) for s in (h, c))
        decoded, _ = self.decoder(self.dropout(self.target(begun)), state)  # [B, T, D]
        energy = decoded @ memory.transpose(1, 2) / math.sqrt(decoded.size(2))  # [B, T, L]
        absent = (words[:, : memory.size(1)] == END).unsqueeze(1)
        context = torch.softmax(energy.masked_fill(absent, -1e9), dim=2) @ memory
        scores: Tensor = self.output(self.dropout(torch.cat([decoded, context], dim=2)))
        return scores


class Attentive(nn.Module):
    """A Transformer with as many layers on each side."""

    def __init__(self, words: int, actions: int, recipe: Recipe) -> None:
        super().__init__()
        size = recipe.size
        self.source = nn.Embedding(words + 1, size)
        self.target = nn.Embedding(actions + 1, size)
        for table in (self.source, self.target):
            nn.init.normal_(table.weight, std=size**-0.5)  # as large as the sines after scaling
        # Norms first, as is usual without a warm-up of the rate.
        layer = nn.TransformerEncoderLayer(
            size, recipe.heads, 4 * size, recipe.dropout, batch_first=True, norm_first=True
        )
        layers = recipe.layers
        encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(size), enable_nested_tensor=False)
        self.body = nn.Transformer(
            size,
            recipe.heads,
            layers,
            layers,
            4 * size,
            recipe.dropout,
            custom_encoder=encoder,
            batch_first=True,
            norm_first=True,
        )
        self.output = nn.Linear(size, actions + 1)

    def forward(self, words: Tensor, begun: Tensor) -> Tensor:
        """Scores of the next action behind each beginning.  # [B, L], [B, T] -> [B, T, A]"""
        absent = words == END
        later = nn.Transformer.generate_square_subsequent_mask(begun.size(1), device=words.device) < 0
        decoded = self.body(
            self._placed(self.source(words)),
            self._placed(self.target(begun)),
            tgt_mask=later,
            src_key_padding_mask=absent,
            memory_key_padding_mask=absent,
        )
        scores: Tensor = self.output(decoded)
        return scores

    def _placed(self, embedded: Tensor) -> Tensor:
        """With sines of the position added, so that any length can be read.  # [B, T, D]"""
        size = embedded.size(2)
        place = torch.arange(embedded.size(1), device=embedded.device).unsqueeze(1)
        wave = torch.exp(torch.arange(0, size, 2, device=embedded.device) * (-math.log(10_000.0) / size))
        sines = torch.stack([torch.sin(place * wave), torch.cos(place * wave)], dim=2).flatten(1)
        return embedded * math.sqrt(size) + sines


KINDS: dict[str, Callable[[int, int, Recipe], nn.Module]] = {"lstm": Recurrent, "transformer": Attentive}


@dataclass(frozen=True)
class Measured:
    """The result of one baseline."""

    task: str
    kind: str
    seed: int
    parameters: int
    updates: int
    stopped: bool  # by the plateau, and not after the most updates
    seconds: float  # of one core, in training
    accuracy: dict[str, float]


def measure(
    task: Task,
    kind: str,
    seed: int,
    recipe: Recipe | None = None,
    sets: Sequence[tuple[str, tuple[Pair, ...]]] = (),
) -> dict[str, Any]:
    """Train in one thread, and evaluate on samples of the training pairs, the test pairs and other sets."""
    recipe = recipe or RECIPES[kind]
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    source = Vocabulary.of(pair.source for pair in (*task.train, *task.test))
    target = Vocabulary.of(pair.target for pair in (*task.train, *task.test))
    network = KINDS[kind](len(source), len(target), recipe)
    started = time.process_time()
    shown = random.Random(seed).sample(task.train, min(len(task.train), recipe.shown))
    data, look = _tensors(task.train, source, target), _tensors(shown, source, target)
    updates, stopped = _train(network, data, look, recipe)
    spent = time.process_time() - started
    accuracy = {}
    for name, pairs in (("train", task.train), ("test", task.test), *sets):
        some = random.Random(seed).sample(pairs, min(len(pairs), recipe.shown))
        if some:
            accuracy[name] = _accuracy(network, _tensors(some, source, target))
    parameters = sum(p.numel() for p in network.parameters())
    measured = Measured(
        task=task.name,
        kind=kind,
        seed=seed,
        parameters=parameters,
        updates=updates,
        stopped=stopped,
        seconds=round(spent, 1),
        accuracy=accuracy,
    )
    return asdict(measured)


def _tensors(pairs: Sequence[Pair], source: Vocabulary, target: Vocabulary) -> tuple[Tensor, Tensor]:
    words = padded([[source.number(word) for word in pair.source] for pair in pairs])
    actions = padded([[target.number(action) for action in pair.target] for pair in pairs])
    return words, actions


def _train(
    network: nn.Module, data: tuple[Tensor, Tensor], look: tuple[Tensor, Tensor], recipe: Recipe
) -> tuple[int, bool]:
    """Teacher forcing on batches of any pairs, until the accuracy on `look` gains no more.

    Gives the number of updates, and whether they ended by that.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=recipe.rate)
    best, since = 0.0, 0
    for update, index in enumerate(_batches(data[1], recipe), start=1):
        network.train()
        words, actions = (_trimmed(part[index]) for part in data)
        begun = nn.functional.pad(actions, [1, 0], value=END)
        wanted = nn.functional.pad(actions, [0, 1], value=END)
        # Tokens after the first END are padding.
        counts = torch.arange(wanted.size(1)) <= (actions != END).sum(dim=1, keepdim=True)
        loss = nn.functional.cross_entropy(network(words, begun)[counts], wanted[counts])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
        optimizer.step()
        if update % recipe.evaluate_every == 0:
            right = _accuracy(network, look)
            best, since = (right, 0) if right > best else (best, since + 1)
            if right == 1 or since >= recipe.patience:
                return update, True
    return recipe.most_updates, False


def _batches(actions: Tensor, recipe: Recipe) -> Iterator[Tensor]:
    """Indices of pairs, drawn for each update; pairs of similar length share a batch, which is faster."""
    length = (actions != END).sum(dim=1)
    batches: list[Tensor] = []
    for _ in range(recipe.most_updates):
        if not batches:
            index = torch.randint(len(actions), [recipe.batch * POOL])
            drawn = index[length[index].argsort()].view(POOL, recipe.batch)
            batches = list(drawn[torch.randperm(POOL)])
        yield batches.pop()


def _trimmed(rows: Tensor) -> Tensor:
    return rows[:, : int((rows != END).sum(dim=1).max())]


@torch.no_grad()
def _accuracy(network: nn.Module, data: tuple[Tensor, Tensor]) -> float:
    """The share of exactly right greedy translations."""
    network.eval()
    right = 0
    for start in range(0, len(data[0]), CHUNK):
        words, actions = (_trimmed(part[start : start + CHUNK]) for part in data)
        # One step more than the longest output: a row that has not ended by then is wrong.
        said = _greedy(network, words, actions.size(1) + 1)
        right += int((said == nn.functional.pad(actions, [0, 1], value=END)).all(dim=1).sum())
    return right / len(data[0])


def _greedy(network: nn.Module, words: Tensor, steps: int) -> Tensor:
    """The likeliest actions one after the other, END behind the end.  # [B, L] -> [B, steps]"""
    begun = torch.full([len(words), 1], END)
    ended = torch.zeros([len(words)], dtype=torch.bool)
    for _ in range(steps):
        following = network(words, begun)[:, -1].argmax(dim=1)
        following = following.masked_fill(ended, END)
        ended |= following == END
        begun = torch.cat([begun, following.unsqueeze(1)], dim=1)
        if bool(ended.all()):
            break
    said = begun[:, 1:]
    return nn.functional.pad(said, [0, steps - said.size(1)], value=END)
