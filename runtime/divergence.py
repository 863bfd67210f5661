"""Differences between two models: on given commands, and on new ones made from their rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from lane.base.phrase import BLANK
from lane.base.placeholder import NUMBER, TEXT, placeholder
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


def examples(translator: Translator) -> dict[str, str]:
    """A text for each slot of a model that no other slot takes, empty where its list was not given."""
    found, words, lists = {}, translator.info.words, translator.lists
    for name in translator.info.schemes.slots:
        if name == NUMBER:
            found[name] = next(str(number) for number in count(12) if str(number) not in words)
        elif name == TEXT:
            found[name] = _stranger(words)
        else:
            others = {text for other, texts in lists.items() if other != name for text in texts}
            texts = lists.get(name, ())
            found[name] = next((text for text in texts if text not in others), "".join(texts[:1]))
    return found


def _stranger(words: Sequence[str]) -> str:
    """A word that a model does not know."""
    word = "something"
    while word in words:
        word += "x"
    return word


def new_commands(
    rules: Rules, most: int, seed: int = 0, texts: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """About `most` distinct commands that put the rules in use inside each other, each rule as often.

    `texts` fill the slots, as by `examples`; one with an empty text is left out.
    """
    random = Random(seed)
    text_of = {placeholder(name): text for name, text in texts.items()}
    used = [rule for rule in rules.used if all(text_of.get(token, token) for token in rule.span)]
    leaves = [rule for rule in used if not _variables(rule)]
    branches = [rule for rule in used if _variables(rule)]
    if not leaves:
        return []

    def expand(rule: Rule, depth: int) -> Iterator[str]:
        for token in rule.span:
            if token.startswith(VARIABLE):
                yield from expand(random.choice(used if depth else leaves), max(depth - 1, 0))
            else:
                yield text_of.get(token) or token.replace(BLANK, " ")

    made = [" ".join(expand(leaf, 0)) for leaf in leaves]
    for number in range(most - len(made) if branches else 0):
        rule = branches[number % len(branches)]
        made.append(" ".join(expand(rule, number // len(branches) % _DEEPEST)))
    return list(dict.fromkeys(made[:most]))


def _variables(rule: Rule) -> int:
    return sum(token.startswith(VARIABLE) for token in rule.span)
