"""Margins: how far the best choice was from the second-best, over all choices of some commands."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lane.export.batches import portions, table
from lane.models import symbols
from lane.models.composer import Composer
from lane.models.model import LaneModel
from lane.models.nodes import Nodes, distinct_spans

THIN = 1e-5  # what single precision may get wrong; the exported files compute in double


@dataclass(frozen=True, order=True)
class Margin:
    """A distance, and the place in the derivation where it was met."""

    size: float
    kind: str  # merge, check or decode
    row: int  # of the commands


def smallest(model: LaneModel, commands: Sequence[Sequence[int]]) -> Margin | None:
    """The thinnest choice that the derivations of `commands` make; None where there was none to make."""
    found: list[Margin] = []
    for places in portions([len(command) for command in commands]):
        words = table([commands[place] for place in places])
        example, _ = model.composer.distinct_shapes(words)
        derivations = model.composer.compose(words[example], None)
        rows = example.tolist()
        replay = _Replay(model.composer, derivations.nodes)
        for place in rows:
            size, kind = min(replay.gaps(commands[places[place]]))
            found.append(Margin(size, kind, places[place]))
        for size, row in _decodes(model, derivations.nodes, derivations.node):
            found.append(Margin(size, "decode", places[rows[row]]))
        found = [min(found)]
    return found[0] if found else None


class _Replay:
    """The greedy loop over nodes that are already evaluated, for the distances between their scores."""

    def __init__(self, composer: Composer, nodes: Nodes) -> None:
        pairs = enumerate(nodes.pair.tolist(), start=composer.words + 1)
        self._number = {pair: number for number, pair in pairs}
        self._score, self._check = nodes.score.tolist(), nodes.check.tolist()
        small, few = nodes.size < composer.span_limit, nodes.variables < composer.variable_limit
        self._free: list[bool] = (small & few).tolist()
        if not composer.recognizes:
            # No check: it never fires, and is no choice.
            self._check = [-math.inf] * nodes.total

    def gaps(self, command: Sequence[int]) -> Iterator[tuple[float, str]]:
        """The distance at every choice."""
        for word in set(command):
            yield abs(self._check[word]), "check"
        items = [symbols.VARIABLE if self._check[word] > 0 else word for word in command]
        found = [self._pair(items, i) for i in range(len(items) - 1)]
        while found:
            scores = [self._score[number] for number in found]
            at = max(range(len(scores)), key=scores.__getitem__)
            node = found[at]
            # The same node elsewhere is no other choice: its score is the same to the last digit.
            others = [score for score, number in zip(scores, found, strict=True) if number != node]
            if others:
                yield scores[at] - max(others), "merge"
            if self._free[node]:
                yield abs(self._check[node]), "check"
            known = not self._free[node] or self._check[node] > 0
            items[at : at + 2] = [symbols.VARIABLE if known else node]
            del found[at]
            for i in (at - 1, at):
                if 0 <= i < len(found):
                    found[i] = self._pair(items, i)

    def _pair(self, items: list[int], at: int) -> int:
        return self._number[items[at] * symbols.PAIR + items[at + 1]]


def _decodes(model: LaneModel, nodes: Nodes, node: Tensor) -> Iterator[tuple[float, int]]:
    """The thinnest choice of each span's translation, with a row of `node` that has the span."""
    spans, span = distinct_spans(nodes, node)
    translations = model.solver.solve(spans, torch.arange(spans.size(0)), None, model.solver.template_limit)
    best = translations.log_prob.topk(2, dim=1).values
    gap = (best[:, 0] - best[:, 1]).masked_fill(translations.forced, float("inf"))
    of_span = gap[translations.prefix.clamp(min=0)].masked_fill(
        translations.prefix == symbols.NONE, float("inf")
    )
    thinnest = of_span.min(dim=1).values
    at = int(thinnest.argmin())
    if thinnest[at] < float("inf"):
        yield float(thinnest[at]), int((span == at).any(dim=1).nonzero()[0, 0])
