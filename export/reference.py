"""The reference for an export: one pass over the commands gives replies, margin and rules in use."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from lane.base.errors import LaneError
from lane.base.rule import VARIABLE
from lane.base.scheme import PLAIN, Schemes
from lane.data.checksum import checksum
from lane.data.pair import Pair
from lane.export import verify
from lane.export.batches import numbers, portions, table
from lane.export.compiler import Span
from lane.export.margins import Margin, smallest
from lane.export.probe import OK, Reply
from lane.models import symbols
from lane.models.checkpoint import Checkpoint
from lane.models.nodes import Nodes
from lane.runtime import errors

UNKNOWN_LENGTH = 10  # words of the longest command if no pairs are given; SCAN's has 9
LONGER = 10  # random commands are up to ten times as long: length must not change an answer
RECOMBINED = 1000  # commands that combine what was learned: enough to meet every rule in every place
ROUNDS = 20  # of such commands at most, where the program has no room for all nodes
NEW = 0.001  # share of nodes that a round must add to be followed by another
ROUNDING = 1e-9  # two ways to compute the same share differ by less


@dataclass(frozen=True)
class Given:
    """A command to verify with, and its output if the user gave one."""

    command: str
    output: str | None


@dataclass(frozen=True, kw_only=True)
class Refusals:
    """How many commands are refused: of those that combine what was learned, and of random words."""

    recombined: int
    recombined_refused: int
    example: str  # a recombined command that is refused, if there is one
    nonsense: int
    nonsense_refused: int

    def __str__(self) -> str:
        return (
            f"refuses {self.recombined_refused:,} of {self.recombined:,} recombined commands and "
            f"{self.nonsense_refused:,} of {self.nonsense:,} strings of random words"
        )


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The checkpoint's behaviour on the commands that every file is compared on."""

    commands: list[str]
    replies: list[Reply]
    uses: Counter[Span]  # how often each span is translated in the user's commands
    met: list[Nodes]  # the nodes of the user's commands
    margin: Margin | None
    misfits: tuple[str, ...]  # pairs whose output the model does not give, as text
    refusals: "Refusals | None"  # None: the model does not know what was learned

    def accuracy(self, given: Sequence[Given]) -> float:
        """The share of distinct pairs whose output the model gives."""
        pairs = {pair for pair in given if pair.output is not None}
        return 1 - len(set(self.misfits)) / max(1, len(pairs))

    @property
    def margin_size(self) -> float | None:
        """The smallest distance between the best and the second-best choice."""
        return None if self.margin is None else self.margin.size


def given_pairs(pairs: Iterable[Any], schemes: Schemes = PLAIN) -> list[Given]:
    """Pairs of texts or of word lists, objects with `source` and `target`, or commands without output."""
    found = []
    for number, pair in enumerate(pairs, start=1):
        try:
            if isinstance(pair, str):
                found.append(Given(" ".join(schemes.read(pair)), None))
            else:
                source, target = (pair.source, _output(pair)) if hasattr(pair, "source") else pair
                read, written = schemes.read(_text(source)), schemes.write(_text(target))
                found.append(Given(" ".join(read), " ".join(written)))
        except (TypeError, ValueError):
            raise LaneError(
                f"verification pair {number}: {pair!r}; a pair is two texts or two lists of words"
            ) from None
    return found


def _output(pair: Any) -> str | Sequence[str]:
    return pair.output if isinstance(pair, Pair) else pair.target


def _text(side: str | Sequence[str]) -> str:
    return side.strip() if isinstance(side, str) else " ".join(side)


def derive(checkpoint: Checkpoint, given: Sequence[Given], random: int) -> Reference:
    """Derive all commands once: the user's, random ones, and input that must be refused."""
    _refuse_foreign(given, checkpoint)
    model, source, max_words = checkpoint.model().double(), checkpoint.source, checkpoint.config.max_words
    data = list(dict.fromkeys(pair.command for pair in given))
    longest = max((len(command.split()) for command in data), default=UNKNOWN_LENGTH)
    invented = verify.random_commands(source.words, data, random, min(LONGER * longest, max_words))
    recombined = _recombined(checkpoint, min(2 * longest, max_words))
    commands = [*data, *invented, *recombined, *verify.bad_commands(source.words, max_words)]
    rows = [numbers(command, source) for command in commands]
    replies = [verify.refusal(row, max_words) for row in rows]
    margin: Margin | None = None
    uses: Counter[Span] = Counter()
    met: list[Nodes] = []
    # The user's commands are batched apart: only they count as uses.
    for places in (range(len(data)), range(len(data), len(rows))):
        good = [place for place in places if replies[place][0] == OK]
        for portion in portions([len(rows[place]) for place in good]):
            batch = [good[i] for i in portion]
            words = table([rows[place] for place in batch])
            rollout = model.rollout(words, None, 0, recorded=True)
            for place, reply in zip(batch, verify.replies(rollout, checkpoint), strict=True):
                replies[place] = reply
            thinnest = smallest(rollout, words)
            if thinnest is not None and (margin is None or thinnest.size < margin.size):
                margin = replace(thinnest, row=batch[thinnest.row])
            if places.start < len(data):
                uses += _count_spans(rollout.derivations.nodes.leaves, rollout.derivations.node)
                met.append(rollout.derivations.nodes)
    code_of = {command: code for command, (code, _) in zip(commands, replies, strict=True)}
    refused = [command for command in recombined if code_of[command] == errors.NOT_LEARNED]
    # Every second random command is made of random words; the others repeat parts of the data.
    nonsense = [code_of[command] for command in invented[:: 2 if data else 1]]
    refusals = Refusals(
        recombined=len(recombined),
        recombined_refused=len(refused),
        example=next(iter(refused), ""),
        nonsense=len(nonsense),
        nonsense_refused=nonsense.count(errors.NOT_LEARNED),
    )
    return Reference(
        commands=commands,
        replies=replies,
        uses=_uses_in_training(checkpoint) or uses or _listed_spans(checkpoint),
        met=met,
        margin=margin,
        misfits=tuple(_misfits(given, dict(zip(data, replies, strict=False)))),
        refusals=None if checkpoint.learned is None else refusals,
    )


