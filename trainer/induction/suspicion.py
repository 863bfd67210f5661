"""Suspicion: pairs that are taken to be wrong, because the rules that explain the others contradict them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from lane.trainer.dataset import Dataset
from lane.trainer.induction.induced import Induced
from lane.trainer.induction.reading import Reading
from lane.trainer.induction.shape import Command, shape_of
from lane.trainer.induction.text import actions_of


def set_aside(dataset: Dataset, induced: Induced, most: float) -> tuple[Dataset, Dataset, Induced]:
    """The pairs to learn from, those to set aside, and the reading of the former."""
    wrong = set(suspects(dataset, induced, most))
    kept = dataset.like(pair for number, pair in enumerate(dataset.pairs) if number not in wrong)
    aside = dataset.like(dataset.pairs[number] for number in wrong)
    if wrong:
        reading = Reading(kept, induced.lexicon, induced.rules)
        induced = replace(
            induced,
            lost=sum(reading.chart(tokens) is None for tokens in reading.shapes),
            shapes=len(reading.shapes),
        )
    return kept, aside, induced


def suspects(dataset: Dataset, induced: Induced, most: float) -> list[int]:
    """Examples to set aside, at most this share; none if there would be more, or if few pairs are doubtful.

    A word whose own pairs are mostly contradicted speaks against the rules and not against the pairs.
    """
    if not induced.noisy:
        return []
    reading = Reading(dataset, induced.lexicon, induced.rules, noisy=True)
    wrong = set(_contradicted(dataset, reading))
    uses, doubtful = Counter[int](), Counter[int]()
    for number, command in enumerate(reading.commands):
        uses.update(set(command))
        if number in wrong:
            doubtful.update(set(command))
    found = [n for n in sorted(wrong) if all(2 * doubtful[w] < uses[w] for w in reading.commands[n])]
    return found if len(found) <= most * len(dataset) else []


def _contradicted(dataset: Dataset, reading: Reading) -> Iterator[int]:
    """Examples with another output than the rules say, or the only ones of a shape that no rule explains."""
    for number, command in enumerate(reading.commands):
        gold = tuple(action for action in dataset.gold[number].tolist() if action)
        says = _said(command, reading)
        tokens = shape_of(command, reading.lexicon)
        if says is not None:
            if says != gold:
                yield number
        elif len(command) > 1 and reading.shapes[tokens].commands == 1:
            yield number


def _said(command: Command, reading: Reading) -> tuple[int, ...] | None:
    if len(command) == 1:
        value = reading.lexicon.get(command[0])
        return None if value is None else actions_of(value)
    return reading.output(command)
