"""A task is a record."""

from dataclasses import FrozenInstanceError

import pytest

from lane.data.pair import Pair
from lane.data.task import Task


def test_a_task_is_compared_by_its_content_and_cannot_be_changed() -> None:
    pairs = (Pair.of("jump", "J"),)
    task = Task("toy", pairs, ())
    assert task == Task("toy", pairs, (), ())
    with pytest.raises(FrozenInstanceError):
        task.name = "other"  # type: ignore[misc]
