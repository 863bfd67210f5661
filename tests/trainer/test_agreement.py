"""Agreement: what independent models say about commands that nobody labelled."""

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.models.model import LaneModel
from lane.trainer.agreement import Agreement
from lane.trainer.candidate import Fit
from lane.trainer.dataset import Dataset, padded

SOURCE = Vocabulary(["a", "b", "c", "d"])
TARGET = Vocabulary(["A", "B", "C"])


def new_fit(number: int, weights: dict[str, torch.Tensor]) -> Fit:
    return Fit(
        number=number,
        seed=1,
        constants=False,
        fitted=True,
        wrong=(),
        simplicity=1.0,
        rules=1,
        updates=1,
        trajectories=1,
        lacks_constants=False,
        longest=1,
        gaining=False,
        weights=weights,
    )


def fit(number: int, seed: int, config) -> Fit:
    torch.manual_seed(seed)
    weights = LaneModel(4, 3, config.network(False)).state_dict()
    return new_fit(number, {name: 4 * value for name, value in weights.items()})


@pytest.fixture
def said(tiny_config):
    """Commands, labelled with what the model of seed 1 says: it is right about each."""
    learner = fit(0, 1, tiny_config).learner(Dataset([], SOURCE, TARGET), tiny_config, "cpu")
    commands = [
        [a, b, c][:length] for a in (1, 2, 3, 4) for b in (1, 2) for c in (3, 4) for length in (1, 2, 3)
    ]
    values = learner.model.rollout(padded(commands), None, 100).values
    pairs = [
        Pair(tuple(map(SOURCE.word, words)), tuple(map(TARGET.word, actions[:length])))
        for words, actions, length in zip(
            commands, values.actions.tolist(), values.length.tolist(), strict=True
        )
        if length
    ]
    return Dataset(pairs, SOURCE, TARGET)


@pytest.fixture
def agreement(said, tiny_config):
    return Agreement(said, tiny_config, "cpu")


def test_equal_models_agree(agreement, tiny_config):
    assert agreement.between(fit(0, 1, tiny_config), fit(1, 1, tiny_config)) == 1.0


def test_different_models_do_not(agreement, tiny_config):
    one, other = fit(0, 1, tiny_config), fit(1, 2, tiny_config)
    share = agreement.between(one, other)
    assert share < 1.0
    assert share == agreement.between(other, one)


def test_with_itself_is_the_share_of_its_own_commands_that_it_derives_as_meant(agreement, tiny_config):
    model = fit(0, 1, tiny_config)
    learner, made = agreement._made(model)
    assert agreement.with_itself(model) == 1.0
    first, *rest = made.pairs
    meant_otherwise = Pair(first.source, (*first.target, "A"))
    agreement._kept[0] = learner, made.like([meant_otherwise, *rest])
    assert agreement.with_itself(model) == pytest.approx(1 - 1 / len(made))


def test_models_that_get_nothing_right_are_compared_on_the_examples(
    pairs, vocabularies, dataset, tiny_config
):
    torch.manual_seed(3)
    sizes = [len(vocabulary) for vocabulary in vocabularies]
    weights = LaneModel(*sizes, tiny_config.network(False)).state_dict()
    ends = {**weights, "solver.output.bias": weights["solver.output.bias"] - 50}
    ends["solver.output.bias"][-1] += 100  # everything means the last action, again and again
    fits = [new_fit(i, ends) for i in range(2)]
    alike = Agreement(dataset, tiny_config, "cpu")
    assert alike.between(*fits) == 1.0
    assert alike.with_itself(fits[0]) == 1.0
