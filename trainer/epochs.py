"""Lessons of shuffled epochs, as the published code has them: what to draw, and when a lesson is over.

A lesson ends when development pairs of its length are right, or after a number of epochs, whatever was
learned: what one lesson gets wrong the next may put right.
"""

import torch
from torch import Tensor

from lane.trainer.config import TrainConfig
from lane.trainer.curriculum import Curriculum, Verdict
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Evaluation

FEW = 100  # pairs; a lesson of fewer is repeated EIGHT times an epoch, and none of so few are held out
SEVERAL = 500  # pairs; a lesson of fewer is repeated twice
REPEATED = ((FEW, 8), (SEVERAL, 2))
STRIDE = 500  # updates; an epoch of more is evaluated every `evaluate_every` updates, else only at its end


class Epochs(Curriculum):
    """The lessons of one attempt, epoch after epoch."""

    kept = (*Curriculum.kept, "held", "rest", "epochs", "epochs_in_all")

    def __init__(self, dataset: Dataset, config: TrainConfig) -> None:
        super().__init__(dataset, config)
        if config.curriculum:
            longer = [length for length in self.lessons if length > config.first_lesson]
            self.lessons = [config.first_lesson, *longer] if len(longer) < len(self.lessons) else longer
        share = config.development if len(dataset) >= FEW else 0.0
        self.held = torch.zeros([len(dataset)], dtype=torch.bool)
        self.held[torch.randperm(len(dataset))[: round(share * len(dataset))]] = True
        self.rest = torch.zeros([0], dtype=torch.int64)  # of this epoch
        self.epochs = 0  # begun in this lesson
        self.epochs_in_all = 0

    @property
    def entropy(self) -> float:
        """The bonus of this lesson."""
        return max(super().entropy, min(self.config.entropy, self.config.entropy_floor))

    @property
    def stride(self) -> int:
        """Updates until the next evaluation; an epoch begins where none is left."""
        left = -(-len(self.rest) // self.config.examples)
        epoch = -(-len(self._epoch()) // self.config.examples)
        return min(left or epoch, self.config.evaluate_every if epoch > STRIDE else epoch)

    def _learned(self) -> Tensor:
        """The pairs of the lesson that are trained on."""
        shared = self.length <= self.config.development_words
        return torch.nonzero((self.length <= self.longest) & (~self.held | shared)).squeeze(1)

    def _epoch(self) -> Tensor:
        """The examples of an epoch in order: short lessons several times."""
        pool = self._learned()
        times = next((times for size, times in REPEATED if len(pool) < size), 1)
        return pool.repeat(times)

    def draw(self) -> Tensor:
        """The next examples of the epoch; its last draw may have fewer."""
        if len(self.rest) == 0:
            epoch = self._epoch()
            self.rest = epoch[torch.randperm(len(epoch))]
            self.epochs += 1
            self.epochs_in_all += 1
        drawn, self.rest = self.rest[: self.config.examples], self.rest[self.config.examples :]
        return drawn

    def development(self, longest: int) -> Tensor:
        """The development pairs of up to this many words; where there is none, those that are trained on."""
        short = self.length <= longest
        held = torch.nonzero(short & self.held).squeeze(1)
        return held if len(held) > 0 else torch.nonzero(short).squeeze(1)

    def probe(self) -> Tensor:
        """The examples to evaluate: a new sample of the development pairs of the lesson."""
        pool = self.development(self.longest)
        return pool[torch.randperm(len(pool))[: self.config.evaluate_most]]

    def note(self, evaluation: Evaluation) -> None:
        """Nothing: every example is drawn equally often."""

    def judge(self, evaluation: Evaluation, sampled: float) -> Verdict:
        """Whether the lesson is passed or over, or the epochs are."""
        if evaluation.accuracy >= self.config.enough:
            return "passed"
        if len(self.rest) > 0 or self.epochs == 0:
            return "go on"
        if self.epochs_in_all >= self.config.most_epochs:
            return "stalled"
        return "passed" if self.epochs >= self._most() and not self.is_last else "go on"

    def _most(self) -> int:
        """Epochs of this lesson at most."""
        limits = self.config.epochs
        return limits[self.lesson] if self.lesson < len(limits) else 1

    def next_lesson(self) -> None:
        """Add the examples of the next length, in a new epoch."""
        super().next_lesson()
        self.rest, self.epochs = self.rest[:0], 0


def curriculum_of(dataset: Dataset, config: TrainConfig, explained: bool = True) -> Curriculum:
    """The lessons that the settings ask for; `explained` as in Curriculum."""
    return Epochs(dataset, config) if config.epochs else Curriculum(dataset, config, explained)
