"""Writes the answers of `lane-run` completely or fails, and counts them."""

import os
import re
import select
import sys
import time
from collections import Counter
from contextlib import suppress
from typing import TextIO

from lane.cli.lines import Answer, StreamError
from lane.runtime.errors import EMPTY

_INTERVAL = 0.5  # seconds between two counts on a terminal
_MOST_AT_ONCE = 2**30  # bytes of one write; no system takes 2 GiB, and some refuse
# Control characters except tab and newline, and those that override the direction of text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class StoppedError(Exception):
    """A line failed under `--on-error stop`."""


class Output:
    """Answers to standard output, everything else to standard error."""

    def __init__(self, progress: str) -> None:
        self._counts: Counter[str] = Counter()
        self._begin = time.perf_counter()
        self._is_shown = progress == "on" or (
            progress == "auto" and _is_terminal(sys.stderr) and not _is_terminal(sys.stdout)
        )
        self._next = self._begin + _INTERVAL

    @property
    def failures(self) -> dict[str, int]:
        """Lines that failed, by code; an empty line is no failure."""
        return {code: count for code, count in self._counts.items() if code not in ("lines", EMPTY)}

    @property
    def failed(self) -> int:
        """How many lines failed."""
        return sum(self.failures.values())

    def write(self, answer: Answer) -> None:
        """The output at once, then the messages about failures."""
        write_all(answer.output)
        if answer.problems:
            self._clear()
            say("\n".join(answer.problems))
        self._counts.update(answer.counts)
        if self._is_shown and time.perf_counter() >= self._next:
            self._next = time.perf_counter() + _INTERVAL
            _to_stderr(f"\r{self._speed()} ")
        if answer.stop:
            raise StoppedError

    def finish(self, stats: bool) -> None:
        """Remove the progress line and write the figures."""
        self._clear()
        if stats:
            kinds = ", ".join(f"{code} {count:,}" for code, count in sorted(self.failures.items()))
            line = f"{self._speed()}, {self.failed:,} failed{f' ({kinds})' if kinds else ''}"
            empty = self._counts[EMPTY]
            say(f"{line}, {empty:,} empty" if empty else line)

    def _speed(self) -> str:
        seconds = time.perf_counter() - self._begin
        lines = self._counts["lines"]
        return f"{lines:,} lines in {seconds:.2f} s, {lines / max(seconds, 1e-9):,.0f} lines/s"

    def _clear(self) -> None:
        if self._is_shown:
            _to_stderr("\r\x1b[K")


def write_all(data: bytes) -> None:
    """Write every byte to standard output; StreamError if that fails, BrokenPipeError if the reader left."""
    if sys.stdout is None:
        raise StreamError("standard output is closed; nothing can be written")
    _write(sys.stdout.fileno(), data, "standard output")


def say(text: str) -> None:
    """A message on standard error, with control characters escaped: a terminal would obey them."""
    _to_stderr(_CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text) + "\n")


def _to_stderr(text: str) -> None:
    if sys.stderr is not None:
        with suppress(BrokenPipeError):  # nobody reads the messages any more; the output goes on
            _write(sys.stderr.fileno(), text.encode(errors="backslashreplace"), "standard error")


def _write(number: int, data: bytes, name: str) -> None:
    """Directly, since Python's unbuffered streams ignore short writes."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(number, rest[:_MOST_AT_ONCE]) :]
        except BlockingIOError:  # made non-blocking by another process, and the pipe is full
            select.select([], [number], [])
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StreamError(f"{name}: {error.strerror or error}; the output is cut short") from None


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
