"""Decisions: the best, or one drawn at a temperature, from the same scores."""

import torch
from torch import Tensor

from lane.models import symbols


def fires(logit: Tensor, temperature: Tensor | None) -> Tensor:
    """The check: p_c = sigmoid(logit) above 0.5, or drawn.  # [B, ...], [B] -> bool [B, ...]"""
    logit = logit.detach()
    if temperature is None:
        return logit > 0
    while temperature.dim() < logit.dim():
        temperature = temperature.unsqueeze(-1)
    p = torch.sigmoid(logit / temperature)
    return torch.rand_like(logit) < p + (0.5 - p) * _doubt(temperature)


def choose(score: Tensor, candidate: Tensor, temperature: Tensor | None) -> Tensor:
    """The merge: a position in each row of candidate nodes.  # [N], [B, W], [B] -> [B]"""
    scores = score.detach()[candidate.clamp(min=0)].masked_fill(candidate == symbols.NONE, symbols.IMPOSSIBLE)
    if temperature is None:
        return scores.argmax(dim=1)
    doubt = _doubt(temperature).unsqueeze(1)
    there = (candidate != symbols.NONE).to(scores.dtype)
    even = there / there.sum(dim=1, keepdim=True).clamp(min=1)
    return draw((1 - doubt) * torch.softmax(scores / temperature.unsqueeze(1), dim=1) + doubt * even)


def _doubt(temperature: Tensor) -> Tensor:
    """The share of uniform noise in a draw: none at temperature 1 and below, more above.

    No temperature reverses a choice of which the network is certain; with this an explorer still can.
    At a temperature of 2.5 it is 0.12 of a draw: of some ten decisions about one, so that the rest of the
    derivation still makes sense.
    """
    return 0.2 * (1 - 1 / temperature).clamp(min=0)


def draw(weight: Tensor) -> Tensor:
    """One index per row, drawn in proportion to the weights.  # [B, W] -> [B]"""
    total = weight.cumsum(dim=1)
    # The factor keeps the threshold below the last sum, where rounding could lift it to equality.
    threshold = torch.rand_like(total[:, :1]) * (1 - 1e-6) * total[:, -1:]
    return (total <= threshold).sum(dim=1)
