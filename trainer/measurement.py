"""What a trained model is worth: its accuracy, its rules, and the training pairs that they contradict."""

from collections import Counter

import torch

from lane.base.rule import Rule, Rules
from lane.data.pair import Pair
from lane.trainer import rules
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Learner
from lane.trainer.result import Misfit


def measure(learner: Learner, pairs: tuple[Pair, ...], trained: Dataset) -> float:
    """The share of pairs, each occurrence counted, that the model translates exactly."""
    source, target = trained.source, trained.target
    known = [
        pair
        for pair in map(trained.joined, pairs)
        if all(word in source for word in pair.source) and all(word in target for word in pair.target)
    ]
    if not known:
        return 0.0
    dataset = trained.like(known)
    right: set[Pair] = set()
    for index in dataset.chunks():
        evaluation = learner.evaluate(dataset, index)
        right.update(dataset.pairs[i] for i in index[evaluation.right].tolist())
    return sum(pair in right for pair in known) / len(pairs)


def wrong_examples(learner: Learner, dataset: Dataset) -> tuple[int, ...]:
    """The examples that the model does not translate exactly."""
    found: list[int] = []
    for index in dataset.chunks():
        found += index[~learner.evaluate(dataset, index).right].tolist()
    return tuple(found)


def used_rules(learner: Learner, dataset: Dataset) -> Rules:
    """All rules that the examples use, with how often."""
    uses: Counter[Rule] = Counter()
    for index in dataset.chunks():
        rollout = learner.evaluate(dataset, index).rollout
        for rule in rules.extract(rollout, learner.model.solver.variables, dataset):
            uses[rule._replace(uses=0)] += rule.uses
    return Rules(rules.counted(uses))


def misfits(learner: Learner, dataset: Dataset, wrong: tuple[int, ...]) -> tuple[Misfit, ...]:
    """Those of the wrong examples whose output differs.

    A word that is translated correctly but not recognised in phrases is an error of the model, not of the
    data: no misfit.
    """
    if not wrong:
        return ()
    values = learner.evaluate(dataset, torch.tensor(wrong)).rollout.values
    found = []
    for i, row, length in zip(wrong, values.actions.tolist(), values.length.tolist(), strict=True):
        pair, says = dataset.pairs[i], tuple(dataset.target.word(a) for a in row[:length])
        if says != pair.target:
            found.append(Misfit(pair.source, pair.target, says))
    return tuple(found)
