"""Agreement: what independent models say about commands that nobody labelled."""

from dataclasses import replace

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
    compared = agreement.between(fit(0, 1, tiny_config), fit(1, 1, tiny_config))
    assert compared.share == 1.0
    assert compared.commands > 0
    assert compared.differing == ()


def test_different_models_do_not(agreement, tiny_config, said):
    one, other = fit(0, 1, tiny_config), fit(1, 2, tiny_config)
    compared = agreement.between(one, other)
    assert compared.share < 1.0
    assert compared.share == agreement.between(other, one).share
    known = {" ".join(pair.source) for pair in said.pairs}
    sizes = [len(each.command.split()) for each in compared.differing]
    assert sizes == sorted(sizes)
    assert len(sizes) == min(10, compared.commands - compared.agreed)
    for each in compared.differing:
        assert each.command not in known
        assert len(set(each.outputs)) == 2


def test_no_command_that_is_compared_is_a_training_command(agreement, tiny_config, said):
    _, made = agreement.made(fit(0, 1, tiny_config))
    assert len(made.commands) > 0
    assert not {pair.source for pair in made.commands.pairs} & {pair.source for pair in said.pairs}


def test_commands_that_a_fit_brings_along_are_not_made_again(agreement, tiny_config):
    _, made = agreement.made(fit(0, 1, tiny_config))
    bringing = replace(fit(1, 1, tiny_config), made=made)
    assert agreement.made(bringing)[1] is made


def test_with_itself_is_the_share_of_its_own_commands_that_it_derives_as_meant(agreement, tiny_config):
    model = fit(0, 1, tiny_config)
    learner, made = agreement.made(model)
    right = learner.evaluate(made.commands, torch.arange(len(made.commands))).right.tolist()
    assert agreement.with_itself(model).agreed == sum(right) > 0
    first, *rest = (pair for pair, each in zip(made.commands.pairs, right, strict=True) if each)
    otherwise = made.commands.like([Pair(first.source, (*first.target, "A")), *rest])
    agreement._kept[0] = learner, made._replace(commands=otherwise, placed=frozenset([first.source]))
    compared = agreement.with_itself(model)
    assert (compared.commands - compared.agreed, compared.placed, compared.placed_agreed) == (1, 1, 0)
    assert [each.command for each in compared.differing] == [" ".join(first.source)]


def test_commands_longer_than_every_pair_are_counted(agreement, tiny_config, said):
    model = fit(0, 1, tiny_config)
    learner, made = agreement.made(model)
    long = Pair(("a",) * 4, ("A",))
    agreement._kept[0] = learner, made._replace(commands=made.commands.like([*made.commands.pairs, long]))
    assert agreement.with_itself(model).longer == 1


def test_models_that_get_nothing_right_have_nothing_to_be_compared_on(
    pairs, vocabularies, dataset, tiny_config
):
    torch.manual_seed(3)
    sizes = [len(vocabulary) for vocabulary in vocabularies]
    weights = LaneModel(*sizes, tiny_config.network(False)).state_dict()
    ends = {**weights, "solver.output.bias": weights["solver.output.bias"] - 50}
    ends["solver.output.bias"][-1] += 100  # everything means the last action, again and again
    fits = [new_fit(i, ends) for i in range(2)]
    alike = Agreement(dataset, tiny_config, "cpu")
    assert alike.between(*fits).share is None
    assert alike.with_itself(fits[0]).share is None
