"""Faults of an export: each file is the old one or the new one, whole, and nothing else is left."""

import itertools
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from injection import BIN, FILE_CALLS, KINDS, OLD, Campaign, family, outcry, outlives, temporary_files


class Exporting:
    """An export, and the files that it must write."""

    def __init__(self, campaign: Campaign, model: Path) -> None:
        self.campaign = campaign
        self.out = campaign.folder / "exported"
        self.command = [str(BIN / "lane-export"), str(model), "--out", str(self.out), "--random", "100"]
        begin = time.monotonic()
        subprocess.run(self.command, capture_output=True, check=True)
        self.seconds = time.monotonic() - begin
        # From memory: what is on the disk may be what the last fault left.
        self.right = {path.name: path.read_bytes() for path in self.out.iterdir()}

    def _renew(self) -> None:
        shutil.rmtree(self.out)
        self.out.mkdir()
        for name in self.right:
            (self.out / name).write_bytes(OLD)

    def _lost(self, code: int) -> str | None:
        for name, data in self.right.items():
            found = (self.out / name).read_bytes()
            if found != data and (code == 0 or found != OLD):
                return f"exit code {code}, and {name} is another file"
        return None

    def failing_calls(self, most: int = sys.maxsize) -> None:
        """Each call on a file fails once, in each way."""
        for name, kind in FILE_CALLS:
            for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                self._renew()
                fault = self.campaign.environment(f"{name} {number} {KINDS[kind]}")
                done = subprocess.run(self.command, capture_output=True, env=fault)
                if not self.campaign.told.exists():
                    break
                code, lost = done.returncode, self._lost(done.returncode)
                left = None if kind == "SIGKILL" else temporary_files(self.out)
                if kind == "SIGKILL" and code:  # what was begun goes with the next export
                    subprocess.run(self.command, capture_output=True, check=True)
                    lost, left = lost or self._lost(0), temporary_files(self.out)
                self.campaign.count(f"export, {name} {kind}", lost, left, outcry(code, done.stderr))

    def signals(self) -> None:
        """SIGTERM or SIGKILL at a random moment."""
        self._renew()
        kind = self.campaign.either()
        process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        time.sleep(self.campaign.draw.uniform(0, self.seconds))
        started = family(process.pid)
        process.send_signal(kind)
        errors = process.communicate()[1]
        # Nobody can clean up after SIGKILL.
        left = temporary_files(self.out) if kind == signal.SIGTERM else None
        code = process.returncode
        self.campaign.count(
            f"export, {kind.name}", self._lost(code), left, outcry(0, errors), outlives(started)
        )

    def clock(self) -> None:
        """The time of day jumps by a day at every reading."""
        self._renew()
        done = subprocess.run(self.command, env=self.campaign.environment("clock 0 0"), capture_output=True)
        code = done.returncode
        self.campaign.count("export, clock", self._lost(code), f"exit code {code}" if code else None)
