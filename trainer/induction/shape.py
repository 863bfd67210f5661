"""Shapes: what the Composer sees of commands once words that have values by themselves are variables.

Commands of one shape have one derivation, so they are explained together or not at all.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lane.models import symbols
from lane.trainer.induction.ruleset import Left
from lane.trainer.induction.tiling import Values

SPARED = 1 / 3  # share of the members of a shape that may be wrong pairs, where many are taken to be wrong
MEMBERS = 4  # commands of a shape that are looked at: enough to tell values apart that are alike by chance

Command = tuple[int, ...]


@dataclass
class Shape:
    """A shape, and some commands that have it."""

    tokens: Left
    commands: int = 0  # how many have it
    values: tuple[Values, ...] = ()  # of each variable, in each of the members
    outputs: Values = ()  # of each of the members
    members: dict[Values, str] = field(default_factory=dict)
    spared: int = 0  # members that were taken for wrong pairs, and that no rule has to explain

    def spare(self) -> None:
        """Take a few members whose outputs lack the value of a variable for wrong pairs."""
        fitting = {
            values: output for values, output in self.members.items() if all(v in output for v in values)
        }
        spared = len(self.members) - len(fitting)
        if 0 < spared <= SPARED * len(self.members):
            self.members, self.spared = fitting, spared

    def choose(self, seed: int) -> None:
        """Settle on members: those first whose variables have the most different values."""
        members = list(self.members.items())
        random.Random(seed).shuffle(members)
        members.sort(key=lambda member: -len(set(member[0])))
        del members[MEMBERS:]
        self.values = tuple(zip(*(values for values, _ in members), strict=True))
        self.outputs = tuple(output for _, output in members)


def shape_of(command: Command, lexicon: Mapping[int, str]) -> Left:
    """The shape of a command; `lexicon` has the words that are variables."""
    return tuple(symbols.VARIABLE if word in lexicon else word for word in command)


def shapes_of(
    commands: Sequence[Command], outputs: Iterable[str], lexicon: Mapping[int, str], noisy: bool = False
) -> list[Shape]:
    """The shapes of commands of several words, shortest and most frequent first."""
    shapes: dict[Left, Shape] = {}
    for command, output in zip(commands, outputs, strict=True):
        if len(command) > 1:
            tokens = shape_of(command, lexicon)
            shape = shapes.setdefault(tokens, Shape(tokens))
            shape.commands += 1
            values = tuple(lexicon[word] for word in command if word in lexicon)
            shape.members.setdefault(values, output)
    found = sorted(shapes.values(), key=lambda shape: (len(shape.tokens), -shape.commands, shape.tokens))
    for number, shape in enumerate(found):
        if noisy:
            shape.spare()
        shape.choose(number)
    return found
