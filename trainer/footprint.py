"""The memory of a run: this process and its workers, shared pages counted once."""

import os
import sys
import threading
from pathlib import Path
from types import TracebackType

EVERY = 0.5  # seconds between two samples


class PeakMemory:
    """A context that samples the memory; `megabytes` is the largest sample.

    A page that several processes share, as those of libraries, is divided among them (proportional set size).
    Only Linux offers that; elsewhere it is the peak of this process alone.
    """

    def __init__(self) -> None:
        self.megabytes = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(EVERY):
            self._look()

    def _look(self) -> None:
        try:
            seen = sum(map(_share, _family(os.getpid()))) / 1024
        except OSError:
            seen = _own_peak()
        self.megabytes = max(self.megabytes, seen)


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(member for child in children for member in _family(int(child)))]


def _share(pid: int) -> int:
    """The proportional set size in kilobytes; 0 if the process has just ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _own_peak() -> float:
    try:
        import resource
    except ImportError:  # not on Windows
        return 0.0
    unit = 1024**2 if sys.platform == "darwin" else 1024  # macOS counts bytes, the others kilobytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
