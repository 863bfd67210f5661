"""One attempt: a model from one seed, taken through the lessons until it fits or stalls."""

import copy
import time
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from lane.models.model import LaneModel
from lane.trainer import rules
from lane.trainer.config import TrainConfig
from lane.trainer.curriculum import Verdict
from lane.trainer.dataset import Dataset
from lane.trainer.epochs import Epochs, curriculum_of
from lane.trainer.grammar import TreeGrammar
from lane.trainer.induction import Induced
from lane.trainer.learner import Evaluation, Learner
from lane.trainer.recombine import grammar_of, recombined, representative
from lane.trainer.state import Stateful
from lane.trainer.teacher import Teacher

Outcome = Literal["training", "consolidating", "fitted", "stalled"]


@dataclass(frozen=True)
class Report:
    """An evaluation: for `on_report`, for the metrics file, and as a line for people."""

    seed: int = 0
    constants: bool = False
    outcome: Outcome = "training"
    updates: int = 0
    trajectories: int = 0
    lesson: int = 0
    lessons: int = 0
    longest: int = 0
    accuracy: float = 0.0
    simplicity: float = 0.0
    reward: float = 0.0
    rules: int = 0
    seconds: float = 0.0
    candidate: int = 0  # which of the candidates, from 0 on
    attempt: int = 0  # which of its attempts, from 0 on
    message: str = ""  # news of the whole run; the numbers are then those of the last evaluation

    def __str__(self) -> str:
        return self.message or (
            f"candidate {self.candidate + 1}  {self.seconds:6.1f} s  update {self.updates:4}  "
            f"lesson {self.lesson}/{self.lessons} (up to {self.longest} words)  "
            f"right {self.accuracy:7.2%}  simple {self.simplicity:.3f}  reward {self.reward:.2f}  "
            f"rules {self.rules:3}  {self.outcome}"
        )


