"""What people see of a run."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from lane.data.pair import Pair
from lane.data.task import Task
from lane.trainer.attempt import Report
from lane.trainer.config import build_config
from lane.trainer.run import Plan, Watcher
from lane.trainer.watch import LiveWatcher, PlainWatcher, progress, time_left, watcher_for

REPORT = Report(1, False, "training", 50, 1000, 2, 5, 4, 0.5, 0.9, 1.5, 7, 3.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def plan():
    task = Task("mine", (Pair.of("walk", "W"),), (), ("a note",))
    return Plan(task, build_config(), 3, Path("model.pt"), Path("run"))


def test_lines_for_a_pipe_a_table_for_a_terminal_nothing_if_quiet():
    assert type(watcher_for(io.StringIO(), quiet=False)) is PlainWatcher
    assert type(watcher_for(Terminal(), quiet=False)) is LiveWatcher
    assert type(watcher_for(Terminal(), quiet=True)) is Watcher


def test_plain_lines_now_and_then_and_always_at_the_end(plan):
    stream = io.StringIO()
    watcher = PlainWatcher(stream)
    watcher.begin(plan)
    for _ in range(5):
        watcher.report(0, REPORT)
        watcher.report(1, replace(REPORT, candidate=1))
    watcher.report(0, replace(REPORT, outcome="fitted"))
    lines = stream.getvalue().splitlines()
    assert lines[0] == "mine: 1 training pairs (a note); seed 3, cpu"
    assert [line.split()[:2] for line in lines[1:]] == [["candidate", n] for n in ("1", "2", "1")]
    assert "lesson 2/5 (up to 4 words)  right  50.00%  simple 0.900  reward 1.50  rules   7" in lines[1]
    assert lines[-1].endswith("fitted")


def test_the_table_has_a_row_for_each_candidate(plan):
    stream = Terminal()
    watcher = LiveWatcher(stream)
    watcher.begin(plan)
    watcher.report(1, replace(REPORT, outcome="stalled"))
    watcher.report(0, REPORT)
    watcher.say("round 1: no")
    watcher.end()
    text = stream.getvalue()
    for part in ("mine: 1 training pairs", "lesson", "2/5", "50.0%", "stalled", "round 1: no"):
        assert part in text


def test_the_time_left_is_rough_and_said_to_be():
    assert time_left(replace(REPORT, lesson=1, accuracy=0.0)) == "?"
    assert time_left(REPORT) == "~7 s"
    assert time_left(replace(REPORT, outcome="fitted")) == "done"


def test_progress_rises_with_lessons_and_accuracy():
    steps = [replace(REPORT, lesson=lesson, accuracy=a) for lesson in (1, 2, 5) for a in (0.0, 0.5, 1.0)]
    shares = [progress(step) for step in steps]
    assert shares == sorted(shares)
    assert all(0 <= share <= 0.95 for share in shares)
    assert progress(replace(REPORT, outcome="consolidating")) == 1.0
