"""Rules from shapes whose variables are known."""

import pytest

from lane.models import symbols
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.chart import explains, parse
from lane.trainer.induction.inducer import _merit, induce_rules
from lane.trainer.induction.ruleset import MOST_TOKENS, MOST_VARIABLES, WIDEST, split
from lane.trainer.induction.shape import shapes_of
from lane.trainer.induction.text import text_of

V = symbols.VARIABLE
A, B, C, TWICE, AND, AFTER, OF = range(1, 8)
LEXICON = {A: text_of([1]), B: text_of([2]), C: text_of([3])}


def shapes(pairs):
    return shapes_of(list(pairs), [text_of(output) for output in pairs.values()], LEXICON)


def read(pairs, given=None, banned=(), steps=10**6):
    return induce_rules(shapes(pairs), given or {}, banned, Budget(steps))


def operators():
    pairs = {(word, TWICE): (word, word) for word in (A, B, C)}
    for a in (A, B, C):
        for b in (A, B, C):
            pairs[a, AND, b] = a, b
            pairs[a, AFTER, b] = b, a
            pairs[a, TWICE, AND, b] = a, a, b
            pairs[a, AND, b, TWICE] = a, b, b
            pairs[a, TWICE, AFTER, b, TWICE] = b, b, a, a
    return pairs


RULES = {(V, TWICE): (1, 1), (V, AND, V): (1, 2), (V, AFTER, V): (2, 1)}


def test_operators_have_one_rule_each():
    grammar, lost = read(operators())
    assert grammar.rules == RULES
    assert lost == []


def test_votes_count_against_the_size_of_a_rule():
    small, large = ((V, TWICE), (1, 1)), ((V, TWICE, AND, V), (1, 1, 2, -9))
    assert _merit(large, 4) > _merit(small, 1)
    assert _merit(large, 2) > _merit(small, 1) > _merit(large, 1)


def test_a_rule_that_is_given_stays_and_one_that_is_banned_does_not_come():
    given = {(V, TWICE): (1, 1), (OF, V): (1, -9)}
    assert read(operators(), given=given)[0].rules == RULES | given
    banned = ((V, AND, V), (1, 2))
    grammar, lost = read(operators(), banned=[banned])
    assert banned not in grammar.rules.items()
    assert lost, "nothing else explains `a and b`"
    for shape in lost:
        assert not explains(parse(shape, grammar, Budget(0)), shape)


def test_constants_stay_in_their_rule():
    pairs = {(OF, a): (8, a, 9) for a in (A, B)} | {
        (OF, a, AND, b): (8, a, 7, b, 9) for a in (A, B) for b in (A, B)
    }
    grammar, lost = read(pairs)
    assert not lost
    assert grammar.rules == {(OF, V): (-8, 1, -9), (OF, V, AND, V): (-8, 1, -7, 2, -9)}


def test_what_no_rule_can_write_is_lost_and_the_rest_is_not():
    wrong = {(A, OF): (1, 2), (B, OF): (3, 1), (C, OF): (2, 2)}
    grammar, lost = read(operators() | wrong)
    assert [shape.tokens for shape in lost] == [(V, OF)]
    assert grammar.rules == RULES


def test_without_steps_everything_is_lost():
    grammar, lost = read(operators(), steps=0)
    assert grammar.rules == {}
    assert len(lost) == len(shapes(operators()))


@pytest.mark.parametrize("words", [2, 4, 6, 8, 9])
def test_left_sides_are_within_the_widest_limits(words):
    """A sentence of words and one variable is a rule as long as a program can hold it."""
    fillers = tuple(range(20, 19 + words))
    pairs = {(*fillers, a): (a, 9) for a in (A, B, C)}
    grammar, lost = read(pairs)
    assert all(len(left) <= MOST_TOKENS for left in grammar.rules)
    assert all(left.count(V) <= MOST_VARIABLES for left in grammar.rules)
    assert all(split(left, **WIDEST) is not None for left in grammar.rules)
    assert bool(lost) == (words > MOST_TOKENS)
