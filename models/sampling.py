"""Decisions: the best, or one drawn at a temperature, from the same scores."""

import torch
from torch import Tensor

from lane.models import codes


def fires(logit: Tensor, temperature: Tensor | None) -> Tensor:
    """The check: p_c = sigmoid(logit) above 0.5, or drawn.  # [B, ...], [B] -> bool [B, ...]"""
    logit = logit.detach()
    if temperature is None:
        return logit > 0
    while temperature.dim() < logit.dim():
        temperature = temperature.unsqueeze(-1)
    return torch.rand_like(logit) < torch.sigmoid(logit / temperature)


def choose(score: Tensor, candidate: Tensor, temperature: Tensor | None) -> Tensor:
    """The merge: a position in each row of candidate nodes.  # [N], [B, W], [B] -> [B]"""
    scores = score.detach()[candidate.clamp(min=0)].masked_fill(candidate == codes.NONE, codes.IMPOSSIBLE)
    if temperature is None:
        return scores.argmax(dim=1)
    return draw(torch.softmax(scores / temperature.unsqueeze(1), dim=1))


def draw(weight: Tensor) -> Tensor:
    """One index a row, with probability in proportion to its weight.  # [B, W] -> [B]"""
    total = weight.cumsum(dim=1)
    # The factor keeps the threshold below the last sum, where rounding could lift it to equality.
    threshold = torch.rand_like(total[:, :1]) * (1 - 1e-6) * total[:, -1:]
    return (total <= threshold).sum(dim=1)
