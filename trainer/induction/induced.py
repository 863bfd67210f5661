"""What induction finds: a lexicon, rules, and the shapes that both explain."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from lane.base.phrase import Phrase
from lane.models import symbols
from lane.models.config import NetworkConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction.brackets import Brackets
from lane.trainer.induction.descent import PATIENT, Descent, Hypothesis
from lane.trainer.induction.idiom import find_phrases
from lane.trainer.induction.ruleset import Left, Right, limits_for
from lane.trainer.induction.text import text_of

LISTED = 0.2  # share of the shapes that may be commands with a rule of their own
PHRASE = 4  # tokens that a phrase costs: its two words, its value, and that it is one


@dataclass(frozen=True)
class Induced:
    """A reading of the pairs: which words are variables, and the rules for all else."""

    lexicon: Mapping[int, str]  # the words that are variables, with their values as texts
    rules: Mapping[Left, Right]
    lost: int  # shapes that no rule explains
    shapes: int  # shapes that were looked at
    phrases: tuple[Phrase, ...] = ()  # neighbours that are read as one word
    noisy: bool = False  # the description is shorter if many pairs are taken to be wrong

    def __str__(self) -> str:
        found = f"{len(self.rules)} rules and the values of {len(self.lexicon)} words were read off the pairs"
        if not self.lost:
            return f"{found}; they explain every kind of command"
        return f"{found}; they do not explain {self.lost} of {self.shapes} kinds of commands"

    def limits(self, config: NetworkConfig) -> dict[str, int]:
        """The limits that the networks need for these rules, none below those of `config`."""
        return limits_for(self.rules, config)

    def constants_for(self, setting: Literal["never", "always", "if-needed"]) -> bool | tuple[int, ...]:
        """The actions that rules may hold beside variables: those that the rules found do hold, if needed.

        All of them where some shapes are unexplained: what their rules hold is not known.
        """
        if setting != "if-needed" or self.lost:
            return setting != "never"
        mixed = (right for right in self.rules.values() if max(right) > 0)
        return tuple(sorted({-token for right in mixed for token in right if token < 0})) or False


def induce(dataset: Dataset) -> Induced:
    """The reading of the pairs with the shortest description that the search finds.

    If it has phrases, its words are numbered as in `Dataset.of(dataset.pairs, phrases)`.
    """
    readings = [_Search(dataset)]
    if phrases := find_phrases(dataset.pairs):
        readings.append(_Search(Dataset.of(dataset.pairs, phrases)))
    shortest = min(readings, key=lambda reading: reading.length)
    if not shortest.is_concise:
        noisy = _Search(dataset, noisy=True)
        if noisy.so_far < shortest.so_far or not shortest.generalises:
            shortest = min(shortest, noisy, key=lambda reading: reading.length)
    return shortest.induced() if shortest.explains_all else shortest.improved()


class _Search:
    """A search, which is run when its result is first asked for."""

    def __init__(self, dataset: Dataset, noisy: bool = False) -> None:
        known = dataset.known()
        self.phrases = dataset.phrases
        outputs = [text_of(gold) for gold in known.values()]
        self.descent = Descent(list(known), outputs, noisy, Brackets(dataset.target))

    @cached_property
    def best(self) -> Hypothesis:
        """The best hypothesis, of all pairs."""
        return self.descent.run()

    @property
    def so_far(self) -> int:
        """The length of what it has found so far, of a sample of the pairs."""
        return self.descent.best.length

    @property
    def length(self) -> int:
        """Of the description, phrases included."""
        return self.best.length + PHRASE * len(self.phrases)

    @property
    def explains_all(self) -> bool:
        """Whether no shape is unexplained."""
        return not self.best.lost

    @property
    def is_concise(self) -> bool:
        """Whether a few rules explain everything: rules that explained wrong pairs too would be many."""
        return self.explains_all and len(self.best.grammar.rules) <= LISTED * len(self.best.shapes)

    @property
    def generalises(self) -> bool:
        """Whether it explains everything, and not by a list, which would explain wrong pairs too."""
        listed = sum(symbols.VARIABLE not in left for left in self.best.grammar.rules)
        return self.explains_all and listed <= LISTED * len(self.best.shapes)

    def improved(self) -> Induced:
        """What a longer search finds."""
        self.best = self.descent.run(PATIENT)
        return self.induced()

    def induced(self) -> Induced:
        """The result."""
        best = self.best
        return Induced(
            lexicon=self.descent.lexicon_of(best),
            rules=dict(best.grammar.rules),
            lost=len(best.lost),
            shapes=len(best.shapes),
            phrases=self.phrases,
            noisy=self.descent.noisy,
        )
