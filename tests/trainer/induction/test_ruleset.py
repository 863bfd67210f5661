"""Left sides under limits: which merges lead to them, and how wide the limits must be."""

import random
from itertools import pairwise, product

import pytest

from lane.models import symbols
from lane.models.config import NetworkConfig
from lane.trainer.induction.ruleset import (
    MOST_TOKENS,
    MOST_VARIABLES,
    WIDEST,
    RuleSet,
    groups,
    limits_for,
    size_of,
    split,
)

V = symbols.VARIABLE
LEFTS = [left for size in range(2, 7) for left in product([V, 1], repeat=size)]
LIMITS = list(product([2, 3, 4, 5], [2, 3]))


def is_left_open(part, span_limit, variable_limit):
    """Whether a node of these tokens is recognised only if its check says so."""
    return len(part) == 1 or (len(part) < span_limit and part.count(V) < variable_limit)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_the_split_is_the_most_even_one_that_the_limits_allow(limits):
    for left in LEFTS:
        possible = [
            place
            for place in range(1, len(left))
            if is_left_open(left[:place], *limits) and is_left_open(left[place:], *limits)
        ]
        found = split(left, *limits)
        if not possible:
            assert found is None
        else:
            assert found in possible
            assert abs(2 * found - len(left)) == min(abs(2 * place - len(left)) for place in possible)


def is_always_reached(items, allowed, size):
    """Whether every order of allowed merges of neighbours ends in the whole left side."""
    if len(items) == 2:
        return True
    pairs = [(n, (a[0], b[1])) for n, (a, b) in enumerate(pairwise(items))]
    merges = [(n, pair) for n, pair in pairs if pair in allowed and pair != (0, size)]
    return bool(merges) and all(
        is_always_reached((*items[:n], pair, *items[n + 2 :]), allowed, size) for n, pair in merges
    )


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_groups_obey_the_limits_and_lead_to_the_left_side_in_any_order(limits):
    for left in LEFTS:
        if split(left, *limits) is None:
            continue
        allowed = groups(left, *limits)
        for start, end in allowed:
            assert 2 <= end - start < len(left)
            assert is_left_open(left[start:end], *limits)
        words = tuple((n, n + 1) for n in range(len(left)))
        assert is_always_reached(words, set(allowed), len(left)), left


def test_short_left_sides_leave_the_order_open():
    assert groups((V, 1, 2, V), 4, 2) == [(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)]
    assert groups((V, 1, 2, V), 3, 2) == [(0, 2), (2, 4)], "too long: either side of the split"


@pytest.mark.parametrize("seed", range(30))
def test_limits_are_wide_enough_and_never_narrower(seed):
    rng = random.Random(seed)
    possible = [left for left in LEFTS if split(left, **WIDEST) is not None]
    rules = {left: (1,) * rng.randint(1, 15) for left in rng.sample(possible, 3)}
    config = NetworkConfig(span_limit=rng.randint(2, 6), template_limit=rng.randint(4, 12))
    limits = limits_for(rules, config)
    for name, value in limits.items():
        assert value >= getattr(config, name)
    wide = NetworkConfig.model_validate(config.model_dump() | limits)
    for left, right in rules.items():
        assert split(left, wide.span_limit, wide.variable_limit) is not None
        assert len(right) <= wide.template_limit
        assert len(left) <= wide.max_span
    if wide.variable_limit > config.variable_limit:
        narrow = wide.span_limit, wide.variable_limit - 1
        assert any(split(left, *narrow) is None for left in rules), "wider than needed"


def test_wider_limits_leave_room_for_every_variable_that_they_allow():
    narrow = NetworkConfig(template_limit=2)
    limits = limits_for({(V, 1, V, 2, V): (3, 1, 2)}, narrow)
    wide = NetworkConfig.model_validate(narrow.model_dump() | limits)
    assert wide.template_limit == wide.max_variables == 4, "not three: another span may have four"


def test_limits_without_need_stay():
    config = NetworkConfig()
    kept = {name: getattr(config, name) for name in ("span_limit", "variable_limit", "template_limit")}
    assert limits_for({}, config) == limits_for({(V, 1): (1, 1), (V, 1, V): (2, 1)}, config) == kept


def test_what_the_widest_limits_allow():
    widest = NetworkConfig(**WIDEST)
    assert (widest.max_span, widest.max_variables) == (MOST_TOKENS, MOST_VARIABLES)


def test_rules_are_found_along_their_left_sides():
    rules = {(V, 1): (1, 1), (V, 1, V): (2, -3, 1), (1,): (-4,)}
    made = RuleSet(rules)
    for left in rules:
        branch = made.root
        for token in left:
            branch = branch.next[token]
        assert branch.left == left
    assert made.root.next[V].left is None
    assert (
        made.size == sum(size_of(*rule) for rule in rules.items()) == (2 + 2 + 1) + (3 + 3 + 1) + (1 + 1 + 1)
    )
    assert [type(piece) for piece in made.pieces[V, 1, V]] == [int, str, int]
    made.add((V, 1), (1,))
    assert made.rules[V, 1] == (1,)
