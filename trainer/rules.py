"""Readable rules, read off the derivations of a model."""

from collections import Counter

import torch

from lane.base.rule import Rule
from lane.models import symbols
from lane.models.model import Rollout
from lane.models.naming import named_rule
from lane.trainer.dataset import Dataset


def count_expressions(rollout: Rollout) -> Counter[tuple[tuple[int, ...], int]]:
    """How often each (span, translation) was used in the rows of a rollout."""
    taken = rollout.solution != symbols.NONE
    leaves = rollout.derivations.nodes.leaves[rollout.derivations.node[taken]]
    both = torch.cat([leaves, rollout.solution[taken].unsqueeze(1)], dim=1)
    distinct, uses = torch.unique(both, dim=0, return_counts=True)
    counts: Counter[tuple[tuple[int, ...], int]] = Counter()
    for row, n in zip(distinct.tolist(), uses.tolist(), strict=True):
        counts[tuple(row[:-1]), row[-1]] += n
    return counts


def extract(rollout: Rollout, variables: int, dataset: Dataset) -> list[Rule]:
    """The rules that a rollout used, sorted, with how often it used each."""
    uses: Counter[Rule] = Counter()
    templates = rollout.translations.template.tolist()
    for (leaves, solution), n in count_expressions(rollout).items():
        uses[named_rule(leaves, templates[solution], (dataset.source, dataset.target), variables)] += n
    return counted(uses)


def counted(uses: Counter[Rule]) -> list[Rule]:
    """The rules with their counts, sorted."""
    return sorted((rule._replace(uses=n) for rule, n in uses.items()), key=lambda rule: rule.order)
