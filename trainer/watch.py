"""Watching a run: a live table on a terminal, plain lines elsewhere."""

import os
import sys
import time
from typing import TYPE_CHECKING, TextIO

from lane.trainer.attempt import Report
from lane.trainer.run import Plan, Watcher

if TYPE_CHECKING:
    from rich.console import RenderableType

PLAIN_EVERY = 2.0  # seconds between two plain lines of a candidate


def watcher_for(stream: TextIO, quiet: bool) -> Watcher:
    """The watcher that suits where the output goes."""
    if quiet:
        return Watcher()
    if stream.isatty():
        try:
            return LiveWatcher(stream)
        except ImportError:  # rich comes with the extra `train`; lines do without
            pass
    return PlainWatcher(stream)


def progress(report: Report) -> float:
    """A rough share of the way: lessons passed, and how much of the present one is right."""
    if report.outcome in ("consolidating", "fitted"):
        return 1.0
    # Most runs are over by the fifth lesson, whatever the number of lengths.
    lessons = min(report.lessons, 5)
    return min(0.95, (report.lesson - 1 + report.accuracy) / lessons)


def time_left(report: Report) -> str:
    """An estimate for a person: rough, and said to be so."""
    share = progress(report)
    if report.outcome == "fitted":
        return "done"
    if share < 0.05:
        return "?"
    left = report.seconds * (1 - share) / share
    return f"~{max(1, round(left))} s"


class PlainWatcher(Watcher):
    """One line now and then, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._told: dict[int, float] = {}

    def begin(self, plan: Plan) -> None:
        """Say what is learned."""
        self.say(_headline(plan))

    def report(self, number: int, report: Report) -> None:
        """A line, unless the last one of this candidate is fresh."""
        ended = report.outcome in ("fitted", "stalled")
        if not ended and time.monotonic() - self._told.get(number, -PLAIN_EVERY) < PLAIN_EVERY:
            return
        self._told[number] = time.monotonic()
        self.say(str(report))

    def say(self, text: str) -> None:
        """A line at once; where its reader has gone, training goes on in silence."""
        try:
            print(text, file=self.stream, flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


class LiveWatcher(Watcher):
    """A table that is redrawn in place, a row a candidate."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(file=stream, markup=False, highlight=False)
        self._live = Live(console=self._console, refresh_per_second=4, transient=False)
        self._reports: dict[int, Report] = {}

    def begin(self, plan: Plan) -> None:
        """Say what is learned, and open the table."""
        self._console.print(_headline(plan))
        self._live.start()

    def report(self, number: int, report: Report) -> None:
        """Redraw the candidate's row."""
        self._reports[number] = report
        self._live.update(self._table())

    def say(self, text: str) -> None:
        """A line above the table."""
        self._console.print(text)

    def end(self) -> None:
        """Leave the last table standing."""
        self._live.stop()

    def _table(self) -> "RenderableType":
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        table = Table(box=None, padding=(0, 2, 0, 0))
        for name in ("candidate", "", "lesson", "right", "simple", "reward", "rules", "updates", "left"):
            table.add_column(name, justify="left" if name in ("", "candidate") else "right", no_wrap=True)
        for number, report in sorted(self._reports.items()):
            table.add_row(
                f"{number + 1}",
                ProgressBar(total=1.0, completed=progress(report), width=8),
                f"{report.lesson}/{report.lessons}",
                f"{report.accuracy:.1%}",
                f"{report.simplicity:.2f}",
                f"{report.reward:.2f}",
                f"{report.rules}",
                f"{report.updates}",
                report.outcome if report.outcome == "stalled" else time_left(report),
            )
        return table


def _headline(plan: Plan) -> str:
    task = plan.task
    notes = f" ({'; '.join(task.notes)})" if task.notes else ""
    return f"{task.name}: {len(task.train)} training pairs{notes}; seed {plan.seed}, {plan.device}"


def stderr_watcher(quiet: bool) -> Watcher:
    """The watcher of the commands: standard output stays free for results."""
    return watcher_for(sys.stderr, quiet)
