"""Few pairs on purpose, to measure what a training says of itself when its pairs do not decide."""

import random

from lane.data.pair import Pair
from lane.data.task import Task

FEWEST = 5  # pairs: with fewer there is nothing to generalise from


def thinned(task: Task, share: float, seed: int) -> Task:
    """The task with a share of its distinct training pairs, and the test commands of its words."""
    distinct = sorted(set(task.train), key=lambda pair: (pair.source, pair.target))
    count = min(len(distinct), max(FEWEST, round(len(distinct) * share)))
    train = tuple(random.Random(seed).sample(distinct, count))
    note = f"{count} of {len(distinct)} training pairs, seed {seed}"
    return Task(task.name, train, sayable(task.test, train), (*task.notes, note))


def sayable(pairs: tuple[Pair, ...], train: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs whose commands have words of the training pairs only: a model knows that it lacks others."""
    words = {word for pair in train for word in pair.source}
    return tuple(pair for pair in pairs if words.issuperset(pair.source))
