"""Differences between two models: on given commands, and on new ones made from their rules."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from lane.base.phrase import BLANK
from lane.base.rule import VARIABLE, Rule, Rules
from lane.runtime.results import Translation
from lane.runtime.translator import Translator

_DEEPEST = 3  # rules inside each other in a new command: precedence shows at two, and three doubles that


class Divergence(NamedTuple):
    """A command with its answers by the one and the other model."""

    command: str
    ours: Translation
    theirs: Translation


def differences(ours: Translator, theirs: Translator, commands: Iterable[str]) -> Iterator[Divergence]:
    """The commands that the models translate differently, or refuse by different codes."""
    for command in commands:
        answers = ours.translate(command), theirs.translate(command)
        if _meaning(answers[0]) != _meaning(answers[1]):
            yield Divergence(command, *answers)


def _meaning(answer: Translation) -> tuple[str, str | None]:
    return answer.text, None if answer.error is None else answer.error.code


def new_commands(rules: Rules, count: int, seed: int = 0) -> list[str]:
    """About `count` distinct commands that put the rules in use inside each other, each rule as often."""
    random = Random(seed)
    used = rules.used
    leaves = [rule for rule in used if not _variables(rule)]
    branches = [rule for rule in used if _variables(rule)]
    if not leaves:
        return []

    def expand(rule: Rule, depth: int) -> Iterator[str]:
        for token in rule.span:
            if token.startswith(VARIABLE):
                yield from expand(random.choice(used if depth else leaves), max(depth - 1, 0))
            else:
                yield token.replace(BLANK, " ")

    made = [" ".join(expand(leaf, 0)) for leaf in leaves]
    for number in range(count - len(made) if branches else 0):
        rule = branches[number % len(branches)]
        made.append(" ".join(expand(rule, number // len(branches) % _DEEPEST)))
    return list(dict.fromkeys(made[:count]))


def _variables(rule: Rule) -> int:
    return sum(token.startswith(VARIABLE) for token in rule.span)
