"""What people see of a run."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from lane.cli.watch import LiveWatcher, PlainWatcher, Watcher, progress, time_left, watcher_for
from lane.trainer.attempt import Report

REPORT = Report(1, False, "training", 50, 1000, 2, 5, 4, 0.5, 0.9, 1.5, 7, 3.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_for_a_pipe_a_table_for_a_terminal_nothing_if_quiet():
    assert type(watcher_for(io.StringIO(), False, "mine")) is PlainWatcher
    assert type(watcher_for(Terminal(), False, "mine")) is LiveWatcher
    assert type(watcher_for(Terminal(), True, "mine")) is Watcher


def test_plain_lines_now_and_then_and_always_at_the_end_and_for_messages():
    stream = io.StringIO()
    with PlainWatcher(stream, "mine: 1 training pairs") as watcher:
        assert stream.getvalue() == "", "an error before the first report stands alone"
        for _ in range(5):
            watcher.report(REPORT)
            watcher.report(replace(REPORT, candidate=1))
        watcher.report(replace(REPORT, outcome="fitted"))
        watcher.report(replace(REPORT, message="round 1: no"))
    lines = stream.getvalue().splitlines()
    assert lines[0] == "mine: 1 training pairs"
    assert [line.split()[:2] for line in lines[1:-1]] == [["candidate", n] for n in ("1", "2", "1")]
    assert "lesson 2/5 (up to 4 words)  right  50.00%  simple 0.900  reward 1.50  rules   7" in lines[1]
    assert lines[-2].endswith("fitted")
    assert lines[-1] == "round 1: no"


def test_the_table_has_a_row_for_each_candidate():
    stream = Terminal()
    with LiveWatcher(stream, "mine: 1 training pairs") as watcher:
        watcher.report(replace(REPORT, candidate=1, outcome="stalled"))
        watcher.report(REPORT)
        watcher.report(replace(REPORT, message="round 1: no"))
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
    assert (shares[0], shares[-1]) == (0.0, 0.95), "only a fit is the whole way"
    assert progress(replace(REPORT, outcome="consolidating")) == 1.0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_under_the_log_does_not_end_the_training():
    with Path("/dev/full").open("w", encoding="utf-8") as log:
        watcher = PlainWatcher(log, "headline")
        for _ in range(3):
            watcher.report(replace(Report(), message="a message"))
