"""Expressions that follow the gold."""

import pytest
import torch

from lane.models import symbols
from lane.models.model import LaneModel
from lane.trainer.config import build_config
from lane.trainer.gold import _written, following

LIMIT = 40


def drawn(seed, shuffled):
    """A rollout of three-word commands, and the gold of one of them made from the values of its variables."""
    torch.manual_seed(seed)
    config = build_config("paper", {"embedding": 5, "hidden": 6, "dropout": 0, "shuffled": shuffled})
    model = LaneModel(4, 3, config.network(True)).double()
    words = torch.randint(1, 5, [40, 3])
    rollout = model.rollout(words, torch.ones(40, dtype=torch.float64), LIMIT)
    gold = torch.randint(1, 4, [40, 5])
    return model, words, rollout, gold


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_rewritten_row_writes_the_gold_and_no_other_row_changes(shuffled):
    changed = 0
    for seed in range(12):
        model, words, rollout, gold = drawn(seed, shuffled)
        found = following(model, rollout, words, gold, 1.0, LIMIT)
        number = rollout.solution.gather(1, rollout.derivations.root.unsqueeze(1))[:, 0]
        padded = torch.nn.functional.pad(
            rollout.translations.template, [0, found.translations.template.size(1)]
        )
        width = found.translations.template.size(1)
        same = (padded[number][:, :width] == found.translations.template[number]).all(dim=1)
        for row in range(len(words)):
            said, before = (
                values.actions[row, : int(values.length[row])] for values in (found.values, rollout.values)
            )
            if same[row]:
                assert torch.equal(said, before)
            else:
                changed += 1
                assert torch.equal(said, gold[row])
        others = torch.ones(len(rollout.translations.template), dtype=torch.bool)
        others[number] = False
        assert torch.equal(padded[others][:, :width], found.translations.template[others])
    assert changed > 20


@pytest.mark.parametrize("shuffled", [False, True])
def test_its_tokens_are_scored_as_the_solver_scores_them(shuffled):
    """Every token is possible at its prefix, and the prefixes follow each other."""
    model, words, rollout, gold = drawn(3, shuffled)
    found = following(model, rollout, words, gold, 1.0, LIMIT).translations
    for template, prefix in zip(found.template.tolist(), found.prefix.tolist(), strict=True):
        tokens = [token for token in template if token != symbols.END]
        there = [at for at in prefix if at != symbols.NONE]
        assert len(there) in (len(tokens) + 1, len(tokens))
        for token, at in zip([*tokens, symbols.END], there, strict=False):
            assert found.log_prob[at, token] > symbols.IMPOSSIBLE / 2


def test_only_commands_with_two_actions_a_word_less_one_follow():
    model, words, rollout, gold = drawn(1, shuffled=True)
    for width in (3, 4):
        assert following(model, rollout, words, gold[:, :width], 1.0, LIMIT) is rollout
    assert following(model, rollout, words, gold, 0.0, LIMIT) is rollout


def test_what_is_drawn_writes_the_gold_and_follows_the_solver_where_it_can():
    """The likelier a variable is to the Solver beside the action in its place, the more often it is drawn."""
    torch.manual_seed(1)
    config = build_config("paper", {"embedding": 5, "hidden": 6, "dropout": 0})
    solver = LaneModel(4, 3, config.network(True)).solver
    gold, values = [1, 2, 1, 2, 3], {1: [1, 2], 2: [3]}
    leaves, names = torch.tensor([[0, 2, 0, -1]]).expand(60, -1), torch.tensor([[0, 1]]).expand(60, -1)
    shares = []
    for bias in (-20.0, 20.0):
        with torch.no_grad():
            solver.output.bias[1:3] = bias
        templates = _written(solver, leaves, names, [gold] * 60, [values] * 60)
        for template in templates:
            said = [a for token in template for a in (values[token] if token <= 2 else [token - 2])]
            assert said == gold
        shares.append(sum(template == [1, 1, 2] for template in templates) / 60)
    assert shares == [0.0, 1.0]
