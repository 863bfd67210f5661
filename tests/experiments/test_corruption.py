"""Wrong pairs on purpose: as many as asked, the same for the same seed, and the test untouched."""

from hypothesis import given
from hypothesis import strategies as st

from lane.data import load_task
from lane.experiments.corruption import corrupted

TASK = load_task("random:3")


@given(st.floats(0, 0.5), st.integers(0, 5))
def test_only_the_outputs_of_the_share_change(share, seed):
    wrong = corrupted(TASK, share, seed)
    changed = {old.source for old, new in zip(TASK.train, wrong.train, strict=True) if old != new}
    distinct = {pair.source for pair in TASK.train}
    assert len(changed) <= round(len(distinct) * share)
    assert [pair.source for pair in wrong.train] == [pair.source for pair in TASK.train]
    assert {pair.target for pair in wrong.train} <= {pair.target for pair in TASK.train}
    assert wrong.test == TASK.test
    assert corrupted(TASK, share, seed) == wrong


def test_a_tenth_is_a_tenth():
    wrong = corrupted(TASK, 0.1, 1)
    changed = {old.source for old, new in zip(TASK.train, wrong.train, strict=True) if old != new}
    distinct = {pair.source for pair in TASK.train}
    assert len(changed) == round(0.1 * len(distinct))
    assert wrong.notes[-1].startswith(f"{len(changed)} of {len(distinct)} training outputs")
