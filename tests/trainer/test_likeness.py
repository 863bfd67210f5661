"""Kinds of rules and words, read off their slots."""

from lane.trainer.likeness import WordKind, find_dependent, find_rule_kinds, find_word_kinds
from lane.trainer.slot import ANYWHERE, ROOTS, Slot

WALK, RUN, JUMP, TWICE, THRICE, AND, LEFT = (1,), (2,), (3,), (0, 4), (0, 5), (0, 6, 0), (7,)
ROOT = ROOTS._replace(place=ANYWHERE)


def slot(rule, argument=0, company=()):
    return Slot(ANYWHERE, rule, company, argument)


def test_rules_of_one_shape_in_the_same_company_are_one_kind():
    children = {
        ROOT: [WALK, TWICE, THRICE, AND],
        slot(TWICE): [WALK, RUN],
        slot(THRICE): [WALK],
        slot(AND): [TWICE, THRICE],
        slot(AND, 1): [TWICE, WALK],
    }
    assert find_rule_kinds([WALK, TWICE, THRICE, AND], children, {}) == [[TWICE, THRICE]]
    apart = {**children, ROOT: [WALK, AND], slot(AND): [TWICE]}
    assert find_rule_kinds([TWICE, THRICE, AND], apart, {}) == []
    neighbours = {4: {(0, 1)}, 5: {(0, 1)}}
    assert find_rule_kinds([TWICE, THRICE, AND], apart, neighbours) == [[TWICE, THRICE]]


def test_a_word_joins_the_kinds_that_stand_in_all_its_places():
    children = {
        ROOT: [WALK, RUN, JUMP, AND],
        slot(AND): [WALK, RUN, LEFT],
        slot(AND, 1): [WALK, RUN],
        slot(TWICE): [WALK, RUN],
    }
    assert find_word_kinds(children) == [WordKind([WALK, RUN], [JUMP, LEFT])]


def test_a_word_between_two_kinds_joins_neither_unless_it_was_observed_only_alone():
    first = {slot(TWICE, n): [WALK] for n in range(3)}
    second = {slot(THRICE, n): [RUN] for n in range(3)}
    shared = {slot(AND): [WALK, RUN, LEFT], ROOT: [WALK, RUN, JUMP]}
    assert find_word_kinds({**first, **second, **shared}) == [
        WordKind([WALK], [JUMP]),
        WordKind([RUN], [JUMP]),
    ]


def test_a_rule_is_dependent_if_a_phrase_and_a_word_have_other_partners():
    children = {
        slot(AND, 1, (False, False)): [WALK, RUN],
        slot(AND, 1, (True, False)): [LEFT, JUMP],
        slot(AND, 0, (False, False)): [WALK],
        slot(AND, 0, (True, False)): [TWICE],
    }
    assert find_dependent(children) == {AND}
    assert find_dependent({**children, slot(AND, 1, (True, False)): [LEFT, WALK]}) == set()
