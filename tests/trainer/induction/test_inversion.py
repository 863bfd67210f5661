"""Rules for parts, as pairs of rules name them."""

import random

import pytest

from lane.models import symbols
from lane.trainer.induction.inversion import inverted

V = symbols.VARIABLE
WITH, OR, THE = 1, 2, 3


def substituted(general, short, place, part, own):
    """The rule that writes `part` out in the place of a variable of `general`."""
    number, count = general[: place + 1].count(V), part.count(V)
    left = (*general[:place], *part, *general[place + 1 :])
    right = []
    for token in short:
        if token == number:
            right += [t + number - 1 if t > 0 else t for t in own]
        else:
            right.append(token + (count - 1 if token > number else 0))
    return left, tuple(right)


def test_the_part_that_makes_one_rule_of_another():
    rules = {(V, WITH, V): (-8, 1, -7, 2, -9), (V, WITH, V, OR, V): (-8, 1, -7, -6, 2, 3, -5, -9)}
    assert inverted(rules) == [((V, OR, V), (-6, 1, 2, -5))]


def some_rule(rng, words, sizes):
    left = tuple(rng.choices([V, V, *words], k=rng.randint(*sizes)))
    right = [*range(1, left.count(V) + 1), *rng.choices([-1, -2, *range(1, left.count(V) + 1)], k=2)]
    rng.shuffle(right)
    return left, tuple(right)


@pytest.mark.parametrize("seed", range(100))
def test_a_part_that_was_substituted_comes_back(seed):
    rng = random.Random(seed)
    general, short = some_rule(rng, [1, 2], (2, 4))
    part, own = some_rule(rng, [3, 4], (2, 3))
    if V not in general or V not in part:
        return
    place = rng.choice([n for n, token in enumerate(general) if token == V])
    special = substituted(general, short, place, part, own)
    rules = {general: short, special[0]: special[1]}
    if part not in rules:
        assert (part, own) in inverted(rules)
    # And whatever is found does make one rule of the other.
    for found, right in inverted(rules):
        assert set(range(1, found.count(V) + 1)) == {token for token in right if token > 0}
        made = [
            substituted(a, rules[a], n, found, right)
            for a in rules
            for n, token in enumerate(a)
            if token == V
        ]
        assert any(rules.get(left) == written for left, written in made)


@pytest.mark.parametrize(
    "other",
    [
        ((V, WITH, V, OR, V), (-8, 1, -7, -6, 2, 3, -5, -4)),  # it ends otherwise
        ((V, WITH, V, OR, V), (-8, 1, -7, -6, 2, -5, -9)),  # a variable is left out
        ((THE, WITH, V, OR, V), (-8, -7, -6, 1, 2, -9)),  # it begins otherwise
        ((V, WITH, THE, V), (-8, 2, -7, 1, -9)),  # the variables are exchanged
    ],
)
def test_rules_that_are_not_instances_name_no_part(other):
    assert inverted(dict([((V, WITH, V), (-8, 1, -7, 2, -9)), other])) == []


def test_a_rule_that_is_there_is_not_named_again():
    part = (V, OR, V), (-6, 1, 2, -5)
    rules = {(V, WITH, V): (1, 2), (V, WITH, V, OR, V): (1, -6, 2, 3, -5)}
    assert inverted(rules) == [part]
    assert inverted(rules | dict([part])) == []
