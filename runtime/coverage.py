"""Which rules and words of a model its tests cover."""

from collections.abc import Iterable
from typing import NamedTuple

from lane.base.rule import Rule
from lane.runtime.derivation import Derivation
from lane.runtime.translator import Translator


class Coverage(NamedTuple):
    """Rules that the training pairs used, and words: how many there are, and which ones no command used."""

    rules: int
    words: int
    rules_left: tuple[Rule, ...]
    words_left: tuple[str, ...]


def coverage(translator: Translator, derivations: Iterable[Derivation]) -> Coverage:
    """What the derivations of a model use; a command that failed covers nothing."""
    rules, words = translator.rules().used, translator.info.words
    met_rules: set[tuple[str, ...]] = set()
    met_words: set[str] = set()
    for derivation in derivations:
        if derivation.error is None:
            met_rules.update(step.rule.span for step in derivation.steps)
            met_words.update(derivation.words)
    return Coverage(
        len(rules),
        len(words),
        tuple(rule for rule in rules if rule.span not in met_rules),
        tuple(word for word in words if word not in met_words),
    )
