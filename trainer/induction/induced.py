"""What induction finds: a lexicon, rules, and the shapes that both explain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lane.models.config import NetworkConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction.descent import Descent
from lane.trainer.induction.ruleset import Left, Right, limits_for
from lane.trainer.induction.text import text_of


@dataclass(frozen=True)
class Induced:
    """A reading of the pairs: which words are variables, and the rules for all else."""

    lexicon: Mapping[int, str]  # the words that are variables, with their values as texts
    rules: Mapping[Left, Right]
    lost: int  # shapes that no rule explains
    shapes: int  # shapes that were looked at

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
    """The reading of the pairs with the shortest description that the search finds."""
    known = dataset.known()
    commands = list(known)
    outputs = [text_of(gold) for gold in known.values()]
    descent = Descent(commands, outputs)
    best = descent.run()
    lexicon = {word: descent.lexicon.value[word] for word in sorted(best.variables)}
    return Induced(lexicon, dict(best.grammar.rules), len(best.lost), len(best.shapes))
