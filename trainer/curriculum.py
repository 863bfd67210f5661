"""Lessons by length: which examples are in play, which of them to draw, and when a lesson is over."""

from typing import ClassVar, Literal

import torch
from torch import Tensor

from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Evaluation
from lane.trainer.state import Stateful

# Draws of one example into one update by its deficit: about a tenth of the default 64 examples, so that a few
# wrong pairs, which may be noise, do not dominate the update.
MOST_DRAWS = 6
Verdict = Literal["go on", "passed", "stalled"]


class Curriculum(Stateful):
    """The lessons of one attempt."""

    kept: ClassVar[tuple[str, ...]] = (
        "lesson",
        "best_accuracy",
        "best_simplicity",
        "no_gain",
        "order",
        "deficit",
        "wrong_for",
    )

    def __init__(self, dataset: Dataset, config: TrainConfig, explained: bool = True) -> None:
        """`explained`: whether there are rules for all pairs, so that every lesson can be learned."""
        self.config, self.length = config, dataset.length
        self.stragglers = 0.0 if explained else config.stragglers
        lengths = sorted(set(dataset.length.tolist()))
        self.lessons: list[int] = lengths if config.curriculum else lengths[-1:]
        self.lesson = 0  # index into `lessons`
        self.best_accuracy = -1.0
        self.best_simplicity = -1.0
        self.no_gain = 0  # evaluations since either of them last rose
        self.order = torch.randperm(len(dataset))
        self.deficit = torch.zeros([len(dataset)])  # how much each example still lacks
        self.wrong_for = torch.zeros([len(dataset)], dtype=torch.int64)  # evaluations in a row

    @property
    def longest(self) -> int:
        """The number of words of the longest examples in this lesson."""
        return self.lessons[self.lesson]

    @property
    def is_last(self) -> bool:
        """Whether every example is in play."""
        return self.lesson == len(self.lessons) - 1

    @property
    def entropy(self) -> float:
        """The bonus of this lesson."""
        return self.config.entropy * 0.5 ** max(0, self.lesson + 1 - self.config.entropy_lessons)

    @property
    def stride(self) -> int:
        """Updates until the next evaluation."""
        return self.config.evaluate_every

    def pool(self) -> Tensor:
        """All examples of the lesson."""
        return torch.nonzero(self.length <= self.longest).squeeze(1)

    def probe(self) -> Tensor:
        """The examples to evaluate: a fixed sample of a large pool, and all that were wrong."""
        pool = self.pool()
        return pool[
            (self.order[pool].argsort().argsort() < self.config.evaluate_most) | (self.wrong_for[pool] > 0)
        ]

    def draw(self) -> Tensor:
        """The examples of the next update: by deficit, from the newest length, and from all."""
        count, pool = self.config.examples, self.pool()
        focused, newest = round(count * self.config.focus), round(count * self.config.newest)
        newest = min(newest, count - focused)
        lacking = self.deficit[pool]
        # A handful of pairs must not take up half of every update: the data may be wrong about them.
        focused = min(focused, MOST_DRAWS * int((lacking > 0).sum()))
        if focused and lacking.sum() > 0:
            by_deficit = pool[torch.multinomial(lacking, focused, replacement=True)]
        else:
            by_deficit = _any_of(pool, focused)
        newest_pool = torch.nonzero(self.length == self.longest).squeeze(1)
        rest = _any_of(pool, count - focused - newest)
        return torch.cat([by_deficit, _any_of(newest_pool, newest), rest])

    def note(self, evaluation: Evaluation) -> None:
        """Remember how much each example lacks: at most 1/2 if it is right but not simple, 1 if it is wrong.

        An example that stays wrong is drawn less and less, since the data may be at fault.
        """
        right = evaluation.right & evaluation.whole
        index = evaluation.index
        streak = torch.where(right, torch.zeros_like(index), self.wrong_for[index] + 1)
        self.wrong_for[index] = streak
        weary = 1.0 / (1.0 + (streak - self.config.patience // 2).clamp(min=0))
        self.deficit[index] = torch.where(right, 0.5 * (1 - evaluation.simplicity), weary)

    def judge(self, evaluation: Evaluation, sampled: float) -> Verdict:
        """Whether the lesson is passed, is stalled or goes on; `sampled` is the share of right samples.

        A sample of a longer command is right only if all its parts are. If the next lesson begins while
        samples are mostly wrong, it finds nothing to reward, and the entropy bonus unlearns the earlier ones.
        """
        accuracy, simple = evaluation.accuracy, float(evaluation.simplicity.mean())
        # 1e-4: one simpler example of some thousands is a gain, the rounding of their mean is not.
        if accuracy > self.best_accuracy or (accuracy == 1 and simple > self.best_simplicity + 1e-4):
            self.best_accuracy, self.no_gain = max(accuracy, self.best_accuracy), 0
            self.best_simplicity = simple if accuracy == 1 else -1.0
        else:
            self.no_gain += 1
        sure = simple > 0.9999 and sampled >= self.config.sure  # 1, but for the rounding of a mean
        if accuracy == 1 and (sure or self.no_gain >= self.config.patience):
            return "passed"
        wrong = int((~(evaluation.right & evaluation.whole)).sum())
        # 2: in a short lesson the share of misfits is less than one pair.
        few = wrong <= max(2, self.config.misfits * len(evaluation.index))
        if accuracy < 1 and few and self.no_gain >= self.config.patience and self._are_old(evaluation):
            return "passed"
        if self.gives_up and wrong <= self.stragglers * len(evaluation.index):
            return "passed"
        return "stalled" if self.no_gain >= self.config.stall else "go on"

    @property
    def gives_up(self) -> bool:
        """Whether to leave stragglers behind: what later lessons have to teach is worth more than they are.

        At half a stall, since the accuracy of such a lesson goes up and down, and may be low at its end.
        """
        return self.stragglers > 0 and self.no_gain >= self.config.stall // 2

    def _are_old(self, evaluation: Evaluation) -> bool:
        """Whether all wrong examples have been wrong for long: then the data is taken to be at fault."""
        wrong = evaluation.index[~(evaluation.right & evaluation.whole)]
        return bool((self.wrong_for[wrong] >= self.config.patience).all())

    def next_lesson(self) -> None:
        """Add the examples of the next length."""
        self.lesson += 1
        self.best_accuracy = self.best_simplicity = -1.0
        self.no_gain = 0


def _any_of(pool: Tensor, count: int) -> Tensor:
    return pool[torch.randint(len(pool), [count])]
