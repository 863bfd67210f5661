"""Templates in plain Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.models.template import expand

VALUES = st.lists(st.lists(st.integers(1, 9), max_size=4), min_size=2, max_size=2)


@pytest.mark.parametrize(
    ("template", "actions"),
    [([], []), ([1, 1], [7, 8, 7, 8]), ([2, 1], [9, 7, 8]), ([3], [1]), ([5, 2, 3], [3, 9, 1])],
)
def test_variables_are_values_and_the_rest_actions(template, actions):
    assert expand(template, 2, [[7, 8], [9]]) == actions


@given(left=st.lists(st.integers(1, 6)), right=st.lists(st.integers(1, 6)), values=VALUES)
def test_a_template_is_expanded_token_by_token(left, right, values):
    whole = expand(left + right, 2, values)
    assert whole == expand(left, 2, values) + expand(right, 2, values)


@given(template=st.lists(st.integers(1, 6)), values=VALUES)
def test_the_values_are_left_alone(template, values):
    before = [list(value) for value in values]
    expand(template, 2, values).append(1)
    assert values == before