def learned_nodes(checkpoint: Checkpoint, met: Sequence[Nodes]) -> list[Nodes]:
    """The nodes of the commands that combine what was learned: batches, until one has hardly a new node.

    For a table that cannot hold all nodes of the vocabulary: what is refused anyway can do without.
    """
    learned, composer = checkpoint.learned, checkpoint.model().double().composer
    if learned is None:
        return []
    longest = min(LONGER * UNKNOWN_LENGTH, checkpoint.config.max_words)
    keys = set[tuple[int, ...]]().union(*map(_keys, met))
    found: list[Nodes] = []
    for seed in range(ROUNDS):
        commands = learned.sample(RECOMBINED, verify.SEED + seed, longest)
        batches = [[commands[i] for i in portion] for portion in portions([len(one) for one in commands])]
        nodes = [composer.compose(table(batch), None).nodes for batch in batches]
        found += nodes
        known, keys = len(keys), keys.union(*map(_keys, nodes))
        if len(keys) - known <= NEW * len(keys):
            break
    return found


def _keys(nodes: Nodes) -> set[tuple[int, ...]]:
    """The leaves of the nodes; which were merged first does not matter here."""
    return set(map(tuple, nodes.leaves.tolist()))


def _recombined(checkpoint: Checkpoint, longest: int) -> list[str]:
    """Commands that combine what was learned."""
    if checkpoint.learned is None:
        return []
    found = checkpoint.learned.sample(RECOMBINED, verify.SEED, longest)
    return [" ".join(checkpoint.source.word(word) for word in words) for words in found]


def _uses_in_training(checkpoint: Checkpoint) -> Counter[Span]:
    """How often the training pairs use each rule, as training has counted."""
    learned = checkpoint.learned
    return Counter({span: rule.uses for span, rule in learned.rules.items()} if learned else {})


def _refuse_foreign(given: Sequence[Given], checkpoint: Checkpoint) -> None:
    for number, pair in enumerate(given, start=1):
        unknown = [word for word in pair.command.split() if word not in checkpoint.source]
        if unknown or not pair.command:
            problem = f"the model does not know {unknown[0]!r}" if unknown else "it has no words"
            raise LaneError(f"verification data, pair {number}: {problem}; give the data it was trained on")


def refuse_damage(checkpoint: Checkpoint, given: Sequence[Given], reference: Reference) -> None:
    """Measure the accuracy that the card states for its training pairs again, where these were given."""
    card = checkpoint.card
    pairs = [Pair.of(pair.command, pair.output) for pair in given if pair.output is not None]
    if not pairs or checksum(pairs) != card.data.sha256:
        return
    stated, measured = card.accuracy.get("train", 0.0), reference.accuracy(given)
    # Training also counts a word as wrong that is right by itself and never recognised in a phrase.
    if measured < stated - ROUNDING:
        raise LaneError(
            f"the card states {stated:.2%} of the training pairs right, but the model gets {measured:.2%}: "
            f"{next(iter(reference.misfits))}; the checkpoint is damaged or was edited: restore a copy, or "
            "train again"
        )


def _misfits(given: Sequence[Given], replies: dict[str, Reply]) -> Iterable[str]:
    for pair in given:
        code, text = replies[pair.command]
        if pair.output is not None and (code, text) != (OK, pair.output):
            got = repr(text) if code == OK else f"the error {code}"
            yield f"{pair.command!r} is {pair.output!r}, the model gives {got}"


def _count_spans(leaves: Tensor, node: Tensor) -> Counter[Span]:
    """How often each span is translated in a batch."""
    used, count = torch.unique(node[node != symbols.NONE], return_counts=True)
    uses: Counter[Span] = Counter()
    for span, n in zip(leaves[used].tolist(), count.tolist(), strict=True):
        uses[tuple(leaf for leaf in span if leaf != symbols.NONE)] += n
    return uses


def _listed_spans(checkpoint: Checkpoint) -> Counter[Span]:
    """The rules on the checkpoint's card, each used at least once: training listed them from its pairs."""
    spans: Counter[Span] = Counter()
    for rule in checkpoint.card.rules:
        words = ["" if word.startswith(VARIABLE) else word for word in rule.partition(" -> ")[0].split()]
        if all(not word or word in checkpoint.source for word in words):
            spans[tuple(checkpoint.source.number(w) if w else symbols.VARIABLE for w in words)] = 1
    return spans
