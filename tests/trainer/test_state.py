"""State to keep: nested, of every kind of part, and independent of what happens after."""

from copy import deepcopy

import torch

from lane.trainer.state import Stateful


class Part(Stateful):
    kept = ("count", "means")

    def __init__(self) -> None:
        self.count, self.means = 0, torch.zeros(3)


class Whole(Stateful):
    kept = ("part", "network", "name")

    def __init__(self) -> None:
        self.part, self.network, self.name = Part(), torch.nn.Linear(2, 2), "new"
        self.cache = "not kept"


def test_everything_that_is_named_is_kept_and_nothing_else():
    one, other = Whole(), Whole()
    one.part.count, one.name, one.cache = 5, "old", "changed"
    one.part.means += 1
    other.restore(one.state())
    assert (other.part.count, other.part.means.tolist(), other.name) == (5, [1.0] * 3, "old")
    assert torch.equal(other.network.weight, one.network.weight)
    assert other.cache == "not kept"


def test_a_kept_state_does_not_change_when_training_continues():
    one = Whole()
    state = deepcopy(one.state())
    one.restore(state)
    one.part.means += 1
    with torch.no_grad():
        one.network.weight.zero_()
    again = Whole()
    again.restore(state)
    assert again.part.means.tolist() == [0.0] * 3
    assert again.network.weight.all()
