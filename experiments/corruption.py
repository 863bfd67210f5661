"""Wrong pairs on purpose, to measure how training copes with them."""

import random

from lane.data.pair import Pair
from lane.data.task import Task


def corrupted(task: Task, share: float, seed: int) -> Task:
    """The task with the outputs of some distinct training commands replaced by those of others."""
    rng = random.Random(seed)
    outputs = {pair.source: pair.target for pair in task.train}
    sources = sorted(outputs)
    chosen = rng.sample(sources, round(len(sources) * share))
    wrong = dict(outputs)
    for source in chosen:
        # Twenty at random are enough to find a different output in any real task.
        others = [outputs[s] for s in rng.sample(sources, min(20, len(sources)))]
        wrong[source] = next((target for target in others if target != outputs[source]), outputs[source])
    train = tuple(Pair(pair.source, wrong[pair.source]) for pair in task.train)
    note = f"{len(chosen)} of {len(sources)} training outputs replaced by wrong ones, seed {seed}"
    return Task(task.name, train, task.test, (*task.notes, note))
