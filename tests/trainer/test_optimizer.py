"""Our optimisers against torch's, step by step, and the reason they exist."""

import subprocess
import sys
from typing import Literal

import pytest
import torch

from lane.trainer.optimizer import OPTIMIZERS, Optimizer

RATE, CLIP = 0.05, 1.0


def _network() -> torch.nn.Module:
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2))


def _gradients(network: torch.nn.Module, step: int) -> None:
    inputs = torch.randn([9, 5], generator=torch.Generator().manual_seed(step))
    loss = (network(inputs) ** 2).mean() * (100.0 if step % 2 else 0.1)  # clipped, and not
    loss.backward()  # type: ignore[no-untyped-call]


def _theirs(name: str, network: torch.nn.Module, decay: float) -> torch.optim.Optimizer:
    if name == "adam":
        return torch.optim.Adam(network.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=decay)
    return torch.optim.Adadelta(network.parameters(), lr=RATE, weight_decay=decay)


def _weights(network: torch.nn.Module) -> torch.Tensor:
    return torch.nn.utils.parameters_to_vector(network.parameters()).detach().clone()


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize(("clip_by", "order"), [("norm", 2.0), ("largest", torch.inf)])
@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_takes_the_same_steps_as_torch(
    name: str, clip_by: Literal["norm", "largest"], order: float, decay: float
) -> None:
    ours, theirs = _network(), _network()
    optimizer = OPTIMIZERS[name](ours, RATE, CLIP, clip_by, decay)
    reference = _theirs(name, theirs, decay)
    for step in range(40):
        before = _weights(ours)
        _gradients(ours, step)
        optimizer.step()
        reference.zero_grad()
        _gradients(theirs, step)
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), CLIP, order)
        reference.step()
        assert not torch.equal(before, _weights(ours))
        torch.testing.assert_close(_weights(ours), _weights(theirs), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_goes_on_bit_by_bit_from_a_kept_state(name: str) -> None:
    def run(optimizer: Optimizer, network: torch.nn.Module, steps: range) -> None:
        for step in steps:
            _gradients(network, step)
            optimizer.step()

    whole, parts = _network(), _network()
    run(OPTIMIZERS[name](whole, RATE, CLIP), whole, range(10))
    first = OPTIMIZERS[name](parts, RATE, CLIP)
    run(first, parts, range(5))
    second = OPTIMIZERS[name](parts, RATE, CLIP)
    second.restore(first.state())
    run(second, parts, range(5, 10))
    assert torch.equal(_weights(whole), _weights(parts))


def test_a_weight_without_gradient_stays() -> None:
    network = _network()
    unused = torch.nn.Parameter(torch.ones(3))
    network.register_parameter("unused", unused)
    optimizer = OPTIMIZERS["adam"](network, RATE, CLIP)
    _gradients(network, 0)
    optimizer.step()
    assert torch.equal(unused, torch.ones(3))


def test_training_does_not_load_torchs_compiler() -> None:
    code = """
import sys
from lane.trainer.attempt import Attempt
from lane.trainer.config import TrainConfig
from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.base.vocabulary import Vocabulary
pairs = (Pair(("a",), ("A",)), Pair(("b",), ("B",)))
words = Vocabulary(("a", "b")), Vocabulary(("A", "B"))
Attempt(Dataset(pairs, *words), TrainConfig(), 1, False).stride()
assert "torch._dynamo" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
