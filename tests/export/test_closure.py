"""The closure holds all that any command can meet, and few nodes that none can."""

from itertools import product

import pytest
import torch

from lane.export import closure as module
from lane.export.batches import numbers, table
from lane.export.closure import _rows_of, close, leaves_of
from lane.models.composer import Composer

WIDE = {"span_limit": 4, "variable_limit": 3}


def met_by(composer: Composer, rows: list) -> list:
    """The nodes that the real loop comes to."""
    return list(_rows_of(composer, [composer.compose(table(rows), None).nodes]))


@pytest.mark.parametrize(
    ("seed", "limits"), [(1, {}), (2, {"span_limit": 4, "variable_limit": 3}), (3, {"span_limit": 2})]
)
def test_every_node_of_random_commands_is_in_it(checkpoint_of, commands_of, seed, limits):
    checkpoint = checkpoint_of(seed, words=("a", "b", "c", "d"), **limits)
    composer = checkpoint.model().double().composer
    closure = close(composer, 10**6)
    assert closure.left_out is None
    known = {row[:2]: row for row in closure.rows}
    assert len(known) == len(closure.rows)
    rows = [numbers(c, checkpoint.source) for c in commands_of(seed, 400, 25, ("a", "b", "c", "d"))]
    met = met_by(composer, rows)
    assert met
    for row in met:
        assert known[row[:2]].recognized == row.recognized
        assert known[row[:2]].score == pytest.approx(row.score, abs=1e-12)


@pytest.mark.parametrize("limits", [{}, WIDE, {"span_limit": 4}, {"composer": False, **WIDE}])
@pytest.mark.parametrize("seed", range(1, 9))
def test_no_command_leads_beyond_it(checkpoint_of, seed, limits):
    """All commands of up to eight words: late variables, limits and ends of commands occur in every place."""
    composer = checkpoint_of(seed, words=("a", "b", "c"), **limits).model().double().composer
    known = {row[:2] for row in close(composer, 10**6).rows}
    for length in range(2, 9):
        rows = list(product((1, 2, 3), repeat=length))
        assert {row[:2] for row in met_by(composer, rows)} <= known


def test_equal_scores_are_met_in_the_order_of_the_loop(checkpoint_of):
    """Without a query every merge is a tie: the leftmost pair goes first, and so on to the right."""
    composer = checkpoint_of(3, words=("a", "b", "c"), **WIDE).model().double().composer
    composer.query.zero_()
    known = {row[:2] for row in close(composer, 10**6).rows}
    for length in range(2, 8):
        assert {row[:2] for row in met_by(composer, list(product((1, 2, 3), repeat=length)))} <= known


def test_what_the_order_of_merges_rules_out_is_not_in_it(checkpoint_of, monkeypatch):
    composers = [checkpoint_of(seed, **WIDE).model().double().composer for seed in (3, 5, 7)]
    found = [close(composer, 10**6) for composer in composers]
    monkeypatch.setattr(module._Table, "_can_meet", lambda self, left, right: torch.ones_like(left) > 0)
    every = [close(composer, 10**6) for composer in composers]
    for some, all_pairs in zip(found, every, strict=True):
        assert {row[:2] for row in some.rows} < {row[:2] for row in all_pairs.rows}
        assert 3 * len(some.rows) < len(all_pairs.rows)


def test_sides_are_leaves_or_unrecognized(checkpoint):
    composer = checkpoint.model().double().composer
    closure = close(composer, 10**6)
    recognized = {row[:2] for row in closure.rows if row.recognized}
    for row in closure.rows:
        assert len(row.leaves) <= composer.max_span
        assert row.leaves.count(0) <= composer.max_variables
        for side in (row.left, row.right):
            assert side not in recognized
            assert not isinstance(side, int) or side == 0 or not closure.recognized[side - 1]


def test_the_budget_names_what_is_left_out(checkpoint, commands_of):
    composer = checkpoint.model().double().composer
    whole = close(composer, 10**6)
    pairs = [row for row in whole.rows if len(row.leaves) == 2]
    some = close(composer, len(pairs))
    assert (some.rows, some.left_out) == (tuple(pairs), 3)
    rows = [numbers(command, checkpoint.source) for command in commands_of(1, 30, 9)]
    met = composer.compose(table(rows), None).nodes
    kept = close(composer, len(pairs) + int((met.size > 2).sum()), [met])
    assert kept.left_out == 3
    assert len(some.rows) < len(kept.rows) < len(whole.rows)
    assert {row[:2] for row in kept.rows} <= {row[:2] for row in whole.rows}
    assert (close(composer, 0).rows, close(composer, 0).left_out) == ((), 2)


def test_a_size_with_too_many_pairs_is_not_looked_up(checkpoint, monkeypatch):
    monkeypatch.setattr(module, "PAIRS", 0)
    assert close(checkpoint.model().double().composer, 10**6).left_out == 2


def test_pairs_come_in_parts_of_bounded_size(checkpoint, monkeypatch):
    composer = checkpoint.model().double().composer
    whole = close(composer, 10**6)
    monkeypatch.setattr(module, "CELLS", 5)
    assert close(composer, 10**6) == whole


def test_leaves_from_left_to_right():
    assert leaves_of(((1, 0), (2, (3, 0)))) == (1, 0, 2, 3, 0)
