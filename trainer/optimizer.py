"""The optimisers: one flat vector for all weights of a network, clipped and stepped as a whole.

torch.optim would do the same, but its first optimiser in a process loads a compiler that is never used:
more than a second and 70 MB, in each worker.
"""

import math
from abc import ABC, abstractmethod
from typing import Literal

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from lane.trainer.state import Stateful


class Optimizer(Stateful, ABC):
    """Moves the weights of one network down its gradient."""

    kept = ("steps", "first", "second")

    def __init__(
        self,
        network: torch.nn.Module,
        rate: float,
        clip: float,
        clip_by: Literal["norm", "largest"] = "norm",
        weight_decay: float = 0.0,
    ) -> None:
        self.parameters, self.rate, self.clip = list(network.parameters()), rate, clip
        self.order = 2.0 if clip_by == "norm" else math.inf  # of the norm that is clipped
        self.weight_decay = weight_decay
        weights = parameters_to_vector(self.parameters).detach()
        self.steps = 0
        self.first, self.second = torch.zeros_like(weights), torch.zeros_like(weights)  # running means

    @torch.no_grad()
    def step(self) -> None:
        """One step along the gradient that a backward pass has left; the gradient is cleared."""
        gradient = parameters_to_vector(
            [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters]
        )
        # Clipped as by torch.nn.utils.clip_grad_norm_, which adds 1e-6 against a division by zero.
        gradient *= (self.clip / (torch.linalg.vector_norm(gradient, self.order) + 1e-6)).clamp(max=1.0)
        if self.weight_decay:
            gradient.add_(parameters_to_vector(self.parameters), alpha=self.weight_decay)
        self.steps += 1
        change = torch.split(self.change(gradient), [p.numel() for p in self.parameters])
        for parameter, part in zip(self.parameters, change, strict=True):
            parameter.add_(part.view_as(parameter))
            parameter.grad = None

    @abstractmethod
    def change(self, gradient: Tensor) -> Tensor:
        """What to add to the weights; updates the running means."""


class Adam(Optimizer):
    """Adam, with a squared gradient that is averaged over some 50 updates (0.98) and not the usual 1000.

    The size of the gradient changes with the policy and with the lesson, and a lesson may be over after a
    hundred updates. The other numbers are the usual ones.
    """

    def change(self, gradient: Tensor) -> Tensor:
        """The mean gradient divided by its mean size, both corrected for their start at 0."""
        keep, keep_square = 0.9, 0.98
        self.first.lerp_(gradient, 1 - keep)
        self.second.mul_(keep_square).addcmul_(gradient, gradient, value=1 - keep_square)
        size = (self.second / (1 - keep_square**self.steps)).sqrt_().add_(1e-8)
        return self.first / size * (-self.rate / (1 - keep**self.steps))


class Adadelta(Optimizer):
    """AdaDelta, the optimiser of the paper, with torch's defaults."""

    def change(self, gradient: Tensor) -> Tensor:
        """The gradient, scaled to the size of earlier changes."""
        keep, floor = 0.9, 1e-6
        self.second.mul_(keep).addcmul_(gradient, gradient, value=1 - keep)
        change = (self.first + floor).sqrt_() / (self.second + floor).sqrt_() * gradient
        self.first.mul_(keep).addcmul_(change, change, value=1 - keep)
        return -self.rate * change


OPTIMIZERS: dict[str, type[Optimizer]] = {"adam": Adam, "adadelta": Adadelta}
