"""Faults of `lane-run --out` and `lane-run grow`: a file is whole, or the old one, or missing."""

import itertools
import shutil
import signal
import subprocess
import sys
import time

from injection import BIN, FILE_CALLS, KINDS, OLD, Campaign, family, outcry, outlives, temporary_files
from stream_faults import Stream

COPIES = 40  # of the lines of the stream: some parts of a MiB


class Parts:
    """Files of answers, as one process prints them."""

    def __init__(self, campaign: Campaign, stream: Stream) -> None:
        self.campaign = campaign
        self.lines = campaign.folder / "many"
        self.lines.write_bytes(stream.lines * COPIES)
        self.right = stream.right * COPIES
        self.out = campaign.folder / "parts"
        options = ["--out", str(self.out), "--block", "1", "--workers", "2"]
        self.command = [str(BIN / "lane-run"), str(self.lines), *options]
        begin = time.monotonic()
        subprocess.run(self.command, capture_output=True, check=True)
        self.seconds = time.monotonic() - begin

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
            f"parts, {kind.name}", outcry(0, errors), left, outlives(started), self._goes_on()
        )

    def _goes_on(self) -> str | None:
        done = subprocess.run(self.command, capture_output=True)
        output = b"".join(path.read_bytes() for path in sorted(self.out.glob("part-*")))
        if done.returncode or output != self.right:
            return f"exit code {done.returncode} with {len(output)} of {len(self.right)} bytes"
        return temporary_files(self.out, self.out / "_done")

    def failing_calls(self, most: int = sys.maxsize) -> None:
        """Each call on a file of `lane-run grow` fails once, in each way."""
        folder = self.campaign.folder / "grown"
        folder.mkdir()
        (self.campaign.folder / "words").write_text("hop like jump = I_HOP\n", encoding="utf-8")
        program = folder / "grown.lane"
        command = [str(BIN / "lane-run"), "grow", str(self.campaign.folder / "words"), "--out", str(program)]
        subprocess.run(command, capture_output=True, check=True)
        right = program.read_bytes()
        for name, kind in FILE_CALLS:
            for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                program.write_bytes(OLD)
                fault = self.campaign.environment(f"{name} {number} {KINDS[kind]}")
                done = subprocess.run(command, capture_output=True, env=fault)
                if not self.campaign.told.exists():
                    break
                whole = program.read_bytes() == (OLD if done.returncode else right)
                self.campaign.count(
                    f"program, {name} {kind}",
                    None if whole else f"exit code {done.returncode}, and it is another file",
                    temporary_files(folder),
                    outcry(done.returncode, done.stderr),
                )
