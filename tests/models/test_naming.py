"""Rules in words."""

import pytest

from lane.base.errors import LaneError
from lane.base.rule import Rule
from lane.base.vocabulary import Vocabulary
from lane.models import symbols
from lane.models.naming import named_rule

BOTH = Vocabulary(["twice", "and"]), Vocabulary(["GO", "STOP"])


def test_variables_are_named_in_order_of_appearance():
    leaves = [symbols.VARIABLE, 2, symbols.VARIABLE, symbols.NONE]
    rule = named_rule(leaves, [2, 1, 3, symbols.END], BOTH, variables=2, uses=5)
    assert rule == Rule(("$x", "and", "$y"), ("$Y", "$X", "GO"), 5)
    assert str(rule) == "$x and $y -> $Y $X GO"


def test_actions_begin_behind_the_variables_of_the_model_and_not_of_the_span():
    assert named_rule([1], [5], BOTH, variables=4).template == ("GO",)


def test_a_number_without_a_word_is_an_error():
    with pytest.raises(LaneError, match="no word has number 9"):
        named_rule([9], [3], BOTH, variables=2)
