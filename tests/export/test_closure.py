"""The closure holds all that any command can meet."""

import pytest

from lane.export.batches import numbers, table
from lane.export.closure import _rows_of, close, leaves_of


@pytest.mark.parametrize(
    ("seed", "limits"), [(1, {}), (2, {"span_limit": 4, "variable_limit": 3}), (3, {"span_limit": 2})]
)
def test_every_node_of_random_commands_is_in_it(checkpoint_of, commands_of, seed, limits):
    checkpoint = checkpoint_of(seed, words=("a", "b", "c", "d"), **limits)
    composer = checkpoint.model().double().composer
    closure = close(composer, 10**6)
    assert not closure.left_out
    known = {row[:2]: row for row in closure.rows}
    assert len(known) == len(closure.rows)
    rows = [numbers(c, checkpoint.source) for c in commands_of(seed, 400, 25, ("a", "b", "c", "d"))]
    met = _rows_of(composer, [composer.compose(table(rows), None).nodes])
    assert met
    for row in met:
        assert known[row[:2]].recognized == row.recognized
        assert known[row[:2]].score == pytest.approx(row.score, abs=1e-12)


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
    assert some.rows == tuple(pairs)
    assert some.left_out[3] == sum(len(row.leaves) == 3 for row in whole.rows)
    rows = [numbers(command, checkpoint.source) for command in commands_of(1, 30, 9)]
    met = composer.compose(table(rows), None).nodes
    kept = close(composer, len(pairs), [met])
    assert len(some.rows) < len(kept.rows) < len(whole.rows)
    assert {row[:2] for row in kept.rows} <= {row[:2] for row in whole.rows}
    assert close(composer, 0).rows == ()


def test_leaves_from_left_to_right():
    assert leaves_of(((1, 0), (2, (3, 0)))) == (1, 0, 2, 3, 0)
