"""Accuracy, rules and misfits of a model."""

import pytest
import torch

from lane.data.pair import Pair
from lane.models.model import LaneModel
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Learner
from lane.trainer.measurement import measure, misfits, used_rules


@pytest.fixture(scope="module")
def learner(dataset, tiny_config):
    torch.manual_seed(1)
    return Learner(
        LaneModel(len(dataset.source), len(dataset.target), tiny_config.network(False)), tiny_config
    )


def output(learner, dataset, text):
    words = torch.tensor([[dataset.source.number(word) for word in text.split()]])
    values = learner.model.rollout(words, None, 100).values
    return tuple(dataset.target.word(a) for a in values.actions[0, : values.length[0]].tolist())


def test_a_test_pair_with_an_unknown_word_is_wrong_and_repeated_ones_count(learner, dataset):
    says = output(learner, dataset, "walk")
    right, unknown = Pair(("walk",), says), Pair.of("fly", "F")
    assert measure(learner, (right, right, unknown, unknown), dataset) == 0.5
    assert measure(learner, (right, Pair(("walk",), (*says, "W"))), dataset) == 0.5
    assert measure(learner, (unknown,), dataset) == 0.0


def test_rules_are_counted_over_all_chunks(learner, dataset, monkeypatch):
    whole = used_rules(learner, dataset)
    assert {rule.span for rule in whole} >= {("walk",), ("run",), ("look",)}
    monkeypatch.setattr("lane.trainer.dataset.CHUNK", 1)
    assert used_rules(learner, dataset) == whole


def test_misfits_are_the_pairs_with_another_output(learner, dataset):
    pairs = (Pair(("walk",), output(learner, dataset, "walk")), Pair(("run",), ("W", "W", "L", "R")))
    data = Dataset(pairs, dataset.source, dataset.target)
    (found,) = misfits(learner, data, (0, 1))
    assert (found.source, found.target) == (("run",), ("W", "W", "L", "R"))
    assert found.says == output(learner, dataset, "run")
    assert misfits(learner, data, ()) == ()
