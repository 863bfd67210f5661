"""Progress on standard error: a live table on a terminal, plain lines elsewhere."""

import os
import time
from typing import TYPE_CHECKING, TextIO

from lane.trainer.attempt import Report

if TYPE_CHECKING:
    from rich.console import RenderableType

PLAIN_EVERY = 2.0  # seconds between two plain lines of a candidate: a log to read, not to scroll


class Watcher:
    """A context around a run that receives its reports; this one is silent."""

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def report(self, report: Report) -> None:
        """A candidate has been evaluated, or the run has a message."""


def watcher_for(stream: TextIO, quiet: bool, headline: str) -> Watcher:
    """The watcher that suits the stream; the headline precedes the first report."""
    if quiet:
        return Watcher()
    if stream.isatty():
        try:
            return LiveWatcher(stream, headline)
        except ImportError:  # rich is optional
            pass
    return PlainWatcher(stream, headline)


def progress(report: Report) -> float:
    """A rough share of the work: lessons passed, and the accuracy in the present one."""
    if report.outcome in ("consolidating", "fitted"):
        return 1.0
    # Most runs end by the fifth lesson, however many lengths there are.
    lessons = min(report.lessons, 5)
    return min(0.95, (report.lesson - 1 + report.accuracy) / lessons)  # 1 only at the end


def time_left(report: Report) -> str:
    """A rough estimate for people, marked as such."""
    share = progress(report)
    if report.outcome == "fitted":
        return "done"
    if share < 0.05:  # too little to extrapolate from
        return "?"
    left = report.seconds * (1 - share) / share
    return f"~{max(1, round(left))} s"


class PlainWatcher(Watcher):
    """A line every few seconds, for logs and pipes."""

    def __init__(self, stream: TextIO, headline: str) -> None:
        self.stream, self._headline = stream, headline
        self._told: dict[int, float] = {}  # when each candidate last had a line

    def report(self, report: Report) -> None:
        """A line, unless the last one of this candidate is recent."""
        if self._headline:
            self._say(self._headline)
            self._headline = ""
        if report.message:
            self._say(report.message)
            return
        ended = report.outcome in ("fitted", "stalled")
        recent = time.monotonic() - self._told.get(report.candidate, -PLAIN_EVERY) < PLAIN_EVERY
        if ended or not recent:
            self._told[report.candidate] = time.monotonic()
            self._say(str(report))

    def _say(self, text: str) -> None:
        """A line at once; after a broken pipe or on a full disk, training continues in silence."""
        try:
            print(text, file=self.stream, flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


class LiveWatcher(Watcher):
    """A table that is redrawn in place, a row for each candidate."""

    def __init__(self, stream: TextIO, headline: str) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(file=stream, markup=False, highlight=False)
        self._live = Live(console=self._console, refresh_per_second=4, transient=False)
        self._headline = headline
        self._reports: dict[int, Report] = {}

    def __exit__(self, *error: object) -> None:
        """Leave the last table standing."""
        self._live.stop()

    def report(self, report: Report) -> None:
        """Redraw the candidate's row; a message is a line above the table."""
        if self._headline:
            self._console.print(self._headline)
            self._headline = ""
            self._live.start()
        if report.message:
            self._console.print(report.message)
            return
        self._reports[report.candidate] = report
        self._live.update(self._table())

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
