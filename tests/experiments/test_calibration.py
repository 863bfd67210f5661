"""The study of calibration: its trainings, its table and its diagram."""

from collections import Counter

import pytest

from lane.data.registry import check_name, task_names
from lane.experiments import calibration
from lane.experiments.calibration import draw, group, is_wrong, study, table, trials


def record(agreement, worst, readings=0):
    return {"agreement": agreement, "accuracy": {"train": 1.0, "test": worst}, "open_readings": readings}


RECORDS = [
    record(1.0, 1.0),
    record(0.9995, 0.5, readings=2),
    record(0.9985, 1.0),
    record(0.2, 0.0),
    record(None, 1.0),
]


def test_at_least_three_hundred_distinct_trainings_of_every_kind():
    every = trials(1)
    assert len(set(every)) == len(every) >= 300
    assert {trial.task for trial in every} >= set(task_names())
    assert all(check_name(trial.task) for trial in every)
    assert {trial.thin for trial in every} == {0, 0.1, 0.03, 0.01}
    handicaps = Counter(trial.settings for trial in every)
    assert set(handicaps) == {(), ("word_penalty=0",), ("consolidations=0",), ("gamma=0",)}


def test_a_training_is_wrong_if_it_is_wrong_anywhere():
    assert [is_wrong(each) for each in RECORDS] == [False, True, False, True, False]


@pytest.mark.parametrize(
    ("agreement", "name"),
    [(1.0, "at least 99.9 %"), (0.999, "at least 99.9 %"), (0.9989, "99 to 99.9 %"), (0.0, "less than 50 %")],
)
def test_groups_begin_at_their_lower_end(agreement, name):
    assert group(record(agreement, 1.0)) == name


def test_the_table_counts_what_is_wrong_among_the_confirmed():
    assert list(table(RECORDS))[2:] == [
        "| at least 99.9 % | 2 | 1 | 1 | 75.0% |",
        "| 99 to 99.9 % | 1 | 0 | 0 | 100.0% |",
        "| less than 50 % | 1 | 1 | 0 | 0.0% |",
        "| nothing new to compare | 1 | 0 | 0 | 100.0% |",
    ]


def test_the_diagram_is_the_same_for_the_same_records(tmp_path):
    for name in ("one.svg", "other.svg"):
        draw(RECORDS, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_without_official_files_their_tasks_are_left_out(tmp_path, monkeypatch):
    asked = []

    def sweep(wanted, jobs, out, tell, data_dir):
        asked.append(wanted)
        return [trial.head for trial in wanted[:3]] + [{"task": "limit", "seed": 99, "arguments": []}]

    monkeypatch.setattr(calibration, "sweep", sweep)
    records = study(1, 1, tmp_path / "out.jsonl", print, None)
    assert [each["seed"] for each in records] == [1, 2, 3], "trainings of another study do not count"
    assert not any(trial.task.startswith("mcd") for trial in asked[0])
    study(1, 1, tmp_path / "out.jsonl", print, tmp_path)
    assert any(trial.task == "mcd1" for trial in asked[1])
