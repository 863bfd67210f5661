"""Writes the answers of `lane-run`, and keeps count."""

import sys
import time
from collections import Counter

from lane.cli.lines import Answer
from lane.runtime.errors import EMPTY

_INTERVAL = 0.5  # seconds between two counts on a terminal


class StoppedError(Exception):
    """A line failed under `--on-error stop`."""


class Output:
    """Answers to standard output, everything else to standard error."""

    def __init__(self, progress: str) -> None:
        self._counts: Counter[str] = Counter()
        self._begin = time.perf_counter()
        self._is_shown = progress == "on" or (
            progress == "auto" and sys.stderr.isatty() and not sys.stdout.isatty()
        )
        self._next = self._begin + _INTERVAL

    @property
    def failures(self) -> dict[str, int]:
        """Lines that failed, by code; an empty line is none."""
        return {code: count for code, count in self._counts.items() if code not in ("lines", EMPTY)}

    @property
    def failed(self) -> int:
        """Lines that failed."""
        return sum(self.failures.values())

    def write(self, answer: Answer) -> None:
        """The output at once, then what went wrong."""
        sys.stdout.buffer.write(answer.output)
        sys.stdout.buffer.flush()
        if answer.problems:
            self._clear()
            # One write for all, and never an error over a character the terminal cannot show.
            text = "".join(f"{problem}\n" for problem in answer.problems)
            sys.stderr.buffer.write(text.encode(errors="backslashreplace"))
            sys.stderr.buffer.flush()
        self._counts.update(answer.counts)
        if self._is_shown and time.perf_counter() >= self._next:
            self._next = time.perf_counter() + _INTERVAL
            print(f"\r{self._speed()} ", end="", file=sys.stderr, flush=True)
        if answer.stop:
            raise StoppedError

    def finish(self, stats: bool) -> None:
        """The last flush and the figures."""
        sys.stdout.buffer.flush()
        self._clear()
        if stats:
            kinds = ", ".join(f"{code} {count:,}" for code, count in sorted(self.failures.items()))
            line = f"{self._speed()}, {self.failed:,} failed{f' ({kinds})' if kinds else ''}"
            empty = self._counts[EMPTY]
            print(f"{line}, {empty:,} empty" if empty else line, file=sys.stderr)

    def _speed(self) -> str:
        seconds = time.perf_counter() - self._begin
        lines = self._counts["lines"]
        return f"{lines:,} lines in {seconds:.2f} s, {lines / max(seconds, 1e-9):,.0f} lines/s"

    def _clear(self) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr)
