"""The memory of a run is that of all its processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from lane.trainer import footprint as memory
from lane.trainer.footprint import PeakMemory

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="only Linux tells")


def test_a_child_counts_while_it_lives():
    with PeakMemory() as alone:  # it looks at its end at least
        pass
    fill = "data = bytearray(100_000_000); data[::4096] = b'x' * len(data[::4096])"
    command = [sys.executable, "-c", f"{fill}; print(flush=True); input()"]
    with subprocess.Popen(command, stdin=-1, stdout=-1) as child:
        child.stdout.readline()
        with PeakMemory() as both:
            pass
        child.communicate(b"\n")
    assert 90 < both.megabytes - alone.megabytes < 200


def test_another_measure_where_the_system_does_not_tell(monkeypatch):
    def refuse(pid):
        raise PermissionError

    monkeypatch.setattr(memory, "_family", refuse)
    with PeakMemory() as peak:
        pass
    assert peak.megabytes > 1
