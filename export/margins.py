"""Margins: the distance from the best choice to the second-best, over all choices of a rollout."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.composer import Derivations
from lane.models.model import Rollout

THIN = 1e-5  # single precision may decide such a choice either way; the exported files compute in double


@dataclass(frozen=True, order=True)
class Margin:
    """A distance, and where in the derivations it occurs."""

    size: float
    kind: str  # merge, check or decode
    row: int  # of the batch


def smallest(rollout: Rollout, words: Tensor) -> Margin | None:
    """The smallest margin in a recorded rollout of `words`; None where there was no choice."""
    found = [Margin(float(gaps.min()), kind, int(gaps.argmin())) for kind, gaps in _gaps(rollout, words)]
    thinnest = min(found)
    return thinnest if thinnest.size < float("inf") else None


def _gaps(rollout: Rollout, words: Tensor) -> Iterator[tuple[str, Tensor]]:
    """By kind of choice, the smallest distance in each row; infinite where it has none.  # [B, L] -> [B]"""
    derivations = rollout.derivations
    yield "merge", _merges(derivations)
    node = torch.cat([words, derivations.merged.clamp(min=0)], dim=1)
    yield "check", _nearest(derivations.nodes.check[node].abs(), derivations.decided)
    yield "decode", _decodes(rollout)


def _merges(derivations: Derivations) -> Tensor:
    """From the chosen pair to the best other one, over all rounds.  # -> [B]"""
    candidate, chosen = derivations.candidates, derivations.merged.unsqueeze(2)  # [B, R, R], [B, R, 1]
    score = derivations.nodes.score
    # The same node in another place is not another choice: its score is the same to the last digit.
    other = (candidate != symbols.NONE) & (candidate != chosen) & (chosen != symbols.NONE)
    gap = score[chosen.clamp(min=0)] - score[candidate.clamp(min=0)]
    return _nearest(gap.flatten(1), other.flatten(1))


def _decodes(rollout: Rollout) -> Tensor:
    """From the chosen token to the next best, over the templates of all steps.  # -> [B]"""
    translations, solution = rollout.translations, rollout.solution  # [B, S]
    best = translations.log_prob.topk(2, dim=1).values
    gap = (best[:, 0] - best[:, 1]).masked_fill(translations.forced, float("inf"))  # [K]
    of_span = _nearest(gap[translations.prefix.clamp(min=0)], translations.prefix != symbols.NONE)
    return _nearest(of_span[solution.clamp(min=0)], solution != symbols.NONE)


def _nearest(gap: Tensor, chosen: Tensor) -> Tensor:
    """The smallest gap of each row, where there was a choice.  # [B, N] both -> [B]"""
    infinite = gap.new_full([gap.size(0), 1], float("inf"))
    return torch.cat([gap.masked_fill(~chosen, float("inf")), infinite], dim=1).min(dim=1).values
