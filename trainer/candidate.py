"""A candidate: attempts from seeds of its own, until one fits or all are spent."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from lane.base.errors import LaneError
from lane.models import checkpoint
from lane.models.model import LaneModel
from lane.trainer.attempt import Attempt
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Learner
from lane.trainer.recombine import Recombined, new_commands
from lane.trainer.training import Halted, OnReport, Run

SAVE_EVERY = 5.0  # seconds of work that a kill can cost


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The model of an attempt, and how well it fits."""

    number: int  # of the candidate
    seed: int
    constants: bool | tuple[int, ...]
    fitted: bool
    wrong: tuple[int, ...]  # examples that it gets wrong
    simplicity: float  # mean over all examples
    rules: int
    updates: int
    trajectories: int
    lacks_constants: bool  # the attempt seems to have failed for lack of constants
    longest: int  # words of the longest commands of its last lesson
    gaining: bool  # it was stopped while it still improved
    weights: dict[str, Tensor]
    made: Recombined | None = None  # its new commands, if it fits: made here, beside the other candidates

    @property
    def merit(self) -> tuple[bool, int, float, int]:
        """Better is smaller: it fits, gets fewest wrong, is simplest, has fewest rules."""
        return (not self.fitted, len(self.wrong), round(-self.simplicity, 4), self.rules)

    def learner(self, dataset: Dataset, config: TrainConfig, device: str) -> Learner:
        """Its model, ready to be evaluated."""
        model = LaneModel(len(dataset.source), len(dataset.target), config.network(self.constants))
        model.load_state_dict(self.weights)
        return Learner(model.to(device), config)


def train_candidate(run: Run, number: int, on_report: OnReport, halted: Halted) -> Fit:
    """The best fit of its attempts; once `halted`, of those so far.

    Its state is kept in the run directory, and an earlier one there is resumed.
    """
    # One thread: results must not depend on how a sum is split, and the other cores have their own candidate.
    torch.set_num_threads(1)
    path = run.state_path(number)
    ended, attempt = _resumed(run, number) if path.exists() else ([], None)
    saved = time.monotonic()
    while not _is_done(ended, run.config):
        attempt = attempt or next_attempt(run, number, ended)
        while not attempt.ended:
            if halted():
                _keep(path, run, ended, attempt)
                return _best([*ended, _measured(attempt, number)])
            on_report(replace(attempt.stride(), candidate=number, attempt=len(ended)))
            if time.monotonic() - saved > SAVE_EVERY:
                _keep(path, run, ended, attempt)
                saved = time.monotonic()
        ended.append(_measured(attempt, number))
        attempt = None
    _keep(path, run, ended, None)
    best = _best(ended)
    if not (best.fitted and run.config.composer):
        return best
    learner = best.learner(run.dataset, run.config, run.device)
    made = new_commands(learner, run.dataset, run.config, number, run.reading())
    return replace(best, made=made)


def _resumed(run: Run, number: int) -> tuple[list[Fit], Attempt | None]:
    """The attempts in a state on disk; a damaged or malformed one is an error that names the remedy."""
    path = run.state_path(number)
    try:
        kept = checkpoint.load(path).training
        ended = [Fit(**fit) for fit in kept["ended"]]
        if kept["attempt"] is None:
            return ended, None
        attempt = next_attempt(run, number, ended)
        attempt.restore(kept["attempt"])
    except (LaneError, AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).removeprefix(f"{path}: ").split())
        raise LaneError(
            f"{path}: a state that cannot be resumed ({reason[:200]}); delete this file and resume again: "
            "this candidate starts over, and the result is the same"
        ) from None
    return ended, attempt


def _is_done(ended: Sequence[Fit], config: TrainConfig) -> bool:
    """Whether one fits, or no attempt is left.

    A fit with misfits is good enough only after another attempt, which has constants if the pairs may need
    them.
    """
    if not ended:
        return False
    best = _best(ended)
    enough = 1 if not best.wrong or config.constants != "if-needed" else 2
    return (best.fitted and len(ended) >= enough) or len(ended) >= config.attempts


def _best(fits: Sequence[Fit]) -> Fit:
    """The first of the best, with the work of all."""
    best = min(fits, key=lambda fit: fit.merit)
    updates, trajectories = sum(fit.updates for fit in fits), sum(fit.trajectories for fit in fits)
    return replace(best, updates=updates, trajectories=trajectories)


def next_attempt(run: Run, number: int, ended: Sequence[Fit]) -> Attempt:
    """A new attempt, with the constants that the pairs or the failures of the earlier ones suggest.

    Where the rules that were read off the pairs leave some unexplained, every other attempt does without.
    """
    seed = derived_seed(run.seed, number, len(ended))
    induced = run.induced
    if induced is not None and induced.lost and len(ended) % 2:
        induced = None
    constants = _constants(run, ended) if induced is None else induced.constants_for(run.config.constants)
    return Attempt(run.dataset, run.config, seed, constants, run.device, induced)


def _constants(run: Run, ended: Sequence[Fit]) -> bool | tuple[int, ...]:
    """Which actions the next attempt's rules may hold beside variables, if nothing is known of the rules.

    If needed: none until an attempt seems to have failed for lack of them, then those that no single word
    stands for, which are few and easily found. Every fourth attempt has all, in case that guess is wrong.
    """
    if run.config.constants != "if-needed":
        return run.config.constants == "always"
    if len(ended) % 4 == 3:
        return True
    return any(fit.lacks_constants for fit in ended) and run.dataset.not_alone()


def _measured(attempt: Attempt, number: int) -> Fit:
    evaluations = attempt.evaluate_all()
    spans = {
        tuple(span)
        for e in evaluations
        for span in e.rollout.derivations.nodes.leaves[
            torch.unique(e.rollout.derivations.node[e.rollout.solution >= 0])
        ].tolist()
    }
    return Fit(
        number=number,
        seed=attempt.seed,
        constants=attempt.constants,
        fitted=attempt.outcome == "fitted",
        wrong=tuple(torch.cat([e.index[~(e.right & e.whole)] for e in evaluations]).tolist()),
        simplicity=float(torch.cat([e.simplicity for e in evaluations]).mean()),
        rules=len(spans),
        updates=attempt.updates,
        trajectories=attempt.learner.trajectories,
        lacks_constants=attempt.lacks_constants,
        longest=attempt.curriculum.longest,
        gaining=attempt.gaining,
        weights={name: value.detach().cpu().clone() for name, value in attempt.model.state_dict().items()},
    )


def _keep(path: Path, run: Run, ended: Sequence[Fit], attempt: Attempt | None) -> None:
    """A checkpoint of the present model, or of the best one once all attempts have ended."""
    if attempt is None:
        best = _best(ended)
        constants, weights, state = best.constants, best.weights, None
    else:
        constants, weights, state = attempt.constants, attempt.model.state_dict(), attempt.state()
    kept = checkpoint.Checkpoint(
        config=run.config.network(constants),
        source=run.dataset.source,
        target=run.dataset.target,
        weights=weights,
        training={"ended": [vars(fit) for fit in ended], "attempt": state},
    )
    checkpoint.save(kept, path)


def derived_seed(*parts: int) -> int:
    """A separate seed for each part of a run, the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6], "big")
