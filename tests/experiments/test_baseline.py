"""Baselines learn what they are shown, and know when they are wrong."""

from dataclasses import replace

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data import load_task
from lane.experiments import baseline
from lane.experiments.baseline import END, KINDS, Recipe, _accuracy, _greedy, _tensors, measure

SMALL = Recipe(
    size=32, layers=2, heads=4, batch=16, dropout=0.0, evaluate_every=100, patience=4, most_updates=2000
)


@pytest.mark.parametrize("kind", KINDS)
def test_they_learn_the_pairs_of_miniscan(kind):
    found = measure(load_task("limit"), kind, 1, recipe=SMALL)
    assert found["accuracy"]["train"] > 0.9
    assert round(10 * found["accuracy"]["test"], 6) in range(11), "a share of the ten test pairs"
    assert found["stopped"]
    assert found["updates"] < 2000
    assert found["parameters"] > 10_000


@pytest.mark.parametrize(("patience", "updates", "stopped"), [(3, 6, True), (50, 40, False)])
def test_training_ends_when_its_accuracy_gains_no_more(monkeypatch, patience, updates, stopped):
    """It rises for three looks, and falls then."""
    looks = iter([0.1, 0.2, 0.3, *[0.3, 0.2] * 30])
    monkeypatch.setattr(baseline, "_accuracy", lambda network, data: next(looks))
    recipe = replace(SMALL, evaluate_every=1, patience=patience, most_updates=40)
    network = KINDS["lstm"](3, 3, recipe)
    data = torch.tensor([[1, 2], [2, 3]]), torch.tensor([[1, 2], [2, 3]])
    assert baseline._train(network, data, data, recipe) == (updates, stopped)


def test_training_ends_when_all_is_right(monkeypatch):
    monkeypatch.setattr(baseline, "_accuracy", lambda network, data: 1.0)
    network = KINDS["lstm"](3, 3, SMALL)
    data = torch.tensor([[1, 2], [2, 3]]), torch.tensor([[1, 2], [2, 3]])
    assert baseline._train(network, data, data, SMALL) == (100, True)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind):
    torch.manual_seed(2)
    network = KINDS[kind](5, 4, SMALL).eval()
    words, begun = torch.tensor([[1, 2, 3]]), torch.tensor([[END, 2, 1]])
    alone = network(words, begun)
    beside = network(torch.tensor([[1, 2, 3, 0, 0], [5, 4, 3, 2, 1]]), begun.expand(2, -1))
    torch.testing.assert_close(alone[0], beside[0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_future_is_not_seen(kind):
    torch.manual_seed(3)
    network = KINDS[kind](5, 4, SMALL).eval()
    words = torch.tensor([[1, 2, 3]])
    short = network(words, torch.tensor([[END, 2]]))
    long = network(words, torch.tensor([[END, 2, 4, 1]]))
    torch.testing.assert_close(short, long[:, :2], atol=1e-5, rtol=1e-4)


class Says(torch.nn.Module):
    """Writes the same whatever it is told."""

    def __init__(self, actions):
        super().__init__()
        self.actions = actions

    def forward(self, words, begun):
        step = begun.size(1) - 1
        action = self.actions[step] if step < len(self.actions) else END
        return (
            torch.nn.functional.one_hot(torch.tensor([[action]]), 5)
            .float()
            .expand(len(words), begun.size(1), -1)
        )


def test_only_the_whole_output_counts():
    task = load_task("limit")
    pairs = [pair for pair in task.train if len(pair.target) == 3][:1]
    source, target = (Vocabulary.of(getattr(pair, side) for pair in pairs) for side in ("source", "target"))
    data = _tensors(pairs, source, target)
    gold = data[1][0].tolist()
    assert _accuracy(Says(gold), data) == 1.0
    assert _accuracy(Says([*gold, 1]), data) == 0.0, "too long"
    assert _accuracy(Says(gold[:-1]), data) == 0.0, "too short"
    assert _greedy(Says(gold), data[0], 5).tolist() == [[*gold, END, END]]
