"""How much memory a run takes: this process and its workers, what they share counted once."""

import os
import threading
from pathlib import Path
from types import TracebackType

EVERY = 0.5  # seconds


class PeakMemory:
    """Looks twice a second, as a context; `megabytes` is the most that was seen.

    Each process is charged its proportional share of a page that several hold, as the libraries are. Where
    the system does not tell (all but Linux), it is this process's own peak alone.
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
    """A process and all that come from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(member for child in children for member in _family(int(child)))]


def _share(pid: int) -> int:
    """Kilobytes; 0 of a process that has just ended."""
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
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
