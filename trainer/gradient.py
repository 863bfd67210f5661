"""The policy gradient over whole derivations, gathered on distinct nodes and prefixes.

For a categorical over scores, d log p / d score_k = [k chosen] - p_k, and d H / d score_k =
-p_k (log p_k + H). So the weights of all decisions of all rows are first added up per distinct node and
prefix, and one small backward pass then goes over those.

With weights that are advantages of on-policy samples this is the REINFORCE estimator. The learner also
passes explorers, sampled off-policy at a higher temperature, with advantages clamped at 0 and without
importance weights: for those it is a heuristic, nearer to imitating lucky samples than to a policy gradient.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.composer import Derivations
from lane.models.model import Rollout
from lane.models.solver import Translations


@dataclass(frozen=True)
class Counting:
    """What the decisions of a derivation count for; the defaults are those of the formula below.

    A command of n words has 2n - 1 decisions of the Composer, as the published code counts them (a merge
    and the check of what it made are one), and as many of the Solver as it has expressions.
    """

    mean: bool = False  # log-probabilities are averaged over the decisions of each network
    forced: bool = False  # the check also learns from spans that the limits recognise in any case
    even: bool = False  # entropies by their largest possible value, averaged over each kind of decision
    spoken: bool = False  # the root's expression counts only where its own check fired


def surrogate(
    rollout: Rollout,
    words: Tensor,
    weight: Tensor,
    entropy: Tensor,
    counting: Counting = Counting(),
) -> tuple[Tensor, Tensor]:
    """Two scalars, of the Composer and of the Solver, to be *maximised*: their gradients are those of

    sum_b weight_b * log p(decisions of b) + entropy_b * (sum of the entropies of the decisions of b)

    words [B, L] as given to the rollout; weight, entropy [B]. Their values mean nothing.
    """
    derivations = rollout.derivations
    taken = rollout.solution != symbols.NONE
    steps = taken.sum(dim=1)
    of_solver, of_composer = weight, weight
    of_tokens, of_merges, of_checks = entropy, entropy, entropy
    if counting.mean:
        of_solver, of_composer = weight / steps, weight / (2 * (words > 0).sum(dim=1) - 1)
    if counting.even:
        of_tokens = entropy / steps
        of_merges, of_checks = _even(derivations, words, entropy)
    of_solver, of_tokens = of_solver.repeat_interleave(steps), of_tokens.repeat_interleave(steps)
    if counting.spoken:
        unspoken = rollout.solution.gather(1, derivations.root.unsqueeze(1))[~derivations.whole, 0]
        of_solver[unspoken], of_tokens[unspoken] = 0.0, 0.0
    solver = solver_surrogate(rollout.translations, of_solver, of_tokens, counting.even)
    score = merge_coefficients(derivations, of_composer, of_merges)
    check = check_coefficients(derivations, words, of_composer, of_checks, counting.forced)
    return (score * derivations.nodes.score).sum() + (check * derivations.nodes.check).sum(), solver


def _even(derivations: Derivations, words: Tensor, entropy: Tensor) -> tuple[Tensor, Tensor]:
    """The entropy weights of merges and checks, divided by the largest entropy and the number of their kind.

    The last merge has one candidate, and no entropy. # -> [B, R], [B, S]
    """
    length = (words > 0).sum(dim=1, keepdim=True)
    options = (derivations.candidates != symbols.NONE).sum(dim=2)  # [B, R]
    entropy = entropy.unsqueeze(1)
    merges = entropy / (length - 2).clamp(min=1) / options.clamp(min=2).log()
    of_words = (entropy / length / math.log(2)).expand_as(words)
    of_spans = (entropy / (length - 1).clamp(min=1) / math.log(2)).expand_as(options)
    return merges, torch.cat([of_words, of_spans], dim=1)


def merge_coefficients(derivations: Derivations, weight: Tensor, entropy: Tensor) -> Tensor:
    """What each node's merge score is to be pushed by; entropy [B] or [B, R].  # [N]"""
    candidate, score = derivations.candidates, derivations.nodes.score.detach()  # [B, R, R]
    absent = candidate == symbols.NONE
    scores = score[candidate.clamp(min=0)].masked_fill(absent, symbols.IMPOSSIBLE)
    log_p = torch.log_softmax(scores, dim=2)
    p = log_p.exp().masked_fill(absent, 0.0)
    surprise = -(p * log_p).sum(dim=2, keepdim=True)  # H
    push = -entropy.view(len(weight), -1, 1) * p * (log_p + surprise) - weight.view(-1, 1, 1) * p
    there = (~absent[:, :, :1]).to(push.dtype)
    push = push.scatter_add(2, derivations.choice.unsqueeze(2), weight.view(-1, 1, 1) * there)
    push = push.masked_fill(absent, 0.0)
    return torch.zeros_like(score).index_add(0, candidate.clamp(min=0).reshape(-1), push.reshape(-1))


def check_coefficients(
    derivations: Derivations, words: Tensor, weight: Tensor, entropy: Tensor, forced: bool = False
) -> Tensor:
    """What each node's check logit is to be pushed by; entropy [B] or [B, S].  # [N]"""
    logit = derivations.nodes.check.detach()
    node = torch.cat([words, derivations.merged.clamp(min=0)], dim=1)  # [B, S]
    p = torch.sigmoid(logit)
    push = (
        weight.unsqueeze(1) * (derivations.fired.to(logit.dtype) - p[node])
        - entropy.view(len(weight), -1) * (logit * p * (1 - p))[node]
    )
    counts = derivations.decided
    if forced:  # those of a row without a check, which decides nothing, excepted
        there = torch.cat([words > 0, derivations.merged != symbols.NONE], dim=1)
        counts = there & derivations.decided[:, :1]
    push = push.masked_fill(~counts, 0.0)
    return torch.zeros_like(logit).index_add(0, node.reshape(-1), push.reshape(-1))


def solver_surrogate(
    translations: Translations, weight: Tensor, entropy: Tensor, even: bool = False
) -> Tensor:
    """The weighted log-probabilities and entropies of the tokens; weight, entropy [O]; `even` as above."""
    log_prob, prefix = translations.log_prob, translations.prefix  # [K, A], [O, T + 1]
    count, tokens = log_prob.size(0), log_prob.size(1)
    # A DstExp that fills the template has its END one column further, where nothing is left to decide.
    token = torch.nn.functional.pad(
        translations.template, [0, prefix.size(1) - translations.template.size(1)]
    )
    there = prefix != symbols.NONE
    expression = torch.nonzero(there)[:, 0]
    at = prefix[there]
    negative_entropy = (log_prob.exp() * log_prob).sum(dim=1)
    if even:
        options = (log_prob > symbols.IMPOSSIBLE / 2).sum(dim=1)
        negative_entropy = negative_entropy / options.clamp(min=2).log()
        decided = there & (options[prefix.clamp(min=0)] > 1)
        entropy = entropy / decided.sum(dim=1).clamp(min=1)
    pushed = weight.new_zeros([count * tokens]).index_add(0, at * tokens + token[there], weight[expression])
    visits = weight.new_zeros([count]).index_add(0, at, entropy[expression])
    return (pushed.view(count, tokens) * log_prob).sum() - (visits * negative_entropy).sum()
