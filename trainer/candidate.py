"""A candidate: attempts from seeds of its own, until one fits or all are spent."""

import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lane.models.model import LaneModel
from lane.trainer.attempt import Attempt, Report
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Learner


@dataclass(frozen=True)
class Fit:
    """What a candidate came to."""

    number: int
    seed: int
    constants: bool | tuple[int, ...]
    fitted: bool
    wrong: tuple[int, ...]  # examples that it does not get right
    simplicity: float  # mean over all examples
    rules: int
    updates: int
    trajectories: int
    attempts: int
    weights: dict[str, Tensor]

    @property
    def merit(self) -> tuple[bool, int, float, int]:
        """Better is smaller: it fits, gets fewest wrong, is simplest, has fewest rules."""
        return (not self.fitted, len(self.wrong), round(-self.simplicity, 4), self.rules)

    def learner(self, dataset: Dataset, config: TrainConfig, device: str) -> Learner:
        """Its model, ready to be evaluated."""
        model = LaneModel(len(dataset.source), len(dataset.target), config.network(self.constants))
        model.load_state_dict(self.weights)
        return Learner(model.to(device), config)


class Candidate:
    """Runs attempts one after the other, in strides."""

    def __init__(self, number: int, dataset: Dataset, config: TrainConfig, seed: int, device: str) -> None:
        self.number, self.dataset = number, dataset
        self.config, self.seed, self.device = config, seed, device
        self.tried = 0  # attempts that have ended
        self.updates = self.trajectories = 0  # of those
        self.fit: Fit | None = None  # the best of those
        self.needs_constants = False  # by what ended one of those
        self.attempt = self._begin()

    @property
    def done(self) -> bool:
        """Whether it fits, or has no attempt left.

        A fit with pairs set aside is good enough only after another attempt, with constants where the pairs
        may need them.
        """
        if self.fit is None:
            return False
        enough = 1 if not self.fit.wrong or self.config.constants != "if-needed" else 2
        return (self.fit.fitted and self.tried >= enough) or self.tried >= self.config.attempts

    def _begin(self) -> Attempt:
        """The next attempt."""
        constants = self._constants()
        seed = derived_seed(self.seed, self.number, self.tried)
        return Attempt(self.dataset, self.config, seed, constants, self.device)

    def _constants(self) -> bool | tuple[int, ...]:
        """Which actions the next attempt's rules may hold beside variables.

        Where it depends on need: none until an attempt seems to have ended for the lack of them, then those
        that no word alone stands for, which are few and easily found. Every fourth attempt has all.
        """
        if self.config.constants != "if-needed":
            return self.config.constants == "always"
        if self.tried % 4 == 3:
            return True
        return self.needs_constants and self.dataset.not_alone()

    def stride(self) -> Report:
        """One stride of the present attempt; where it ends, the next is made ready."""
        report = self.attempt.stride()
        if report.outcome in ("fitted", "stalled"):
            self._end()
            if not self.done:
                self.attempt = self._begin()
        return report

    def _end(self) -> None:
        self.tried += 1
        self.updates += self.attempt.updates
        self.trajectories += self.attempt.learner.trajectories
        self.needs_constants |= self.attempt.lacks_constants
        fit = self._measure()
        if self.fit is None or fit.merit < self.fit.merit:
            self.fit = fit

    def _measure(self) -> Fit:
        attempt = self.attempt
        evaluations = attempt.evaluate_all()
        wrong = torch.cat([e.index[~(e.right & e.whole)] for e in evaluations]).tolist()
        simplicity = float(torch.cat([e.simplicity for e in evaluations]).mean())
        spans = {
            tuple(span)
            for e in evaluations
            for span in e.rollout.derivations.nodes.leaves[
                torch.unique(e.rollout.derivations.node[e.rollout.solution >= 0])
            ].tolist()
        }
        weights = {name: value.detach().cpu().clone() for name, value in attempt.model.state_dict().items()}
        return Fit(
            number=self.number,
            seed=attempt.seed,
            constants=attempt.constants,
            fitted=attempt.outcome == "fitted",
            wrong=tuple(wrong),
            simplicity=simplicity,
            rules=len(spans),
            updates=self.updates,
            trajectories=self.trajectories,
            attempts=self.tried,
            weights=weights,
        )

    def stop(self) -> Fit:
        """The best so far, the unfinished attempt included."""
        if not self.done:
            self._end()
        assert self.fit is not None
        return self.fit

    def state(self) -> dict[str, Any]:
        """Everything needed to go on bit by bit as if nothing had happened."""
        return {
            "tried": self.tried,
            "updates": self.updates,
            "trajectories": self.trajectories,
            "needs_constants": self.needs_constants,
            "fit": None if self.fit is None else vars(self.fit),
            "attempt": self.attempt.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a kept state."""
        self.tried, self.updates = state["tried"], state["updates"]
        self.trajectories, self.needs_constants = state["trajectories"], state["needs_constants"]
        if state["fit"] is not None:
            self.fit = Fit(**state["fit"])
        # The state of a candidate that is done holds its last attempt, which has the number before.
        ended = 1 if self.done else 0
        self.tried -= ended
        self.attempt = self._begin()
        self.tried += ended
        self.attempt.restore(state["attempt"])


def derived_seed(*parts: int) -> int:
    """A seed of its own for each part of a run, the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6], "big")
