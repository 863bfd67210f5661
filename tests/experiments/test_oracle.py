"""The fast loop against the plain reading of the method: steps, values, log-probabilities, gradients."""

import os
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lane.experiments.oracle import Derivation, Oracle, Step
from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.model import LaneModel, Rollout
from lane.trainer.gradient import surrogate

LIMIT = 400
MODELS = int(os.environ.get("LANE_ORACLE_MODELS", "150"))  # `make test-slow` takes thousands


def random_model(seed: int, words: int, actions: int, sharp: float, **limits: int) -> LaneModel:
    """A model with random weights; `sharp` spreads them, so that decisions are not all near a tie."""
    torch.manual_seed(seed)
    model = LaneModel(words, actions, ModelConfig(embedding=6, hidden=8, **limits)).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(sharp)
    return model


def random_commands(seed: int, rows: int, longest: int, words: int) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randint(1, words) for _ in range(draw.randint(1, longest))] for _ in range(rows)]


def padded(commands: list[list[int]]) -> Tensor:
    width = max(map(len, commands))
    return torch.tensor([command + [0] * (width - len(command)) for command in commands])


def steps_of(rollout: Rollout, row: int, variables: int) -> list[Step]:
    """The steps of one row of a batch, in the oracle's terms."""
    derivations = rollout.derivations
    taken = [s for s, node in enumerate(derivations.node[row].tolist()) if node != symbols.NONE]
    number = {step: i for i, step in enumerate(taken)}
    steps = []
    for s in taken:
        leaves = derivations.nodes.leaves[derivations.node[row, s]].tolist()
        template = rollout.translations.template[rollout.solution[row, s]].tolist()
        arguments = derivations.arguments[row, s].tolist()
        steps.append(
            Step(
                tuple(leaf for leaf in leaves if leaf != symbols.NONE),
                tuple(number[a] for a in arguments if a != symbols.NONE),
                tuple(token for token in template if token != symbols.END),
                int(derivations.slot[row, s]),
            )
        )
    return steps


class Replay:
    """Takes the decisions that the fast loop drew for one row, in the oracle's order."""

    def __init__(self, rollout: Rollout, row: int, length: int, template_limit: int) -> None:
        derivations, translations = rollout.derivations, rollout.translations
        width = derivations.node.size(1) - derivations.merged.size(1)
        self.decisions: list[int] = []

        def translate(step: int) -> None:
            if derivations.node[row, step] != symbols.NONE:
                template = translations.template[rollout.solution[row, step]].tolist()
                tokens = [token for token in template if token != symbols.END]
                self.decisions += [*tokens, symbols.END]

        for i in range(length):
            if derivations.decided[row, i]:
                self.decisions.append(int(derivations.fired[row, i]))
            translate(i)
        for r in range(length - 1):
            self.decisions.append(int(derivations.choice[row, r]))
            if derivations.decided[row, width + r]:
                self.decisions.append(int(derivations.fired[row, width + r]))
            translate(width + r)
        self.decisions.reverse()

    def __call__(self, log_probs: Tensor) -> int:
        taken = self.decisions.pop()
        assert log_probs[taken] > symbols.IMPOSSIBLE / 2, "the fast loop took a forbidden option"
        return taken


def assert_same(rollout: Rollout, row: int, derivation: Derivation, variables: int) -> None:
    assert steps_of(rollout, row, variables) == derivation.steps
    assert bool(rollout.derivations.whole[row]) == derivation.whole
    if derivation.longest > LIMIT:
        assert rollout.values.status[row] == symbols.OUTPUT_TOO_LONG
    else:
        length = int(rollout.values.length[row])
        assert rollout.values.status[row] == symbols.OK
        assert rollout.values.actions[row, :length].tolist() == derivation.actions
        assert not rollout.values.actions[row, length:].any()


def log_probabilities(rollout: Rollout, words: Tensor) -> Tensor:
    """Of the decisions of each row, as the fast loop scored them.  # [B]"""
    derivations, translations = rollout.derivations, rollout.translations
    nodes, candidates = derivations.nodes, derivations.candidates
    scores = nodes.score[candidates.clamp(min=0)].masked_fill(candidates == symbols.NONE, symbols.IMPOSSIBLE)
    merges = scores.log_softmax(dim=2).gather(2, derivations.choice.unsqueeze(2)).squeeze(2)
    total = (merges * (derivations.merged != symbols.NONE)).sum(dim=1)

    logit = nodes.check[torch.cat([words, derivations.merged.clamp(min=0)], dim=1)]
    checks = torch.nn.functional.logsigmoid(torch.where(derivations.fired, logit, -logit))
    total = total + (checks * derivations.decided).sum(dim=1)

    prefix = translations.prefix
    token = torch.nn.functional.pad(
        translations.template, [0, prefix.size(1) - translations.template.size(1)]
    )
    tokens = translations.log_prob[prefix.clamp(min=0), token] * (prefix != symbols.NONE)
    of_step = tokens.sum(dim=1)[rollout.solution.clamp(min=0)] * (rollout.solution != symbols.NONE)
    return total + of_step.sum(dim=1)


