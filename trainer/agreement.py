"""Agreement: how often independent models give the same output for new, unlabelled commands."""

import random

import torch

from lane.trainer.candidate import Fit
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction.reading import Reading
from lane.trainer.learner import Learner, same_rows
from lane.trainer.recombine import grammar_of, recombined


class Agreement:
    """Compares the models of fits on commands recombined from the derivations of both."""

    def __init__(
        self, dataset: Dataset, config: TrainConfig, device: str, reading: Reading | None = None
    ) -> None:
        self.dataset, self.config, self.device, self.reading = dataset, config, device, reading
        self._kept: dict[int, tuple[Learner, Dataset]] = {}

    def _made(self, fit: Fit) -> tuple[Learner, Dataset]:
        """The fit's model, and commands made from its derivations."""
        if fit.number not in self._kept:
            learner = fit.learner(self.dataset, self.config, self.device)
            # A fixed shuffle, to have commands of every length: longer ones show rules in more contexts.
            order = list(range(len(self.dataset)))
            random.Random(0).shuffle(order)
            index = torch.tensor(sorted(order[: self.config.recombined]))
            grammar = grammar_of(learner, self.dataset, index, self.reading)
            count = self.config.recombined // 2
            made = recombined(grammar, self.dataset, count, fit.number, self.reading)
            self._kept[fit.number] = learner, made
        return self._kept[fit.number]

    def between(self, one: Fit, other: Fit) -> float:
        """The share of new commands, about half from each, on which both give the same output."""
        (first, from_first), (second, from_second) = self._made(one), self._made(other)
        same = [_same(first, second, made) for made in (from_first, from_second) if len(made) > 0]
        # Models of a language too small for new commands are compared on its own examples.
        return float(torch.cat(same or [_same(first, second, self.dataset)]).float().mean())

    def with_itself(self, fit: Fit) -> float:
        """The share of its own new commands for which a model gives the output of its rules."""
        learner, made = self._made(fit)
        if len(made) == 0:
            return 1.0
        return float(torch.cat([learner.evaluate(made, rows).right for rows in made.chunks()]).float().mean())


@torch.no_grad()
def _same(first: Learner, second: Learner, commands: Dataset) -> torch.Tensor:
    same = []
    for rows in commands.chunks():
        limit = 2 * commands.gold.size(1) + 8  # as in Learner.evaluate: longer outputs count as different
        words = commands.words_of(rows)
        a = first.model.rollout(words.to(first.device), None, limit).values
        b = second.model.rollout(words.to(second.device), None, limit).values
        written = (a.status == 0) & (b.status == 0)
        same.append((same_rows(a.actions, b.actions) & written).cpu())
    return torch.cat(same)
