"""The derivations of a rollout, row by row: steps, and the right sides of their rules."""

from collections.abc import Iterator
from typing import NamedTuple

from lane.models import symbols
from lane.models.learned import Step, steps_of
from lane.models.model import Rollout
from lane.trainer.slot import Span


class Derived(NamedTuple):
    """The steps of a command, the root last, and the right sides of their rules."""

    steps: list[Step]
    templates: dict[Span, list[int]]


def derived(rollout: Rollout) -> Iterator[Derived]:
    """The derivation of each row."""
    written = [[t for t in row if t != symbols.END] for row in rollout.translations.template.tolist()]
    for steps, solution in zip(steps_of(rollout.derivations), rollout.solution.tolist(), strict=True):
        yield Derived(steps, {step.span: written[solution[step.number]] for step in steps})