configurations = st.fixed_dictionaries(
    {
        "span_limit": st.integers(2, 4),
        "variable_limit": st.integers(2, 3),
        "template_limit": st.integers(6, 10),
        "constants": st.one_of(st.booleans(), st.sets(st.integers(1, 6)).map(tuple)),
        "composer": st.booleans(),
        "deleting": st.booleans(),
        "bounded": st.booleans(),
        "end_mark": st.booleans(),
        "state_only": st.booleans(),
    }
)


@settings(max_examples=MODELS, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    words=st.integers(1, 12),
    actions=st.integers(1, 6),
    sharp=st.sampled_from([0.5, 2.0, 6.0]),
    rows=st.integers(1, 40),
    longest=st.integers(1, 9),
    limits=configurations,
)
def test_greedy_equals_the_oracle(seed, words, actions, sharp, rows, longest, limits):
    model = random_model(seed, words, actions, sharp, **limits)
    commands = random_commands(seed, rows, longest, words)
    with torch.no_grad():
        rollout = model.rollout(padded(commands), None, LIMIT)
        for row, command in enumerate(commands):
            assert_same(rollout, row, Oracle(model).derive(command), model.solver.variables)


@settings(max_examples=MODELS // 2, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    words=st.integers(1, 8),
    actions=st.integers(1, 5),
    sharp=st.sampled_from([0.5, 1.0, 3.0]),
    temperature=st.sampled_from([0.5, 1.0, 2.5]),
    rows=st.integers(1, 8),
    longest=st.integers(1, 6),
    limits=configurations,
)
def test_sampling_has_the_oracles_log_probabilities_and_gradients(
    seed, words, actions, sharp, temperature, rows, longest, limits
):
    model = random_model(seed, words, actions, sharp, **limits)
    commands = random_commands(seed, rows, longest, words)
    numbers = padded(commands)
    rollout = model.rollout(numbers, torch.full([rows], temperature, dtype=torch.float64), LIMIT)
    weight, entropy = torch.randn(rows, dtype=torch.float64), torch.rand(rows, dtype=torch.float64)

    found = log_probabilities(rollout, numbers)
    expected = torch.zeros([], dtype=torch.float64)
    for row, command in enumerate(commands):
        replay = Replay(rollout, row, len(command), model.solver.template_limit)
        derivation = Oracle(model, replay).derive(command)
        assert not replay.decisions
        assert_same(rollout, row, derivation, model.solver.variables)
        assert torch.allclose(found[row], derivation.log_prob.double(), atol=1e-5, rtol=1e-5)
        expected = expected + weight[row] * derivation.log_prob + entropy[row] * derivation.entropy
    names, parameters = zip(*model.named_parameters(), strict=True)
    of_oracle = torch.autograd.grad(expected, parameters, materialize_grads=True)
    of_loop = torch.autograd.grad(
        sum(surrogate(rollout, numbers, weight, entropy)), parameters, materialize_grads=True
    )
    for name, a, b in zip(names, of_oracle, of_loop, strict=True):
        assert torch.allclose(a, b, atol=1e-5, rtol=1e-5), name


@pytest.mark.parametrize("rows", [1, 2, 7, 64, 512])
def test_batch_size_and_order_do_not_matter(rows):
    model = random_model(7, 10, 5, 3.0).float()
    commands = random_commands(8, 512, 12, 10)
    order = random.Random(9).sample(range(512), 512)
    with torch.no_grad():
        whole = model.rollout(padded(commands), None, LIMIT).values
        for start in range(0, min(512, 64 * rows), rows):  # 64 batches show enough of the small sizes
            chunk = order[start : start + rows]
            values = model.rollout(padded([commands[i] for i in chunk]), None, LIMIT).values
            for row, i in enumerate(chunk):
                length = int(values.length[row])
                assert values.status[row] == whole.status[i]
                assert length == whole.length[i]
                assert torch.equal(values.actions[row, :length], whole.actions[i, :length])


@pytest.fixture(scope="module")
def scripted() -> tuple[LaneModel, torch.jit.ScriptModule]:
    model = random_model(11, 9, 5, 3.0)
    return model, torch.jit.script(model)


@pytest.mark.parametrize("seed", range(40))
def test_scripted_equals_eager(scripted, seed):
    model, script = scripted
    commands = padded(random_commands(seed, 1 + seed % 17, 1 + seed % 11, 9))
    with torch.no_grad():
        for temperature in (None, torch.full([commands.size(0)], 1.5, dtype=torch.float64)):
            torch.manual_seed(seed)
            eager = model.rollout(commands, temperature, LIMIT)
            torch.manual_seed(seed)
            other = script.rollout(commands, temperature, LIMIT)
            for name in (
                "node",
                "arguments",
                "slot",
                "root",
                "merged",
                "decided",
                "fired",
                "whole",
                "choice",
            ):
                assert torch.equal(getattr(eager.derivations, name), getattr(other.derivations, name)), name
            assert torch.allclose(eager.translations.log_prob, other.translations.log_prob)
            assert torch.equal(eager.translations.template, other.translations.template)
            assert torch.equal(eager.values.actions, other.values.actions)
            assert torch.equal(eager.values.status, other.values.status)
