"""The gathered gradient against automatic differentiation of the formula, part by part.

tests/experiments/test_oracle.py compares the whole of it with the gradient of the oracle.
"""

import math
from types import SimpleNamespace

import pytest
import torch

from lane.models import symbols
from lane.models.model import LaneModel
from lane.trainer.config import build_config
from lane.trainer.gradient import (
    Counting,
    check_coefficients,
    merge_coefficients,
    solver_surrogate,
    surrogate,
)

SEEDS = range(20)


def weights(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(rows, dtype=torch.float64), torch.rand(rows, dtype=torch.float64)


def entropy_of(log_p: torch.Tensor) -> torch.Tensor:
    return -(log_p.exp() * log_p).sum(dim=-1)


@pytest.mark.parametrize("seed", SEEDS)
def test_merges_are_pushed_along_the_gradient_of_their_log_probability_and_entropy(seed):
    torch.manual_seed(seed)
    rows, rounds, nodes = 4, 3, 6  # fewer nodes than places: rows share them
    score = torch.randn(nodes, dtype=torch.float64, requires_grad=True)
    candidates = torch.randint(nodes, [rows, rounds, rounds])
    there = [[int(torch.randint(rounds + 1, [])) for _ in range(rounds)] for _ in range(rows)]
    choice = torch.zeros([rows, rounds], dtype=torch.int64)
    weight, entropy = weights(rows)
    expected = torch.zeros([], dtype=torch.float64)
    for row in range(rows):
        for step, count in enumerate(there[row]):
            candidates[row, step, count:] = symbols.NONE
            if count:
                choice[row, step] = torch.randint(count, [])
                log_p = torch.log_softmax(score[candidates[row, step, :count].tolist()], dim=0)
                expected = (
                    expected + weight[row] * log_p[int(choice[row, step])] + entropy[row] * entropy_of(log_p)
                )
    derivations = SimpleNamespace(candidates=candidates, choice=choice, nodes=SimpleNamespace(score=score))
    (gradient,) = torch.autograd.grad(expected, score, materialize_grads=True)
    torch.testing.assert_close(merge_coefficients(derivations, weight, entropy), gradient)


@pytest.mark.parametrize("seed", SEEDS)
def test_checks_are_pushed_along_the_gradient_of_their_log_probability_and_entropy(seed):
    torch.manual_seed(seed)
    rows, length, merges, nodes = 3, 4, 3, 8
    logit = torch.randn(nodes, dtype=torch.float64, requires_grad=True)
    words = torch.randint(nodes, [rows, length])
    merged = torch.randint(-1, nodes, [rows, merges])
    fired = torch.rand([rows, length + merges]) < 0.5
    decided = torch.cat([torch.rand([rows, length]) < 0.7, merged != symbols.NONE], dim=1)
    weight, entropy = weights(rows)
    expected = torch.zeros([], dtype=torch.float64)
    for row in range(rows):
        for step, node in enumerate([*words[row].tolist(), *merged[row].tolist()]):
            if decided[row, step]:
                log_p = torch.nn.functional.logsigmoid(torch.stack([logit[node], -logit[node]]))
                taken = log_p[0] if fired[row, step] else log_p[1]
                expected = expected + weight[row] * taken + entropy[row] * entropy_of(log_p)
    derivations = SimpleNamespace(
        nodes=SimpleNamespace(check=logit), merged=merged, fired=fired, decided=decided
    )
    (gradient,) = torch.autograd.grad(expected, logit, materialize_grads=True)
    torch.testing.assert_close(check_coefficients(derivations, words, weight, entropy), gradient)


@pytest.mark.parametrize("seed", SEEDS)
def test_tokens_are_pushed_along_the_gradient_of_their_log_probability_and_entropy(seed):
    torch.manual_seed(seed)
    expressions, prefixes, tokens, room = 3, 5, 4, 3
    scores = torch.randn([prefixes, tokens], dtype=torch.float64, requires_grad=True)
    log_prob = torch.log_softmax(scores, dim=1)
    template = torch.zeros([expressions, room], dtype=torch.int64)
    prefix = torch.full([expressions, room + 1], symbols.NONE)
    weight, entropy = weights(expressions)
    expected = torch.zeros([], dtype=torch.float64)
    for row in range(expressions):
        length = int(torch.randint(room + 1, []))
        template[row, :length] = torch.randint(1, tokens, [length])
        prefix[row, : length + 1] = torch.randint(prefixes, [length + 1])
        for place in range(length + 1):
            token = int(template[row, place]) if place < room else symbols.END
            at = int(prefix[row, place])
            expected = expected + weight[row] * log_prob[at, token] + entropy[row] * entropy_of(log_prob[at])
    translations = SimpleNamespace(log_prob=log_prob, prefix=prefix, template=template)
    found = solver_surrogate(translations, weight, entropy)
    (one,) = torch.autograd.grad(expected, scores, retain_graph=True)
    (other,) = torch.autograd.grad(found, scores)
    torch.testing.assert_close(other, one)


def test_rewarded_samples_become_likelier_and_the_networks_are_apart(dataset, tiny_config):
    """A step along the Composer's part leaves the Solver as it is, and the other way round."""
    torch.manual_seed(1)
    model = LaneModel(len(dataset.source), len(dataset.target), tiny_config.network(False)).double()
    words = dataset.words
    rollout = model.rollout(words, torch.ones(len(words), dtype=torch.float64), 50)
    ones, zeros = torch.ones(len(words), dtype=torch.float64), torch.zeros(len(words), dtype=torch.float64)
    composer, solver = surrogate(rollout, words, ones, zeros)
    composer.backward(retain_graph=True)
    assert all(p.grad is None or not p.grad.any() for p in model.solver.parameters())
    assert any(p.grad is not None and p.grad.any() for p in model.composer.parameters())
    model.zero_grad()
    solver.backward()
    assert all(p.grad is None or not p.grad.any() for p in model.composer.parameters())
    before = log_probability(model, words)
    with torch.no_grad():
        for parameter in model.solver.parameters():
            parameter += 1e-3 * parameter.grad
    assert log_probability(model, words) > before


@torch.no_grad()
def log_probability(model: LaneModel, words: torch.Tensor) -> float:
    """Of the tokens that seed 1 draws; the same ones before and after a small step."""
    torch.manual_seed(1)
    translations = model.rollout(words, torch.ones(len(words), dtype=torch.float64), 50).translations
    ones = torch.ones(len(translations.prefix), dtype=torch.float64)
    return float(solver_surrogate(translations, ones, 0 * ones))


def counted_directly(model, rollout, words, weight, entropy, counting):
    """The formula of the published code, decision by decision."""
    derivations, translations = rollout.derivations, rollout.translations
    nodes, limit = derivations.nodes, symbols.IMPOSSIBLE / 2
    total = torch.zeros([], dtype=torch.float64)
    for b in range(len(words)):
        length = int((words[b] > 0).sum())
        width = words.size(1)
        merges, of_words, of_spans, composer = [], [], [], []
        for i in range(length):
            logit = nodes.check[words[b, i]]
            log_p = torch.nn.functional.logsigmoid(torch.stack([logit, -logit]))
            composer.append(log_p[0] if derivations.fired[b, i] else log_p[1])
            of_words.append(entropy_of(log_p) / math.log(2))
        for r in range(length - 1):
            candidates = derivations.candidates[b, r]
            log_p = nodes.score[candidates[candidates != symbols.NONE]].log_softmax(dim=0)
            if len(log_p) > 1:
                merges.append(entropy_of(log_p) / math.log(len(log_p)))
            taken = log_p[int(derivations.choice[b, r])]
            logit = nodes.check[derivations.merged[b, r]]
            log_p = torch.nn.functional.logsigmoid(torch.stack([logit, -logit]))
            if derivations.decided[b, width + r] or counting.forced:
                taken = taken + (log_p[0] if derivations.fired[b, width + r] else log_p[1])
                of_spans.append(entropy_of(log_p) / math.log(2))
            composer.append(taken)
        steps, tokens = [], []
        for s, number in enumerate(rollout.solution[b].tolist()):
            if number == symbols.NONE:
                continue
            if s == int(derivations.root[b]) and not derivations.whole[b]:
                steps.append(torch.zeros([], dtype=torch.float64))
                tokens.append(torch.zeros([], dtype=torch.float64))
                continue
            own, entropies = torch.zeros([], dtype=torch.float64), []
            template = [*translations.template[number].tolist(), symbols.END]
            for token, at in zip(template, translations.prefix[number].tolist(), strict=False):
                if at != symbols.NONE:
                    log_p = translations.log_prob[at]
                    options = int((log_p > limit).sum())
                    own = own + log_p[token]
                    if options > 1:
                        entropies.append(entropy_of(log_p[log_p > limit]) / math.log(options))
            steps.append(own)
            tokens.append(sum(entropies) / max(1, len(entropies)))
        total = total + weight[b] * (sum(composer) / len(composer) + sum(steps) / len(steps))
        kinds = sum(merges) / max(1, length - 2) + sum(of_words) / length
        kinds = kinds + sum(of_spans) / max(1, length - 1) + sum(tokens) / len(tokens)
        total = total + entropy[b] * kinds
    return total


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shuffled", [False, True])
def test_decisions_count_on_average_as_in_the_published_code(seed, shuffled):
    torch.manual_seed(seed)
    config = build_config("paper", {"embedding": 5, "hidden": 6, "dropout": 0, "shuffled": shuffled})
    model = LaneModel(4, 3, config.network(True)).double()
    words = torch.randint(1, 5, [6, 5]) * (torch.arange(5) < torch.randint(1, 6, [6, 1]))
    rollout = model.rollout(words, torch.ones(6, dtype=torch.float64), 40)
    weight, entropy = weights(len(words))
    counting = Counting(mean=True, forced=True, even=True, spoken=True)
    parameters = list(model.parameters())
    expected = torch.autograd.grad(
        counted_directly(model, rollout, words, weight, entropy, counting),
        parameters,
        retain_graph=True,
        materialize_grads=True,
    )
    found = torch.autograd.grad(
        sum(surrogate(rollout, words, weight, entropy, counting)), parameters, materialize_grads=True
    )
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
