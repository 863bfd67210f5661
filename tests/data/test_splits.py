from collections.abc import Callable

import pytest

from lane.data import splits
from lane.data.checksum import checksum, verify
from lane.data.scan import scan_pairs
from lane.data.task import Task


@pytest.mark.parametrize("split", [splits.addjump, splits.around_right, splits.length])
def test_a_regenerated_split_is_the_official_one(split: Callable[[], Task]) -> None:
    task = split()
    verify(f"{task.name}_train", task.train, task.name)
    verify(f"{task.name}_test", task.test, task.name)


def test_simple_is_a_partition_by_seed() -> None:
    task = splits.simple(0)
    assert (len(task.train), len(task.test)) == (16_728, 4_182)
    assert set(task.train) | set(task.test) == set(scan_pairs())
    assert "random split" in task.notes[0]
    assert "seed 0" in task.notes[0]
    assert splits.simple(0) == task
    assert splits.simple(1).test != task.test
    # Fixed for ever: results with this seed must stay comparable.
    assert checksum(task.test) == "820d812141e706c2"


def test_extend_has_its_sizes_and_no_command_on_both_sides() -> None:
    task = splits.extend(0)
    assert (len(task.train), len(task.test)) == (20_506, 4_000)
    ands = [pair.source.count("and") for pair in task.train]
    assert [ands.count(number) for number in range(4)] == [102, 10_404, 10_000, 0]
    ands = [pair.source.count("and") for pair in task.test]
    assert [ands.count(number) for number in range(11)] == [0, 0, *[500] * 8, 0]
    sources = [pair.source for pair in (*task.train, *task.test)]
    assert len(set(sources)) == len(sources)
    assert not any("after" in source for source in sources)


def test_extend_depends_on_the_seed_alone() -> None:
    task = splits.extend(0)
    assert (checksum(task.train), checksum(task.test)) == ("b157ad1b0971a847", "9357a205ab603624")
    assert checksum(splits.extend(1).test) != checksum(task.test)


def test_extend_joins_the_actions_in_order() -> None:
    actions = {pair.source: pair.target for pair in scan_pairs()}
    for pair in splits.extend(3).test[::97]:
        parts = " ".join(pair.source).split(" and ")
        assert pair.target == sum((actions[tuple(part.split())] for part in parts), ())
