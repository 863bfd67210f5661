"""The rewards: similarity of the output to the gold actions, and simplicity of the rules used."""

import torch
from torch import Tensor

from lane.models.model import Rollout


def similarity(output: Tensor, output_length: Tensor, gold: Tensor, gold_length: Tensor) -> Tensor:
    """R_s = lcs / (|out| + |gold| - lcs), lcs the longest common substring.  # [B, O], [B, G] -> [B]

    Rows are padded with 0. An output that was not written (length 0) has similarity 0.
    """
    gold = torch.where(gold == 0, torch.full_like(gold, -1), gold).to(torch.int32)  # padding matches nothing
    output = output.to(torch.int32)
    run = torch.zeros([gold.size(0), gold.size(1) + 1], dtype=torch.int32, device=gold.device)
    longest = torch.zeros_like(run[:, 0])
    for i in range(output.size(1)):
        # run[:, j + 1]: how many tokens up to output i and gold j agree in a row
        matches = (gold == output[:, i : i + 1]).to(torch.int32)
        run[:, 1:] = (run[:, :-1] + 1) * matches
        longest = torch.maximum(longest, run.amax(dim=1))
    union = output_length + gold_length - longest
    return longest.to(torch.float32) / union.clamp(min=1).to(torch.float32)


def simplicity(rollout: Rollout, variables: int, dense: bool, wpen: float = 0.0) -> Tensor:
    """R_a: over the multi-word expressions of each row, the mean share of variables in their DstExp.  # [B]

    Not `dense`: the share of expressions whose DstExp holds variables only (T*/T of the paper).
    A row without a multi-word expression is as simple as can be.
    """
    template = rollout.translations.template
    is_variable = (template > 0) & (template <= variables)
    share = is_variable.sum(dim=1) / (template > 0).sum(dim=1)  # [O]
    if not dense:
        share = (share == 1).to(share.dtype)
    nodes = rollout.derivations.nodes
    node = rollout.derivations.node  # [B, S]
    multi = (node >= 0) & (nodes.size[node.clamp(min=0)] > 1)
    words = (nodes.size - nodes.variables)[node.clamp(min=0)]
    value = share[rollout.solution.clamp(min=0)] * (1 - wpen * (words - 1).clamp(min=0))
    total = torch.where(multi, value, torch.zeros([])).sum(dim=1)
    count = multi.sum(dim=1)
    return torch.where(count > 0, total / count.clamp(min=1), torch.ones_like(total))
