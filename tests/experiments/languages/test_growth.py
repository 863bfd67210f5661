"""Languages of any size: the pairs asked for, no test command among them, every word known from training."""

import pytest

from lane.base.errors import LaneError
from lane.data import load_task
from lane.experiments.languages.growth import growth_task, named


@pytest.mark.parametrize("size", [100, 1_000, 20_910, 25_000])
def test_size_and_split(size):
    task = growth_task(size)
    train = {pair.source for pair in task.train}
    assert len(task.train) == len(train) == size
    assert train.isdisjoint(pair.source for pair in task.test)
    assert len(task.test) == 1_000
    words = {word for source in train for word in source}
    assert words.issuperset(word for pair in task.test for word in pair.source)
    assert {action for pair in task.train for action in pair.target}.issuperset(
        action for pair in task.test for action in pair.target
    )
    assert growth_task(size) == task


def test_by_name():
    assert load_task("growth:100").train == growth_task(100).train
    assert named("practical:calls:1") is None
    for size in ("99", "1000001"):
        with pytest.raises(LaneError, match="a task of 100 to 1,000,000 pairs"):
            load_task(f"growth:{size}")


@pytest.mark.parametrize("count", [4, 20])
def test_any_number_of_names(count):
    task = load_task(f"practical:names{count}:0")
    assert len({pair.source for pair in task.train if len(pair.source) == 1}) == count - count // 12


def test_too_few_names():
    with pytest.raises(LaneError, match="no kind 'names3'"):
        load_task("practical:names3:0")
