"""Parts of the fault campaign: its counts, and how a call is made to fail."""

import errno
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
KINDS = {"short": 0, "ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EAGAIN": errno.EAGAIN, "EINTR": errno.EINTR}
KINDS["EMFILE"] = errno.EMFILE
KINDS |= {"SIGTERM": -signal.SIGTERM, "SIGKILL": -signal.SIGKILL}  # just before the call
ENDED = 128 + signal.SIGTERM  # the exit code of a command that cleans up first
# Every call that can lose a file, with the ways it fails in.
FILE_CALLS = (
    ("file", "ENOSPC"),
    ("file", "EIO"),
    ("file", "short"),
    ("open", "EMFILE"),
    ("sync", "EIO"),
    ("rename", "ENOSPC"),
    ("read", "EIO"),
    ("read", "short"),
    *((name, kind) for kind in ("SIGTERM", "SIGKILL") for name in ("file", "sync", "rename")),
)
OLD = b"old"  # in place of a file, to see whether it survives


class Campaign:
    """Counts faults and losses by kind."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.draw = folder, random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.losses: list[str] = []
        self._signals = itertools.cycle([signal.SIGTERM, signal.SIGKILL])
        self.told = folder / "told"
        self.library = folder / "faults.so"
        source = ROOT / "campaign" / "faults.c"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", source, "-o", self.library, "-ldl"], check=True)

    def environment(self, fault: str, everywhere: bool = False) -> dict[str, str]:
        """A fault by the preloaded library, in the process itself, or also in those that it starts."""
        self.told.unlink(missing_ok=True)
        return os.environ | {
            "LD_PRELOAD": str(self.library),
            "LANE_FAULT": fault,
            "LANE_FAULT_TOLD": str(self.told),
            "LANE_FAULT_BELOW": str(self.folder),
            "PYTHONUNBUFFERED": "1",
            **({"LANE_FAULT_EVERYWHERE": "1"} if everywhere else {}),
        }

    def count(self, kind: str, *losses: str | None) -> None:
        """A fault that was injected, and what was lost by it."""
        self.faults[kind] += 1
        self.lose(kind, *losses)

    def lose(self, kind: str, *losses: str | None) -> None:
        """What was lost, if anything."""
        for loss in filter(None, losses):
            self.losses.append(f"{kind}: {loss}")
            print(f"LOSS {self.losses[-1]}", file=sys.stderr, flush=True)

    def either(self) -> signal.Signals:
        """SIGTERM and SIGKILL in turn."""
        return next(self._signals)


def outcry(code: int, errors: bytes) -> str | None:
    """A failure is an exit code above 0 and a message without a traceback; a signal needs no message."""
    if b"Traceback" in errors:
        return errors.decode(errors="replace")[-600:]
    is_silent = code > 0 and code != ENDED and not errors.strip()
    return "exit code above 0 without a message" if is_silent else None


def temporary_files(*folders: Path) -> str | None:
    """What only an atomic write in progress may have."""
    left = [path for folder in folders for path in folder.glob(".*")]
    return f"left behind: {left[0].name}" if left else None


def family(process: int) -> list[int]:
    """A process and all that it has started, of whatever session."""
    found = [process]
    for parent in found:
        with suppress(OSError):
            text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
            found += map(int, text.split())
    return found


def outlives(processes: list[int]) -> str | None:
    """Whether one of them is left after half a minute: a worker looks for its parent at every evaluation."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not any(map(_is_alive, processes)):
            return None
        time.sleep(0.02)
    return "a process outlives its parent"


def _is_alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return not status.rpartition(")")[2].lstrip().startswith("Z")  # a zombie has ended