class Attempt(Stateful):
    """Trains in strides: an evaluation, then some updates; between strides it can be kept and restored."""

    kept = (
        "learner",
        "curriculum",
        "outcome",
        "updates",
        "seconds",
        "wrong",
        "consolidations",
        "confirmations",
        "fitting",
        "reward",
        "sampled",
        "lacks_constants",
    )

    def __init__(
        self,
        dataset: Dataset,
        config: TrainConfig,
        seed: int,
        constants: bool | tuple[int, ...],
        device: str = "cpu",
        induced: Induced | None = None,
    ) -> None:
        torch.manual_seed(seed)
        self.dataset, self.config, self.seed, self.constants = dataset, config, seed, constants
        network = config.network(constants)
        self.model = LaneModel(len(dataset.source), len(dataset.target), network).to(device)
        teacher = Teacher(dataset, induced, network) if induced else None
        self.reading = teacher.reading if teacher else None
        self.learner = Learner(self.model, config, teacher)
        self.curriculum = curriculum_of(dataset, config, explained=not (induced and induced.lost))
        self.outcome: Outcome = "training"
        self.updates = 0
        self.seconds = 0.0
        self.wrong = torch.arange(len(dataset))  # by the last evaluation of all examples
        self.consolidations = 0
        self.confirmations = 0  # evaluations on new commands in a row without a mistake
        self.fitting: dict[str, Any] = {}  # the learner as it was when it first fitted
        self.reward = 0.0
        self.sampled = 0.0  # share of the last samples that were right
        self.lacks_constants = False  # it seems to have failed for lack of them
        self._grammar: TreeGrammar | None = None  # of its derivations, since the last update

    @property
    def ended(self) -> bool:
        """Whether it fits or has given up."""
        return self.outcome in ("fitted", "stalled")

    @property
    def gaining(self) -> bool:
        """Whether it goes on and has improved lately."""
        return not self.ended and self.curriculum.no_gain < self.config.patience

    def stride(self) -> Report:
        """Evaluate, judge, and train on until the next evaluation is due."""
        started = time.perf_counter()
        if self.outcome == "consolidating":
            evaluation, lesson = self._consolidate(), self.curriculum.lesson
        else:
            evaluation, lesson = self._learn()
        self.seconds += time.perf_counter() - started
        return self._report(evaluation, lesson)

    def _learn(self) -> tuple[Evaluation, int]:
        """A stride within the lessons."""
        curriculum = self.curriculum
        evaluation = self.learner.evaluate(self.dataset, curriculum.probe())
        curriculum.note(evaluation)
        verdict = curriculum.judge(evaluation, self.sampled)
        lesson = curriculum.lesson
        self.lacks_constants = self._lacks_constants(evaluation, verdict)
        if verdict == "stalled" or self.lacks_constants or self.updates >= self.config.most_updates:
            self.outcome = "stalled"
        elif verdict == "passed":
            self._pass(evaluation)
        if self.outcome == "training":
            for _ in range(curriculum.stride):
                update = self.learner.update(
                    self.dataset, curriculum.draw(), curriculum.entropy, explore=True
                )
                self.updates += 1
            self.reward, self.sampled = update.reward, update.right
        return evaluation, lesson

    def _lacks_constants(self, evaluation: Evaluation, verdict: Verdict) -> bool:
        """Whether to give up in favour of an attempt with constants: at a stall if any wrong pair may need
        them, and halfway to a stall if all of them may.
        """
        if verdict == "passed" or self.curriculum.no_gain < self.config.stall // 2:
            return False
        right = evaluation.right & evaluation.whole
        missing = self._unwritten(evaluation.index[right], evaluation.index[~right])
        return bool(missing.any() and (verdict == "stalled" or missing.all()))

    def _unwritten(self, right: Tensor, wrong: Tensor) -> Tensor:
        """Which of the wrong pairs have several words, and an action that no right pair has.

        Perhaps no rule without constants can write that action.  # [R], [W] -> bool [W]
        """
        if self.config.constants != "if-needed" or self.constants:
            return torch.zeros_like(wrong, dtype=torch.bool)  # this attempt has constants, or none may
        gold = self.dataset.gold[wrong]
        missing = (gold != 0) & ~torch.isin(gold, self.dataset.gold[right])
        return missing.any(dim=1) & (self.dataset.length[wrong] > 1)

    def _consolidate(self) -> Evaluation:
        """A stride on new commands, recombined from the model's own derivations.

        A model can fit every pair and still derive similar unseen commands in an order that contradicts its
        rules. Here it learns the outputs of its own rules, until it is consistent and fits as well as before.
        """
        self.consolidations += 1
        is_known = self._grammar is not None  # nothing was learned since the last such evaluation
        made = self._recombined()
        if len(made) > 0:
            evaluation = self.learner.evaluate(made, torch.arange(len(made)))
            wrong = evaluation.index[~evaluation.right]
        else:  # the pairs are the whole language
            evaluation = self.learner.evaluate(self.dataset, self.curriculum.probe())
            wrong = evaluation.index[:0]
        if len(wrong) == 0 and (is_known or len(self.find_wrong()) <= len(self.wrong)):
            self.confirmations += 1
            if self.confirmations >= self.config.confirmations:
                self.outcome = "fitted"
            return evaluation
        self.confirmations = 0
        if self.consolidations > self.config.consolidations:
            # It fits the pairs all the same; whether it counts is decided by agreement.
            self.learner.restore(self.fitting)
            self.outcome = "fitted"
            return evaluation
        half, self._grammar = self.config.examples // 2, None
        for _ in range(self.config.evaluate_every):
            if len(wrong) > 0:
                self.learner.update(made, wrong[torch.randint(len(wrong), [half])], 0.0, explore=True)
            update = self.learner.update(self.dataset, self.curriculum.draw(), 0.0, explore=True)
            self.updates += 1
        self.reward = update.reward
        return evaluation

    def _recombined(self) -> Dataset:
        """New commands by the model's rules; without `new_places`, training commands may be among them."""
        count, places = self.config.recombined, self.config.new_places
        order = self.curriculum.order.argsort()
        index = representative(self.dataset, order.tolist(), count) if places else order[:count]
        if self._grammar is None:
            self._grammar = grammar_of(self.learner, self.dataset, index, self.reading, places)
        seed = self.seed * 1_000 + self.consolidations
        return recombined(self._grammar, self.dataset, count // 4, seed, self.reading, places).commands

    def _pass(self, evaluation: Evaluation) -> None:
        """The lesson is over; so is the attempt if every pair is right or the same few pairs stay wrong."""
        if isinstance(self.curriculum, Epochs):
            self._pass_by_epochs(self.curriculum, evaluation)
            return
        wrong = self.find_wrong()
        all_right = len(wrong) == 0
        given_up = self.curriculum.gives_up
        tolerated = evaluation.accuracy < 1 and (given_up or torch.equal(wrong, self.wrong))
        if all_right or (tolerated and len(wrong) <= self.config.misfits * len(self.dataset)):
            self.outcome = "consolidating"
            self.fitting = copy.deepcopy(self.learner.state())
            everything = torch.arange(len(self.dataset))
            right = everything[~torch.isin(everything, wrong)]
            self.lacks_constants = bool(self._unwritten(right, wrong).any())
        elif not self.curriculum.is_last:
            self.curriculum.next_lesson()
        elif given_up:
            self.outcome = "stalled"
        self.wrong = wrong

    def _pass_by_epochs(self, curriculum: Epochs, evaluation: Evaluation) -> None:
        """The attempt is over if nearly all development pairs of every length are right."""
        right = evaluation.accuracy >= self.config.enough
        if right and not curriculum.is_last:
            held = curriculum.development(curriculum.lessons[-1])
            parts = [self.learner.evaluate(self.dataset, part) for part in self.dataset.chunks(held)]
            right = sum(len(e.index) * e.accuracy for e in parts) >= self.config.enough * len(held)
        if right:
            self.outcome = "fitted"
        elif not curriculum.is_last:
            curriculum.next_lesson()

    def find_wrong(self) -> Tensor:
        """The examples that the model gets wrong; they have their full deficit again."""
        wrong = torch.cat([e.index[~(e.right & e.whole)] for e in self.evaluate_all()])
        self.curriculum.deficit[wrong] = 1.0
        # Known to be wrong, but not for longer than before: only evaluations of a lesson count.
        self.curriculum.wrong_for[wrong] = self.curriculum.wrong_for[wrong].clamp(min=1)
        return wrong

    def evaluate_all(self) -> list[Evaluation]:
        """Greedy translations of every example, in chunks."""
        return [self.learner.evaluate(self.dataset, index) for index in self.dataset.chunks()]

    def _report(self, evaluation: Evaluation, lesson: int) -> Report:
        return Report(
            seed=self.seed,
            constants=bool(self.constants),
            outcome=self.outcome,
            updates=self.updates,
            trajectories=self.learner.trajectories,
            lesson=lesson + 1,
            lessons=len(self.curriculum.lessons),
            longest=self.curriculum.lessons[lesson],
            accuracy=evaluation.accuracy,
            simplicity=float(evaluation.simplicity.mean()),
            reward=self.reward,
            rules=len(rules.extract(evaluation.rollout, self.model.solver.variables, self.dataset)),
            seconds=round(self.seconds, 3),
        )

    def state(self) -> dict[str, Any]:
        """With the state of the random numbers."""
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        return {**super().state(), "random": torch.get_rng_state(), "cuda": cuda}

    def restore(self, state: dict[str, Any]) -> None:
        """With the state of the random numbers."""
        super().restore(state)
        torch.set_rng_state(state["random"])
        if state["cuda"]:
            torch.cuda.set_rng_state_all(state["cuda"])
