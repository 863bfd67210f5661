"""The policy gradient over whole derivations, gathered on distinct nodes and prefixes.

For a categorical over scores, d log p / d score_k = [k chosen] - p_k, and d H / d score_k =
-p_k (log p_k + H). So the weights of all decisions of all rows are first added up per distinct node and
prefix, and one small backward pass then goes over those.

With weights that are advantages of on-policy samples this is the REINFORCE estimator. The learner also
passes explorers, sampled off-policy at a higher temperature, with advantages clamped at 0 and without
importance weights: for those it is a heuristic, nearer to imitating lucky samples than to a policy gradient.
"""

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.composer import Derivations
from lane.models.model import Rollout
from lane.models.solver import Translations


def surrogate(rollout: Rollout, words: Tensor, weight: Tensor, entropy: Tensor) -> tuple[Tensor, Tensor]:
    """Two scalars, of the Composer and of the Solver, to be *maximised*: their gradients are those of

    sum_b weight_b * log p(decisions of b) + entropy_b * (sum of the entropies of the decisions of b)

    words [B, L] as given to the rollout; weight, entropy [B]. Their values mean nothing.
    """
    derivations = rollout.derivations
    taken = rollout.solution != symbols.NONE
    steps = taken.sum(dim=1)
    solver = solver_surrogate(
        rollout.translations, weight.repeat_interleave(steps), entropy.repeat_interleave(steps)
    )
    score = merge_coefficients(derivations, weight, entropy)
    check = check_coefficients(derivations, words, weight, entropy)
    return (score * derivations.nodes.score).sum() + (check * derivations.nodes.check).sum(), solver


def merge_coefficients(derivations: Derivations, weight: Tensor, entropy: Tensor) -> Tensor:
    """What each node's merge score is to be pushed by.  # [N]"""
    candidate, score = derivations.candidates, derivations.nodes.score.detach()  # [B, R, R]
    absent = candidate == symbols.NONE
    scores = score[candidate.clamp(min=0)].masked_fill(absent, symbols.IMPOSSIBLE)
    log_p = torch.log_softmax(scores, dim=2)
    p = log_p.exp().masked_fill(absent, 0.0)
    surprise = -(p * log_p).sum(dim=2, keepdim=True)  # H
    push = -entropy.view(-1, 1, 1) * p * (log_p + surprise) - weight.view(-1, 1, 1) * p
    there = (~absent[:, :, :1]).to(push.dtype)
    push = push.scatter_add(2, derivations.choice.unsqueeze(2), weight.view(-1, 1, 1) * there)
    push = push.masked_fill(absent, 0.0)
    return torch.zeros_like(score).index_add(0, candidate.clamp(min=0).reshape(-1), push.reshape(-1))


def check_coefficients(derivations: Derivations, words: Tensor, weight: Tensor, entropy: Tensor) -> Tensor:
    """What each node's check logit is to be pushed by.  # [N]"""
    logit = derivations.nodes.check.detach()
    node = torch.cat([words, derivations.merged.clamp(min=0)], dim=1)  # [B, S]
    p = torch.sigmoid(logit)
    push = (
        weight.unsqueeze(1) * (derivations.fired.to(logit.dtype) - p[node])
        - entropy.unsqueeze(1) * (logit * p * (1 - p))[node]
    )
    push = push.masked_fill(~derivations.decided, 0.0)
    return torch.zeros_like(logit).index_add(0, node.reshape(-1), push.reshape(-1))


def solver_surrogate(translations: Translations, weight: Tensor, entropy: Tensor) -> Tensor:
    """The weighted log-probabilities and entropies of the tokens; weight, entropy [O]."""
    log_prob, prefix = translations.log_prob, translations.prefix  # [K, A], [O, T + 1]
    count, tokens = log_prob.size(0), log_prob.size(1)
    # A DstExp that fills the template has its END one column further, where nothing is left to decide.
    token = torch.nn.functional.pad(
        translations.template, [0, prefix.size(1) - translations.template.size(1)]
    )
    there = prefix != symbols.NONE
    expression = torch.nonzero(there)[:, 0]
    at = prefix[there]
    pushed = weight.new_zeros([count * tokens]).index_add(0, at * tokens + token[there], weight[expression])
    visits = weight.new_zeros([count]).index_add(0, at, entropy[expression])
    negative_entropy = (log_prob.exp() * log_prob).sum(dim=1)
    return (pushed.view(count, tokens) * log_prob).sum() - (visits * negative_entropy).sum()
