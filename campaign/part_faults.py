"""Faults of `lane-run --out` and `lane-run grow`: a file is whole, or the old one, or missing."""

import itertools
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from injection import BIN, FILE_CALLS, KINDS, OLD, Campaign, family, outcry, outlives, temporary_files
from stream_faults import Stream

COPIES = 40  # of the lines of the stream: some parts of a MiB
FEW = 12  # of these, for two parts


class Parts:
    """Files of answers, as one process prints them."""

    def __init__(self, campaign: Campaign, stream: Stream) -> None:
        self.campaign = campaign
        self.lines = campaign.folder / "many"
        self.lines.write_bytes(stream.lines * COPIES)
        self.right = stream.right * COPIES
        self.few = campaign.folder / "few"
        self.few.write_bytes(stream.lines * FEW)
        self.few_right = stream.right * FEW
        self.out = campaign.folder / "parts"
        self.command = self._command(self.lines, "2")
        begin = time.monotonic()
        subprocess.run(self.command, capture_output=True, check=True)
        self.seconds = time.monotonic() - begin

    def _command(self, lines: Path, workers: str) -> list[str]:
        options = ["--out", str(self.out), "--block", "1", "--workers", workers]
        return [str(BIN / "lane-run"), str(lines), *options]

    def signals(self) -> None:
        """SIGTERM or SIGKILL at a random moment; the same command makes what is missing."""
        shutil.rmtree(self.out)
        kind = self.campaign.either()
        process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        time.sleep(self.campaign.draw.uniform(0, self.seconds))
        started = family(process.pid)
        process.send_signal(kind)
        errors = process.communicate()[1]
        # Nobody can clean up after SIGKILL, until the next run.
        left = temporary_files(self.out, self.out / "_done") if kind == signal.SIGTERM else None
        self.campaign.count(
            f"parts, {kind.name}",
            outcry(0, errors),
            left,
            outlives(started),
            self._goes_on(self.command, self.right),
        )

    def _goes_on(self, command: list[str], right: bytes) -> str | None:
        done = subprocess.run(command, capture_output=True)
        return self._lost(done.returncode, right) or temporary_files(self.out, self.out / "_done")

    def _lost(self, code: int, right: bytes) -> str | None:
        """Under exit code 0 all parts are there; otherwise each of them is whole or missing."""
        parts = [path.read_bytes() for path in sorted(self.out.glob("part-*"))]
        if code == 0 and b"".join(parts) == right:
            return None
        if code and all(part in right and part.endswith(b"\n") for part in parts):
            return None
        return f"exit code {code} with {sum(map(len, parts))} of {len(right)} bytes"

    def failing_parts(self, most: int = sys.maxsize) -> None:
        """Each call on a file fails once in each way, in any of the processes; the same command goes on."""
        command = self._command(self.few, "1")
        for name, kind in FILE_CALLS:
            for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                shutil.rmtree(self.out)
                fault = self.campaign.environment(f"{name} {number} {KINDS[kind]}", everywhere=True)
                done = subprocess.run(command, capture_output=True, env=fault)
                if not self.campaign.told.exists():
                    break
                left = None if kind == "SIGKILL" else temporary_files(self.out, self.out / "_done")
                self.campaign.count(
                    f"parts, {name} {kind}",
                    self._lost(done.returncode, self.few_right),
                    left,
                    outcry(done.returncode, done.stderr),
                    self._goes_on(command, self.few_right) if done.returncode else None,
                )

    def _model(self, folder: Path) -> Path:
        """A program to grow that is not the bundled one, and so among the files whose reads fail."""
        words, model = self.campaign.folder / "slot", folder / "model.lane"
        words.write_text("{text} like look\n", encoding="utf-8")
        subprocess.run([BIN / "lane-run", "grow", words, "--out", model], capture_output=True, check=True)
        return model

    def failing_calls(self, most: int = sys.maxsize) -> None:
        """Each call on a file of `lane-run grow` fails once, in each way; the same command goes on."""
        folder = self.campaign.folder / "grown"
        folder.mkdir()
        (self.campaign.folder / "words").write_text("hop like jump = I_HOP\n", encoding="utf-8")
        program = folder / "grown.lane"
        command = [str(BIN / "lane-run"), "grow", str(self.campaign.folder / "words"), "--out", str(program)]
        command += ["--model", str(self._model(folder))]
        subprocess.run(command, capture_output=True, check=True)
        right = program.read_bytes()
        for name, kind in FILE_CALLS:
            for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                program.write_bytes(OLD)
                fault = self.campaign.environment(f"{name} {number} {KINDS[kind]}")
                done = subprocess.run(command, capture_output=True, env=fault)
                if not self.campaign.told.exists():
                    break
                code, found = done.returncode, program.read_bytes()
                is_whole = found == right or (found == OLD and code != 0)
                left = None if kind == "SIGKILL" else temporary_files(folder)
                if code:
                    subprocess.run(command, capture_output=True, check=True)
                self.campaign.count(
                    f"program, {name} {kind}",
                    None if is_whole else f"exit code {code}, and it is another file",
                    None if program.read_bytes() == right else "the same command makes another file",
                    left or temporary_files(folder),
                    outcry(code, done.stderr),
                )
