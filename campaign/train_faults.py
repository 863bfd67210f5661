"""Faults of a training: the old model stays or the new one is whole, and it resumes to the same weights."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from injection import BIN, ENDED, FILE_CALLS, KINDS, OLD, Campaign, family, outcry, outlives, temporary_files

from lane.base.errors import LaneError
from lane.models import checkpoint

RENAMES = 5  # of the run record, of states and of the model: in between


class Training:
    """A training of seconds, and the weights that it must arrive at."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.place = campaign.folder / "training"
        self.out = self.place / "model.pt"
        self.run_dir = self.place / "model.pt.run"
        self.right: dict[str, list[float]] = {}
        self.seconds = {workers: self._first(workers) for workers in ("1", "2")}
        self.model = shutil.copy(self.out, campaign.folder / "right.pt")

    def command(self, workers: str, *more: str) -> list[str]:
        """`lane-train`, of one candidate in its own process, or of two in others."""
        options = ["--task", "limit", "--seed", "3", "--workers", workers, "--out", str(self.out)]
        return [str(BIN / "lane-train"), *options, *more, "--set", f"candidates={workers}"]

    def _first(self, workers: str) -> float:
        begin = time.monotonic()
        self._clear()
        subprocess.run(self.command(workers), capture_output=True, check=True)
        self.right[workers] = self._weights()
        return time.monotonic() - begin

    def _clear(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()

    def _weights(self) -> dict[str, list[float]]:
        try:
            weights = checkpoint.load(self.out).weights
        except LaneError:
            return {}
        return {name: tensor.flatten().tolist() for name, tensor in weights.items()}

    def _goes_on(self, workers: str) -> str | None:
        """A run that has begun is resumed, another started again; both arrive at the same weights."""
        resume = ["--resume"] if (self.run_dir / "run.json").exists() else []
        done = subprocess.run(self.command(workers, *resume), capture_output=True, text=True)
        if done.returncode:
            return f"does not go on: {done.stderr[-300:]}"
        return None if self._weights() == self.right[workers] else "goes on to another model"

    def failing_calls(self, most: int = sys.maxsize) -> None:
        """Each call on a file fails once, in each way; after a full disk it goes on."""
        for name, kind in FILE_CALLS:
            for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                self._clear()
                self.out.write_bytes(OLD)
                fault = self.campaign.environment(f"{name} {number} {KINDS[kind]}")
                done = subprocess.run(self.command("1"), capture_output=True, env=fault)
                if not self.campaign.told.exists():
                    break
                code, going_on = done.returncode, None
                is_old = self.out.read_bytes() == OLD
                weights = {} if is_old else self._weights()
                # SIGTERM stops a training, which writes the best model so far, whole; it can be resumed.
                is_new = weights == self.right["1"] or (kind == "SIGTERM" and code == ENDED and bool(weights))
                lost = None if is_new or (is_old and code) else f"code {code}, no model"
                left = None if kind == "SIGKILL" else temporary_files(self.place, self.run_dir)
                if code and kind in ("ENOSPC", "SIGTERM", "SIGKILL"):
                    going_on = self._goes_on("1") or temporary_files(self.place, self.run_dir)
                self.campaign.count(
                    f"training, {name} {kind}", lost, left, outcry(code, done.stderr), going_on
                )

    def failing_reads(self, most: int = sys.maxsize) -> None:
        """Each read of a run to resume fails once: a message, and then it goes on to the same weights."""
        self._clear()
        kill = self.campaign.environment(f"rename {RENAMES} {KINDS['SIGKILL']}")
        subprocess.run(self.command("1"), capture_output=True, env=kill)
        kept = self.campaign.folder / "kept"
        shutil.copytree(self.place, kept)
        for kind in ("EIO", "short"):
            for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                self._clear()
                shutil.copytree(kept, self.place, dirs_exist_ok=True)
                fault = self.campaign.environment(f"read {number} {KINDS[kind]}")
                done = subprocess.run(self.command("1", "--resume"), capture_output=True, env=fault)
                if not self.campaign.told.exists():
                    break
                code = done.returncode
                right = code != 0 or self._weights() == self.right["1"]
                self.campaign.count(
                    f"resuming, read {kind}",
                    None if right else "another model",
                    outcry(code, done.stderr),
                    self._goes_on("1") if code else None,
                )

    def signals(self) -> None:
        """SIGTERM or SIGKILL at random moments, the second time after resuming; then to the end."""
        self._clear()
        for number in range(2):
            workers = "2"
            resume = ["--resume"] if (self.run_dir / "run.json").exists() else []
            kind = self.campaign.either()
            process = self._start(self.command(workers, *resume))
            time.sleep(self.campaign.draw.uniform(0, self.seconds[workers]))
            started = family(process.pid)
            process.send_signal(kind)
            errors = process.communicate()[1]
            self.campaign.count(
                f"training, {kind.name}",
                outcry(0, errors),
                outlives(started),
                self._goes_on(workers) if number else None,
            )

    def killed_worker(self) -> None:
        """SIGKILL for one of the workers: an error in a line, and a run that resumes."""
        self._clear()
        process = self._start(self.command("2"))
        time.sleep(self.campaign.draw.uniform(0.3, 1) * self.seconds["2"])
        children: list[str] = []
        with suppress(OSError):
            place = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            children = place.read_text(encoding="ascii").split()
        if children:
            with suppress(ProcessLookupError):
                os.kill(int(children[0]), signal.SIGKILL)
        errors = process.communicate()[1]
        if children:
            going_on = self._goes_on("2")
            self.campaign.count("training, killed worker", outcry(process.returncode, errors), going_on)

    def clock(self) -> None:
        """The time of day jumps by a day at every reading."""
        self._clear()
        fault = self.campaign.environment("clock 0 0")
        done = subprocess.run(self.command("1"), env=fault, capture_output=True)
        same = done.returncode == 0 and self._weights() == self.right["1"]
        self.campaign.count("training, clock", None if same else "another model")

    def _start(self, command: list[str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
