"""Limits of a model: which records are possible, and what the errors say."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from lane.models.config import ModelConfig


def test_defaults_are_the_papers_limits():
    config = ModelConfig()
    assert (config.span_limit, config.variable_limit, config.template_limit) == (3, 2, 10)
    assert (config.max_span, config.max_variables) == (4, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"embedding": 0},
        {"hidden": 4097},
        {"span_limit": 1},
        {"variable_limit": 9},
        {"template_limit": 0},
        {"max_words": 0},
        {"max_actions": 10_000_001},
        {"no_such_field": 1},
        {"hidden": "many"},
    ],
)
def test_what_is_out_of_bounds_is_named(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        ModelConfig(**wrong)


def test_every_variable_needs_room():
    with pytest.raises(ValidationError, match=r"template_limit 3 is too small.*each of the 4 variables"):
        ModelConfig(span_limit=4, variable_limit=3, template_limit=3)


@pytest.mark.parametrize(
    "limits", [{"variable_limit": 6, "span_limit": 6}, {"variable_limit": 6, "composer": False}]
)
def test_every_variable_needs_a_name(limits):
    with pytest.raises(
        ValidationError, match="rules of 10 variables, and only 8 have names; set variable_limit=5"
    ):
        ModelConfig(**limits)


def test_is_frozen_and_survives_a_round_trip():
    config = ModelConfig(hidden=7, constants=True)
    assert ModelConfig(**config.model_dump()) == config
    with pytest.raises(ValidationError, match="frozen"):
        config.hidden = 8


@given(span=st.integers(2, 8), variables=st.integers(2, 8))
def test_a_span_is_two_unrecognised_nodes(span, variables):
    """Nodes below both limits are not recognised; the largest span joins two of them."""
    assume(min(span, variables) <= 5)  # beyond, variables lack names
    config = ModelConfig(span_limit=span, variable_limit=variables, template_limit=64)
    sizes = [(words, v) for words in range(1, span) for v in range(min(words + 1, variables))]
    assert config.max_span == max(a[0] + b[0] for a in sizes for b in sizes)
    assert config.max_variables == max(a[1] + b[1] for a in sizes for b in sizes)
