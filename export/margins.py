"""Margins: the distance from the best choice to the second-best, over all choices of some commands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lane.export.batches import portions, table
from lane.models import symbols
from lane.models.composer import Derivations
from lane.models.model import LaneModel
from lane.models.nodes import distinct_spans

THIN = 1e-5  # single precision may decide such a choice either way; the exported files compute in double


@dataclass(frozen=True, order=True)
class Margin:
    """A distance, and where in the derivations it occurs."""

    size: float
    kind: str  # merge, check or decode
    row: int  # of the commands


def smallest(model: LaneModel, commands: Sequence[Sequence[int]]) -> Margin | None:
    """The smallest margin in the derivations of `commands`; None where there was no choice."""
    found: list[Margin] = []
    for places in portions([len(command) for command in commands]):
        words = table([commands[place] for place in places])
        for kind, gaps in _gaps(model, words):
            row = int(gaps.argmin())
            found.append(Margin(float(gaps[row]), kind, places[row]))
    thinnest = min(found, default=None)
    return thinnest if thinnest is not None and thinnest.size < float("inf") else None


def _gaps(model: LaneModel, words: Tensor) -> Iterator[tuple[str, Tensor]]:
    """By kind of choice, the smallest distance in each row; infinite where it has none.  # [B, L] -> [B]"""
    example, shape = model.composer.distinct_shapes(words)
    derivations = model.composer.compose(words[example], None, recorded=True)
    yield "merge", _merges(derivations)[shape]
    # The check of a word is a choice of every row that has it, whatever its shape.
    merged = derivations.merged[shape]
    node = torch.cat([words, merged.clamp(min=0)], dim=1)
    yield "check", _nearest(derivations.nodes.check[node].abs(), derivations.decided[shape])
    yield "decode", _decodes(model, derivations, shape, words)


def _merges(derivations: Derivations) -> Tensor:
    """From the chosen pair to the best other one, over all rounds.  # -> [B]"""
    candidate, chosen = derivations.candidates, derivations.merged.unsqueeze(2)  # [B, R, R], [B, R, 1]
    score = derivations.nodes.score
    # The same node in another place is not another choice: its score is the same to the last digit.
    other = (candidate != symbols.NONE) & (candidate != chosen) & (chosen != symbols.NONE)
    gap = score[chosen.clamp(min=0)] - score[candidate.clamp(min=0)]
    return _nearest(gap.flatten(1), other.flatten(1))


def _decodes(model: LaneModel, derivations: Derivations, shape: Tensor, words: Tensor) -> Tensor:
    """From the chosen token to the next best, over the templates of all steps.  # -> [B]"""
    node = derivations.node[shape]  # [B, S]
    of_words = torch.where(node[:, : words.size(1)] == symbols.NONE, symbols.NONE, words)
    node = torch.cat([of_words, node[:, words.size(1) :]], dim=1)
    spans, span = distinct_spans(derivations.nodes, node)
    translations = model.solver.solve(spans, torch.arange(spans.size(0)), None, model.solver.template_limit)
    best = translations.log_prob.topk(2, dim=1).values
    gap = (best[:, 0] - best[:, 1]).masked_fill(translations.forced, float("inf"))  # [K]
    of_span = _nearest(gap[translations.prefix.clamp(min=0)], translations.prefix != symbols.NONE)
    return _nearest(of_span[span.clamp(min=0)], span != symbols.NONE)


def _nearest(gap: Tensor, chosen: Tensor) -> Tensor:
    """The smallest gap of each row, where there was a choice.  # [B, N] both -> [B]"""
    infinite = gap.new_full([gap.size(0), 1], float("inf"))
    return torch.cat([gap.masked_fill(~chosen, float("inf")), infinite], dim=1).min(dim=1).values
