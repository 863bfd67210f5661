"""Agreement: how often independent models give the same output for new, unlabelled commands."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from lane.base.phrase import BLANK
from lane.base.scheme import shown
from lane.models.card import Comparison, Disagreement
from lane.trainer.candidate import Fit
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction.reading import Reading
from lane.trainer.learner import Learner, same_rows
from lane.trainer.recombine import Recombined, new_commands

SHOWN = 10  # differences in a comparison: as many as somebody labels at once


class _Said(NamedTuple):
    """A new command, its kinds, and what two models say."""

    command: tuple[str, ...]
    placed: bool
    same: bool
    outputs: tuple[str, str]


class Agreement:
    """Compares the models of fits on commands recombined from the derivations of both."""

    def __init__(
        self, dataset: Dataset, config: TrainConfig, device: str, reading: Reading | None = None
    ) -> None:
        self.dataset, self.config, self.device, self.reading = dataset, config, device, reading
        self._kept: dict[int, tuple[Learner, Recombined]] = {}

    def made(self, fit: Fit) -> tuple[Learner, Recombined]:
        """The fit's model, and commands made from its derivations."""
        if fit.number not in self._kept:
            learner = fit.learner(self.dataset, self.config, self.device)
            made = fit.made or new_commands(learner, self.dataset, self.config, fit.number, self.reading)
            self._kept[fit.number] = learner, made
        return self._kept[fit.number]

    def commands(self, fit: Fit) -> Dataset:
        """The commands made from the derivations of a fit."""
        return self.made(fit)[1].commands

    def between(self, one: Fit, other: Fit) -> Comparison:
        """Both on the new commands, about half from each."""
        (first, from_first), (second, from_second) = self.made(one), self.made(other)
        said: dict[tuple[str, ...], _Said] = {}
        for made in (from_first, from_second):
            commands = made.commands
            for rows in commands.chunks():
                outputs = _outputs(first, commands, rows), _outputs(second, commands, rows)
                said |= _said(made, rows, *outputs)
        return self._counted(said.values())

    def with_itself(self, fit: Fit) -> Comparison:
        """A model and the outputs that its rules give to its own new commands."""
        learner, made = self.made(fit)
        said: dict[tuple[str, ...], _Said] = {}
        for rows in made.commands.chunks():
            outputs = _outputs(learner, made.commands, rows)
            said |= _said(made, rows, outputs, made.commands.gold_of(rows))
        return self._counted(said.values())

    def _counted(self, said: Iterable[_Said]) -> Comparison:
        every = sorted(said, key=lambda one: (len(one.command), one.command))
        placed = [one for one in every if one.placed]
        longer = [one for one in every if len(one.command) > self.dataset.words.size(1)]
        differing = [one for one in every if not one.same]
        return Comparison(
            commands=len(every),
            agreed=sum(one.same for one in every),
            placed=len(placed),
            placed_agreed=sum(one.same for one in placed),
            longer=len(longer),
            longer_agreed=sum(one.same for one in longer),
            differing=tuple(
                Disagreement(command=_spoken(one.command), outputs=one.outputs) for one in differing[:SHOWN]
            ),
        )


def merged(comparisons: Iterable[Comparison]) -> tuple[Disagreement, ...]:
    """The shortest differences of several comparisons."""
    every = {each.command: each for one in comparisons for each in one.differing}
    return tuple(sorted(every.values(), key=lambda one: (len(one.command.split()), one.command))[:SHOWN])


@torch.no_grad()
def _outputs(learner: Learner, commands: Dataset, rows: Tensor) -> Tensor:
    """What a model says, all NONE where it says too much.  # [B] -> [B, A]"""
    limit = 2 * commands.gold.size(1) + 8  # as in Learner.evaluate: longer outputs count as different
    values = learner.model.rollout(commands.words_of(rows).to(learner.device), None, limit).values
    return torch.where((values.status == 0).unsqueeze(1), values.actions, -1).cpu()


def _said(made: Recombined, rows: Tensor, one: Tensor, other: Tensor) -> dict[tuple[str, ...], _Said]:
    same = (same_rows(one, other) & (one >= 0).all(dim=1)).tolist()
    found = {}
    for place, row in enumerate(rows.tolist()):
        command = made.commands.pairs[row].source
        texts = ("", "") if same[place] else (_text(made, one[place]), _text(made, other[place]))
        found[command] = _Said(command, command in made.placed, same[place], texts)
    return found


def _text(made: Recombined, actions: Tensor) -> str:
    if (actions < 0).any():
        return "(an output far too long)"
    return shown([made.commands.target.word(action) for action in actions.tolist() if action])


def _spoken(command: Iterable[str]) -> str:
    """A command as a user writes it: phrases are separate words there."""
    return " ".join(command).replace(BLANK, " ")
