"""The update: it learns what is right, and goes on exactly from a kept state."""

from copy import deepcopy

import torch

from lane.models.model import LaneModel
from lane.trainer.learner import Learner, same_rows


def learner(vocabularies, config) -> Learner:
    torch.manual_seed(1)
    return Learner(LaneModel(*map(len, vocabularies), config.network(False)), config)


def test_rows_are_equal_whatever_the_padding():
    a, b = torch.tensor([[1, 2, 0], [1, 0, 0], [1, 2, 3]]), torch.tensor([[1, 2], [1, 2], [1, 2]])
    assert same_rows(a, b).tolist() == same_rows(b, a).tolist() == [True, False, False]
    assert same_rows(a, torch.zeros([3, 0], dtype=torch.int64)).tolist() == [False] * 3


def test_advantages_are_against_the_policy_and_explorers_only_gain(vocabularies, tiny_config):
    plain = tiny_config.model_copy(update={"normalize": False})
    rewards = torch.tensor([[1.0, 0.0, 2.0, 0.0], [1.0, 1.0, 1.0, 0.5]])
    found = learner(vocabularies, plain)._advantage(rewards, explorers=2)
    assert found.tolist() == [[0.5, -0.5, 1.5, 0.0], [0.0, 0.0, 0.0, 0.0]]
    scaled = learner(vocabularies, tiny_config)._advantage(rewards, explorers=2)
    assert torch.allclose(scaled[0], found[0] / 0.6)
    assert not scaled[1].any()


def test_the_baseline_of_an_update_is_the_mean_over_all_its_expressions(vocabularies, tiny_config):
    plain = tiny_config.model_copy(update={"normalize": False, "baseline": "update"})
    one = learner(vocabularies, plain)
    rewards = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    assert one._advantage(rewards, explorers=0).tolist() == [[0.75, -0.25], [-0.25, -0.25]]
    steps = torch.tensor([[5, 1], [1, 1]])
    assert one._advantage(rewards, explorers=0, steps=steps).tolist() == [[0.375, -0.625], [-0.625, -0.625]]


def test_each_network_has_its_own_rate(vocabularies, dataset, tiny_config):
    """A rate of next to nothing leaves the Composer where it is."""
    config = tiny_config.model_copy(update={"composer_rate": 1e-30})
    one = learner(vocabularies, config)
    before = {name: value.clone() for name, value in one.model.state_dict().items()}
    one.update(dataset, torch.arange(len(dataset)), entropy=0.1, explore=True)
    for name, value in one.model.state_dict().items():
        moved = not torch.equal(value, before[name])
        assert not moved or name.startswith("solver."), name
    assert not torch.equal(one.model.solver.output.weight, before["solver.output.weight"])


def test_single_words_are_soon_learned(vocabularies, dataset, tiny_config):
    one = learner(vocabularies, tiny_config.model_copy(update={"samples": 20, "solver_rate": 0.01}))
    words = torch.nonzero(dataset.length == 1)[:, 0]
    first = one.update(dataset, words, 0.0, explore=False).right
    for _ in range(120):
        last = one.update(dataset, words, 0.0, explore=False).right
    assert last > 0.8 > first
    assert one.evaluate(dataset, words).right.all()
    assert one.trajectories == 121 * len(words) * 20


def test_goes_on_exactly_from_a_kept_state(vocabularies, dataset, tiny_config):
    index = torch.arange(len(dataset))
    one, other = learner(vocabularies, tiny_config), learner(vocabularies, tiny_config)
    for _ in range(3):
        one.update(dataset, index, 0.1, explore=True)
    state = torch.get_rng_state()
    other.restore(deepcopy(one.state()))
    one.update(dataset, index, 0.1, explore=True)
    torch.set_rng_state(state)
    other.update(dataset, index, 0.1, explore=True)
    for name, value in one.model.state_dict().items():
        assert torch.equal(value, other.model.state_dict()[name]), name


def test_what_is_only_seen_alone_must_be_recognised_unless_the_setting_says_otherwise(
    vocabularies, dataset, tiny_config
):
    index = torch.nonzero(dataset.must_be_whole & (dataset.length == 1))[:, 0]
    assert len(index) > 0
    for whole in (True, False):
        one = learner(vocabularies, tiny_config.model_copy(update={"whole": whole}))
        with torch.no_grad():
            one.model.composer.check.bias.fill_(-100.0)  # nothing is recognised
        assert one.evaluate(dataset, index).whole.tolist() == [not whole] * len(index)


def test_where_the_root_must_be_recognised_nothing_else_is_right(vocabularies, dataset, tiny_config):
    """Lone words too, whether or not they occur in longer commands."""
    one = learner(vocabularies, tiny_config.model_copy(update={"strict": True}))
    for bias, fires in ((-100.0, False), (100.0, True)):
        with torch.no_grad():
            one.model.composer.check.bias.fill_(bias)
            one.model.composer.check.weight.zero_()
        found = one.evaluate(dataset, torch.arange(len(dataset)))
        assert found.whole.tolist() == [fires] * len(dataset)
        assert not found.right[~found.whole].any()
    lenient = learner(vocabularies, tiny_config.model_copy(update={"whole": False}))
    lenient.model.load_state_dict(one.model.state_dict())
    with torch.no_grad():
        lenient.model.composer.check.bias.fill_(-100.0)
        gold = dataset.gold.clone()
    outputs = lenient.evaluate(dataset, torch.arange(len(dataset))).rollout.values.actions
    dataset_of_outputs = dataset.like(dataset.pairs)
    dataset_of_outputs.gold, dataset_of_outputs.gold_length = outputs, (outputs != 0).sum(dim=1)
    assert lenient.evaluate(dataset_of_outputs, torch.arange(len(dataset))).right.all()
    one.model.load_state_dict(lenient.model.state_dict())
    assert not one.evaluate(dataset_of_outputs, torch.arange(len(dataset))).right.any()
    assert torch.equal(gold, dataset.gold)
