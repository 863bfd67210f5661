"""Rules as a person writes them, read off the derivations of a model."""

from collections import Counter
from dataclasses import dataclass

import torch

from lane.models import codes
from lane.models.model import Rollout
from lane.models.vocabulary import Vocabulary

_NAMES = "xyzwuvst"


@dataclass(frozen=True, order=True)
class Rule:
    """`$x twice -> $X $X`, and how many expressions it translated."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    uses: int = 0

    @property
    def is_word(self) -> bool:
        """Whether it translates a single word."""
        return len(self.source) == 1

    def __str__(self) -> str:
        return f"{' '.join(self.source)} -> {' '.join(self.target)}"


def source_text(leaves: list[int], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Leaves in words; variables are named in order of appearance."""
    names = iter(_NAMES)
    return tuple(
        f"${next(names)}" if leaf == codes.VARIABLE else vocabulary.word(leaf)
        for leaf in leaves
        if leaf != codes.NONE
    )


def target_text(template: list[int], variables: int, vocabulary: Vocabulary) -> tuple[str, ...]:
    """A DstExp in words."""
    return tuple(
        f"${_NAMES[token - 1].upper()}" if token <= variables else vocabulary.word(token - variables)
        for token in template
        if token != codes.END
    )


def count_expressions(rollout: Rollout) -> Counter[tuple[tuple[int, ...], int]]:
    """How often each (span, translation) was used in the rows of a rollout."""
    taken = rollout.solution != codes.NONE
    leaves = rollout.derivations.nodes.leaves[rollout.derivations.node[taken]]
    both = torch.cat([leaves, rollout.solution[taken].unsqueeze(1)], dim=1)
    distinct, uses = torch.unique(both, dim=0, return_counts=True)
    counts: Counter[tuple[tuple[int, ...], int]] = Counter()
    for row, n in zip(distinct.tolist(), uses.tolist(), strict=True):
        counts[tuple(row[:-1]), row[-1]] += n
    return counts


def extract(rollout: Rollout, variables: int, source: Vocabulary, target: Vocabulary) -> list[Rule]:
    """The rules a rollout used: single words first, then by length and name."""
    uses: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    templates = rollout.translations.template.tolist()
    for (leaves, solution), n in count_expressions(rollout).items():
        rule = source_text(list(leaves), source), target_text(templates[solution], variables, target)
        uses[rule] += n
    rules = [Rule(left, right, n) for (left, right), n in uses.items()]
    return sorted(rules, key=lambda rule: (len(rule.source), rule.source, rule.target))
