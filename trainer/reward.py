"""The rewards: similarity of the output to the gold actions, and simplicity of the rules used."""

import torch
from torch import Tensor

from lane.models.model import Rollout
from lane.trainer.config import TrainConfig


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
        run = torch.nn.functional.pad((run[:, :-1] + 1) * matches, [1, 0])
        longest = torch.maximum(longest, run.amax(dim=1))
    union = output_length + gold_length - longest
    return longest.to(torch.float32) / union.clamp(min=1).to(torch.float32)


def simplicity(rollout: Rollout, variables: int, config: TrainConfig, known: Tensor | None = None) -> Tensor:
    """R_a: the mean simplicity of the multi-word expressions of each row.  # [B]

    Of one expression: the share of variables in its DstExp (not `dense`: whether there is nothing else,
    the paper's T*/T), less a penalty for every word of its SrcExp beyond the first, for the rule that says
    one thing is the one that recombines. A row without a multi-word expression is as simple as can be (not
    `simple_alone`: not simple at all), and so is an expression by a rule that was read off the pairs
    (`known` [B, S]): it needs its constants.
    """
    template = rollout.translations.template
    is_variable = (template > 0) & (template <= variables)
    share = is_variable.sum(dim=1) / (template > 0).sum(dim=1)  # [O]
    if not config.dense:
        share = (share == 1).to(share.dtype)
    nodes, node = rollout.derivations.nodes, rollout.derivations.node.clamp(min=0)  # [B, S]
    multi = (rollout.solution >= 0) & (nodes.size[node] > 1)
    beyond = (nodes.size - nodes.variables - 1).clamp(min=0)[node]
    value = share[rollout.solution.clamp(min=0)] * (1 - config.word_penalty * beyond).clamp(min=0)
    if known is not None:
        value = torch.where(known, torch.ones_like(value), value)
    total = torch.where(multi, value, torch.zeros_like(value)).sum(dim=1)
    count = multi.sum(dim=1)
    none = torch.full_like(total, float(config.simple_alone))
    return torch.where(count > 0, total / count.clamp(min=1), none)


def reward(similar: Tensor, simple: Tensor, whole: Tensor, config: TrainConfig) -> Tensor:
    """R; a derivation whose root its own check does not recognise has found nothing.  # [B] each"""
    similar = similar * whole
    if config.simple_if_right:
        return similar + config.gamma * simple * (similar == 1)
    if config.product:
        return similar * (1 + config.gamma * simple)
    return similar + config.gamma * simple * whole
