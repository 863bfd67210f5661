"""Rules in words: the one place that turns the numbers of spans and templates into names."""

from collections.abc import Iterable

from lane.base.rule import TARGET_NAMES, VARIABLE, Rule, name_variables
from lane.base.vocabulary import Vocabulary
from lane.models import symbols


def named_rule(
    leaves: Iterable[int],
    template: Iterable[int],
    vocabularies: tuple[Vocabulary, Vocabulary],
    variables: int,
    uses: int = 0,
) -> Rule:
    """The rule of a span and its DstExp; `variables` is the most that a span of the model can have."""
    source, target = vocabularies
    span = [
        VARIABLE if leaf == symbols.VARIABLE else source.word(leaf) for leaf in leaves if leaf != symbols.NONE
    ]
    tokens = [
        TARGET_NAMES[token - 1] if token <= variables else target.word(token - variables)
        for token in template
        if token != symbols.END
    ]
    return Rule(name_variables(span), tuple(tokens), uses)
