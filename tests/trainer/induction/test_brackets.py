"""Brackets: which right sides close what they open."""

import pytest

from lane.trainer.induction.brackets import Brackets

ACTIONS = ("call", "(", ")", "￭[￭", "￭]", "{", "}", "((", "x")


@pytest.mark.parametrize(
    ("right", "is_balanced"),
    [
        ((1, 2), True),
        ((-1, -2, 1, -3), True),
        ((-2, -4, 1, -5, -6, -7, -3), True),
        ((-1, -2, 1), False),
        ((1, -3), False),
        ((-3, 1, -2), False),
        ((-2, -4, -3, -5), False),
        ((-8, 1), True),
    ],
)
def test_what_is_opened_is_closed_in_order(right, is_balanced):
    """In any scheme: the signs of glue are no part of a bracket, and `((` is a word."""
    assert Brackets(ACTIONS).balanced(right) is is_balanced


def test_without_brackets_all_is_balanced():
    assert not Brackets()
    assert not Brackets(("(", "x")), "what is never closed is no bracket"
    assert Brackets(ACTIONS)
    assert Brackets().balanced((-1, 1))
