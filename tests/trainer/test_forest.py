"""Derivations of many examples, retranslated with other right sides."""

import pytest

from lane.trainer.forest import Forest, Joint
from lane.trainer.slot import Place

WALK, RUN, X_TWICE, X_THRICE, X_AND_Y = (1,), (2,), (0, 3), (0, 4), (0, 5, 0)


@pytest.fixture
def forest(hand_made, walking):
    forest = Forest(2)
    forest.add(hand_made(walking.rules, walking.trees), [True] * len(walking.trees))
    return forest


def written(forest, **change):
    values = forest.values(**change)
    return [values[root] for root in forest.roots]


def test_equal_parts_are_one_node(forest, walking):
    assert len(forest.roots) == len(walking.trees) == len(set(forest.roots)) == len(forest.rules)
    assert all(argument < n for n, taken in enumerate(forest.arguments) for argument in taken)


def test_only_the_wanted_rows_are_recorded(hand_made, walking):
    forest = Forest(2)
    forest.add(hand_made(walking.rules, walking.trees), [tree == ((1,),) for tree in walking.trees])
    assert forest.rules == [WALK]


def test_other_right_sides_change_the_outputs_of_what_has_them(forest):
    assert written(forest)[2:5] == [(1, 1), (2, 2), (1, 1, 1)]
    assert written(forest, templates={X_TWICE: (1,)})[2:5] == [(1,), (2,), (1, 1, 1)]
    values = forest.values()
    assert forest.fits(values)
    assert not forest.fits(values, {X_TWICE: (1,)})


def test_an_expression_of_two_rules_has_a_right_side_of_its_own(forest):
    joint = Joint(Place(X_AND_Y, 0), X_TWICE)
    before, after = written(forest), written(forest, joints={joint: (2, 1)})
    # walk twice and run
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [((1, 1, 2), (2, 1))]


def test_where_rules_stand(forest):
    assert forest.places()[X_THRICE] == {Place(X_AND_Y, 0)}
    assert forest.examples()[X_THRICE] == {4, 5, 8}
