"""The whole model: batched translation, alone and among others."""

import pytest
import torch

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.model import LaneModel


@pytest.fixture
def model() -> LaneModel:
    torch.manual_seed(1)
    return LaneModel(5, 4, ModelConfig(embedding=8, hidden=8, constants=True, max_actions=60)).double().eval()


def commands(rows: int, width: int) -> torch.Tensor:
    torch.manual_seed(2)
    words = torch.randint(1, 6, [rows, width])
    return words * (torch.arange(width) < torch.randint(1, width + 1, [rows, 1]))


@torch.no_grad()
def test_a_row_gets_the_same_answer_alone_and_in_a_batch(model):
    words = commands(30, 7)
    actions, length, status = model(words)
    for row in range(len(words)):
        alone, one_length, one_status = model(words[row : row + 1, : int((words[row] > 0).sum())])
        assert one_status.tolist() == [status[row]]
        assert alone[0].tolist() == actions[row, : int(one_length)].tolist()
        assert one_length.tolist() == [length[row]]


@torch.no_grad()
def test_translate_and_rollout_write_the_same(model):
    words = commands(30, 7)
    actions, length, status = model(words)
    values = model.rollout(words, None, model.max_actions).values
    assert torch.equal(values.status, status)
    assert torch.equal(values.length, length)
    assert torch.equal(values.actions, actions[:, : values.actions.size(1)])


@torch.no_grad()
def test_an_output_beyond_the_limit_is_not_written(model):
    words = commands(30, 7)
    _, whole, _ = model(words)
    limit = int(whole.max()) - 1
    values = model.rollout(words, None, limit).values
    too_long = whole > limit
    assert values.status[too_long].tolist() == [symbols.OUTPUT_TOO_LONG] * int(too_long.sum())
    assert values.length[too_long].sum() == 0
    assert torch.equal(values.length[~too_long], whole[~too_long])


def test_no_drawn_template_is_longer_than_the_limit_asks(model):
    torch.manual_seed(5)
    words = commands(40, 5)
    rollout = model.rollout(words, torch.ones(len(words), dtype=torch.float64), 3)
    assert rollout.translations.template.size(1) <= 3


def test_values_do_not_depend_on_the_names_that_are_drawn(monkeypatch):
    """With names by chance the same derivation and the same rules write the same output.

    The rules are made independent of the networks: `$a w $b` is its second, then its first variable.
    """
    torch.manual_seed(3)
    config = ModelConfig(embedding=4, hidden=4, constants=True, shuffled=True)
    model = LaneModel(5, 4, config).double()
    solve = model.solver.solve

    def swapping(leaves, owner, temperature, longest, given=None, names=None):
        found = solve(leaves, owner, temperature, longest, given, names)
        span, template = leaves[owner], torch.zeros([len(owner), longest], dtype=torch.int64)
        count = (span == symbols.VARIABLE).sum(dim=1)
        alone = torch.where(count == 0, model.solver.variables + 1 + span[:, 0] % 4, template[:, 0])
        called = torch.arange(2).expand(len(owner), 2) if names is None else names[owner]
        template[:, 0] = torch.where(
            count > 0, 1 + called.gather(1, (count - 1).clamp(0, 1)[:, None])[:, 0], alone
        )
        template[:, 1] = torch.where(count == 2, 1 + called[:, 0], template[:, 1])
        return found._replace(template=template)

    monkeypatch.setattr(model.solver, "solve", swapping)
    words = commands(60, 6)
    ones = torch.ones(len(words), dtype=torch.float64)
    torch.manual_seed(4)
    renamed = model.rollout(words, ones, 50)
    model.solver.shuffled = False
    torch.manual_seed(4)
    plain = model.rollout(words, ones, 50)
    assert torch.equal(renamed.derivations.node, plain.derivations.node)
    assert torch.equal(renamed.values.actions, plain.values.actions)
    two = (plain.translations.template > 0).sum(dim=1) == 2
    assert two.any()
    assert not torch.equal(renamed.translations.template, plain.translations.template)
