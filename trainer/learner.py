"""The learner: one model, its two optimisers, and its update.

The update is hierarchical REINFORCE on the on-policy samples. Explorers are added as a heuristic: they are
sampled off-policy, count only above the baseline and carry no importance weights, so that the sum is a biased
estimate of the policy gradient. Without explorers (`explorers=0`) only the normalisation departs from it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lane.models import memory as mem
from lane.models import symbols
from lane.models.model import LaneModel, Rollout
from lane.models.nodes import distinct_spans
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.gold import following
from lane.trainer.gradient import Counting, surrogate
from lane.trainer.optimizer import OPTIMIZERS
from lane.trainer.reward import reward, similarity, simplicity
from lane.trainer.state import Stateful
from lane.trainer.teacher import Teacher


@dataclass(frozen=True)
class Evaluation:
    """Greedy translations of some examples against their gold actions."""

    index: Tensor  # [B] which examples
    right: Tensor  # [B] bool
    whole: Tensor  # [B] bool: the root's own check recognised it, or need not
    simplicity: Tensor  # [B]
    rollout: Rollout

    @property
    def accuracy(self) -> float:
        """The share that is right *and* recognised."""
        return float((self.right & self.whole).float().mean())


@dataclass(frozen=True)
class Update:
    """What one update saw."""

    reward: float  # mean over the on-policy samples
    right: float  # share of them that were exactly right


class Learner(Stateful):
    """Improves a model on batches of examples."""

    kept = ("model", "composer_optimizer", "solver_optimizer", "trajectories")

    def __init__(self, model: LaneModel, config: TrainConfig, teacher: Teacher | None = None) -> None:
        self.model, self.config, self.teacher = model, config, teacher
        self.device = model.composer.query.device
        self.trajectories = 0
        # Each network has a rate of its own: the differential update.
        optimizer = OPTIMIZERS[config.optimizer]
        clipped = (config.clip, config.clip_by, config.weight_decay)
        self.composer_optimizer = optimizer(model.composer, config.composer_rate, *clipped)
        self.solver_optimizer = optimizer(model.solver, config.solver_rate, *clipped)
        self.counting = Counting(
            config.mean_decisions, config.count_forced, config.even_entropy, spoken=config.strict
        )

    def update(self, dataset: Dataset, index: Tensor, entropy: float, explore: bool) -> Update:
        """One step of the policy gradient on the examples of `index`, each with several derivations."""
        config, drawn = self.config, self.config.samples
        explorers = round(drawn * config.explorers) if explore else 0
        temperature = torch.ones([len(index), drawn], device=self.device)
        temperature[:, drawn - explorers :] = config.explorer_temperature
        rows = index.repeat_interleave(drawn)
        words = dataset.words_of(rows).to(self.device)
        gold, gold_length = dataset.gold_of(rows).to(self.device), dataset.gold_length[rows].to(self.device)

        # An output of more than twice the longest gold's length has a similarity below 1/2 and teaches
        # little: it is not written out, and its similarity is 0. The +1 is slack only.
        limit = 2 * gold.size(1) + 1
        if self.teacher is None or self.teacher.dataset is not dataset or not explorers:
            rollout = self.model.rollout(words, temperature.view(-1), limit)
        else:
            rollout = self._taught(self.teacher, words, temperature, limit, index, explorers)
        if config.follow > 0:
            rollout = following(self.model, rollout, words, gold, config.follow, limit)
        with torch.no_grad():
            similar = similarity(rollout.values.actions, rollout.values.length, gold, gold_length)
            simple = self._simplicity(rollout)
            whole = self._whole(rollout, dataset, rows)
            rewards = reward(similar, simple, whole, config).view(len(index), drawn)
            steps = (rollout.solution != symbols.NONE).sum(dim=1).view(len(index), drawn)
            weight = self._advantage(rewards, explorers, steps).view(-1) / len(rows)
            bonus = torch.full_like(rewards, entropy / len(rows))
            bonus[:, drawn - explorers :] = 0  # explorers do not speak for the policy
        parts = surrogate(rollout, words, weight, bonus.view(-1), self.counting)
        self._ascend(sum(parts, torch.zeros([], device=self.device)))
        self.trajectories += len(rows)
        policy = (similar == 1).view(len(index), drawn)[:, : drawn - explorers]
        return Update(float(rewards[:, : drawn - explorers].mean()), float(policy.float().mean()))

    def _taught(
        self, teacher: Teacher, words: Tensor, temperature: Tensor, limit: int, index: Tensor, explorers: int
    ) -> Rollout:
        """Derivations of which the explorers are shown by the teacher, where it knows any.  # words [B, L]"""
        composer, solver, drawn = self.model.composer, self.model.solver, temperature.size(1)
        plans, known = teacher.plans(index, words.size(1))
        temperature[known.to(self.device), drawn - explorers :] = 1.0
        plan = words.new_zeros([len(index), drawn, words.size(1), words.size(1)])
        plan[:, drawn - explorers :] = plans.to(self.device).unsqueeze(1)
        warmth = temperature.view(-1)
        derivations = composer.compose(words, warmth, plan=plan.flatten(0, 1))

        spans, span = distinct_spans(derivations.nodes, derivations.node)
        taken = derivations.node != symbols.NONE  # [B, S]
        longest = max(solver.variables, min(solver.template_limit, limit))
        given = teacher.templates(spans, longest).to(self.device)[span[taken]]  # [O, longest + 1]
        explores = torch.zeros_like(temperature, dtype=torch.bool)
        explores[:, drawn - explorers :] = True
        given[~explores.view(-1, 1).expand_as(taken)[taken]] = symbols.NONE
        translations = solver.solve(
            spans, span[taken], warmth.unsqueeze(1).expand_as(taken)[taken], longest, given
        )
        place = torch.arange(len(given), device=self.device)
        solution = torch.full_like(span, symbols.NONE).masked_scatter(taken, place)
        values = mem.expand(
            translations.template, solution, derivations.arguments, derivations.root, words.size(1), limit
        )
        return Rollout(derivations, translations, solution, derivations.arguments, values)

    def _simplicity(self, rollout: Rollout) -> Tensor:
        """R_a of each row; what the teacher would have written counts as simple."""
        known: Tensor | None = None
        if self.teacher is not None:
            template = rollout.translations.template
            spans, span = distinct_spans(rollout.derivations.nodes, rollout.derivations.node)
            shown = self.teacher.templates(spans, template.size(1)).to(self.device)[:, :-1]
            same = template[rollout.solution.clamp(min=0)] == shown[span.clamp(min=0)]  # [B, S, T]
            known = same.all(dim=2) & (span != symbols.NONE)
        return simplicity(rollout, self.model.solver.variables, self.config, known)

    def _advantage(self, rewards: Tensor, explorers: int, steps: Tensor | None = None) -> Tensor:
        """Rewards against the mean of the example's on-policy samples; explorers count only above it.

        The mean of a whole update is one over expressions (`steps` of each row), as published: longer
        derivations weigh more.
        """
        policy = rewards[:, : rewards.size(1) - explorers]
        mean = policy.mean(dim=1, keepdim=True)
        if self.config.baseline == "update":
            steps = torch.ones_like(policy) if steps is None else steps[:, : policy.size(1)]
            mean = (policy * steps).sum() / steps.sum()
        advantage = rewards - mean
        if self.config.normalize:
            # The floor, small against rewards of up to 2, keeps tiny differences between samples that nearly
            # agree from being scaled up to full size.
            advantage = advantage / (policy.std(dim=1, keepdim=True, unbiased=False) + 0.1)
        advantage[:, rewards.size(1) - explorers :].clamp_(min=0)
        return advantage

    def _ascend(self, objective: Tensor) -> None:
        (-objective).backward()  # type: ignore[no-untyped-call]
        self.composer_optimizer.step()
        self.solver_optimizer.step()

    @torch.no_grad()
    def evaluate(self, dataset: Dataset, index: Tensor) -> Evaluation:
        """Translate the examples of `index` greedily."""
        gold = dataset.gold_of(index).to(self.device)
        # Correct outputs always fit; the rest is room to show in a report what a wrong one says.
        rollout = self.model.rollout(dataset.words_of(index).to(self.device), None, 2 * gold.size(1) + 8)
        right = same_rows(rollout.values.actions, gold)
        simple = self._simplicity(rollout)
        whole = self._whole(rollout, dataset, index)
        if self.config.strict:
            right = right & whole  # there is no output
        return Evaluation(index, right.cpu(), whole.cpu(), simple.cpu(), rollout)

    def _whole(self, rollout: Rollout, dataset: Dataset, index: Tensor) -> Tensor:
        """Whether the root's own check recognised it, or need not.  # [B] -> [B]"""
        if self.config.strict:
            return rollout.derivations.whole
        if not self.config.whole:
            return torch.ones_like(rollout.derivations.whole)
        return rollout.derivations.whole | ~dataset.must_be_whole[index].to(self.device)


def same_rows(a: Tensor, b: Tensor) -> Tensor:
    """Whether the rows are equal, whatever the padding.  # [B, M], [B, N] -> bool [B]"""
    width = max(a.size(1), b.size(1))
    pad = torch.nn.functional.pad
    return (pad(a, [0, width - a.size(1)]) == pad(b, [0, width - b.size(1)])).all(dim=1)
