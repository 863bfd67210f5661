"""The derivations of a rollout, row by row."""

from lane.trainer.derived import derived

WALK, RUN, X_TWICE, X_AND_Y = (1,), (2,), (0, 3), (0, 5, 0)


def test_every_row_has_its_steps_with_the_root_last(hand_made, walking):
    rows = list(derived(hand_made(walking.rules, walking.trees)))
    assert len(rows) == len(walking.trees)
    assert [row.steps[-1].span for row in rows] == [tree[0] for tree in walking.trees]
    for steps, _ in rows:
        spans = {step.number: step.span for step in steps}
        assert all(part < step.number for step in steps for part in step.parts)
        assert all(len(step.parts) == step.span.count(0) for step in steps)
        assert {part for step in steps for part in step.parts} == set(spans) - {steps[-1].number}


def test_a_row_has_the_right_sides_of_its_own_rules(hand_made, walking):
    for tree, row in zip(walking.trees, derived(hand_made(walking.rules, walking.trees)), strict=True):
        assert set(row.templates) == {step.span for step in row.steps}
        assert all(row.templates[span] == list(walking.rules[span]) for span in row.templates), tree
