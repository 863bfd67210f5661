"""New commands made from a model's own derivations, with the outputs that its rules give them.

Two sub-expressions with the same outermost rule are interchangeable: if `walk twice` was observed under
`and`, `jump around left twice` can stand there too. Which rule was observed under which is a small tree
grammar; sampling from it gives unlabelled commands on which a model is compared with itself and others.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lane.data.pair import Pair
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.generalisation import generalise
from lane.trainer.grammar import TreeGrammar
from lane.trainer.induction.reading import Reading
from lane.trainer.learner import Learner


class Recombined(NamedTuple):
    """Commands made from derivations, as pairs."""

    commands: Dataset
    placed: frozenset[tuple[str, ...]]  # those with a word or a rule in a new place


def representative(dataset: Dataset, order: Sequence[int], count: int) -> Tensor:
    """Examples that show every word, and alone where it is an example, then the first of an order."""
    alone = [number for number in order if dataset.length[number] == 1]
    seen: set[str] = set()
    showing = []
    for number in order:
        if not seen.issuperset(dataset.pairs[number].source):
            seen.update(dataset.pairs[number].source)
            showing.append(number)
    chosen = list(dict.fromkeys([*showing, *alone, *order]))
    return torch.tensor(sorted(chosen[:count]))


def grammar_of(
    learner: Learner, dataset: Dataset, index: Tensor, reading: Reading | None = None, places: bool = True
) -> TreeGrammar:
    """The generalised tree grammar of the correct greedy derivations among some examples."""
    grammar = TreeGrammar(learner.model.solver.variables)
    for part in dataset.chunks(index):
        evaluation = learner.evaluate(dataset, part)
        right = part[evaluation.right]
        if len(right) > 0:
            grammar.add(learner.evaluate(dataset, right).rollout)
    # By shape, where a reading knows it: a few examples then speak for all commands of their shapes.
    if reading is None:
        generalise(grammar, dataset.known().get, seed=0, places=places)
    else:
        generalise(grammar, reading.output, 0, reading.company, places)
    return grammar


def new_commands(
    learner: Learner, dataset: Dataset, config: TrainConfig, seed: int, reading: Reading | None = None
) -> Recombined:
    """The new commands of a model that models are compared on."""
    # A fixed shuffle, to have commands of every length: longer ones show rules in more contexts.
    order = list(range(len(dataset)))
    random.Random(0).shuffle(order)
    index = representative(dataset, order, config.recombined)
    grammar = grammar_of(learner, dataset, index, reading)
    return recombined(grammar, dataset, config.recombined // 2, seed, reading)


def recombined(
    grammar: TreeGrammar,
    dataset: Dataset,
    count: int,
    seed: int,
    reading: Reading | None = None,
    only_new: bool = True,
) -> Recombined:
    """Commands up to twice as long as the longest example; with `only_new`, none of the examples.

    Twice, so that what fits the pairs by length alone is exposed; their outputs may grow faster.
    """
    source, target = dataset.source, dataset.target
    most_words, most_actions = 2 * dataset.words.size(1), 4 * dataset.gold.size(1)
    without = dataset.known() if only_new else ()
    pairs, placed = [], set()
    for drawn in grammar.sample(count, seed, most_words, most_actions, without):
        if reading is None or reading.output(tuple(drawn.words)) in (None, tuple(drawn.output)):
            words = tuple(source.word(word) for word in drawn.words)
            pairs.append(Pair(words, tuple(target.word(action) for action in drawn.output)))
            if drawn.placed:
                placed.add(words)
    return Recombined(dataset.like(pairs), frozenset(placed))
