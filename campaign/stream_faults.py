"""Faults of a stream: the output of `lane-run` is whole, or a prefix under an exit code that says so."""

import importlib.util
import itertools
import os
import resource
import subprocess
import sys
import time

from injection import BIN, KINDS, ROOT, Campaign, family, outcry, outlives

LINES = 4000
BATCH = "100"  # lines: 40 writes


class Stream:
    """Lines, and the right answers to them."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        words, ends = ["jump", "walk", "run", "look"], ["", "twice ", "left thrice ", "around right "]
        self.lines = "".join(
            f"{campaign.draw.choice(words)} {ends[number % 4]}and {campaign.draw.choice(words)}\n"
            for number in range(LINES)
        ).encode()
        (campaign.folder / "lines").write_bytes(self.lines)
        self.right = self.run(BIN / "lane-run").stdout

    def run(self, *command: object, **options: object) -> "subprocess.CompletedProcess[bytes]":
        """A command with all lines as its input."""
        return subprocess.run(map(str, command), input=self.lines, capture_output=True, **options)  # type: ignore[call-overload]

    def check(self, kind: str, code: int, output: bytes, errors: bytes) -> None:
        """Count a fault."""
        loss = None
        if code == 0 and output != self.right:
            loss = f"exit code 0 with {len(output)} of {len(self.right)} bytes"
        elif not self.right.startswith(output):
            loss = "the output is not a prefix of the right one"
        self.campaign.count(kind, loss, outcry(code, errors))

    def failing_calls(self, most: int = sys.maxsize) -> None:
        """Each write and each read fails once, in each way."""
        for name, workers in (("output", "1"), ("output", "2"), ("input", "1")):
            for kind in ("short", "ENOSPC", "EIO", "EAGAIN", "EINTR"):
                for number in itertools.takewhile(lambda number: number <= most, itertools.count(1)):
                    fault = self.campaign.environment(f"{name} {number} {KINDS[kind]}")
                    done = self.run(BIN / "lane-run", "--batch-size", BATCH, "--workers", workers, env=fault)
                    if not self.campaign.told.exists():
                        break
                    self.check(f"stream, {name} {kind}", done.returncode, done.stdout, done.stderr)

    def too_few_files(self) -> None:
        """EMFILE: fewer and fewer files may be open."""
        for most in range(4, 40):
            done = self.run(
                BIN / "lane-run",
                "--workers",
                "2",
                preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)),
            )
            # With very few, Python itself cannot start, and says so by a traceback.
            errors = (
                done.stderr.replace(b"Traceback", b"") if b"lane.cli.run" not in done.stderr else done.stderr
            )
            self.check("stream, EMFILE", done.returncode, done.stdout, errors)

    def clock(self) -> None:
        """The time of day jumps by a day at every reading."""
        done = self.run(
            BIN / "lane-run", "--progress", "on", "--stats", env=self.campaign.environment("clock 0 0")
        )
        loss = None if done.returncode == 0 else f"exit code {done.returncode}"
        self.check("stream, clock", done.returncode, done.stdout, done.stderr)
        self.campaign.lose("stream, clock", loss)

    def signals(self) -> None:
        """SIGTERM or SIGKILL at a random moment, with and without workers."""
        kind, workers = self.campaign.either(), self.campaign.draw.choice(["1", "2"])
        out = self.campaign.folder / "out"
        with (self.campaign.folder / "lines").open("rb") as lines, out.open("wb") as output:
            process = subprocess.Popen(
                [BIN / "lane-run", "--batch-size", BATCH, "--workers", workers],
                stdin=lines,
                stdout=output,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            time.sleep(self.campaign.draw.uniform(0, 0.4))
            started = family(process.pid)
            process.send_signal(kind)
            errors = process.communicate()[1]
        # A negative code is a death by the signal, which needs no message.
        self.check(f"stream, {kind.name}", min(process.returncode, 0), out.read_bytes(), errors)
        self.campaign.lose(f"stream, {kind.name}", outlives(started))


def failing_allocations(campaign: Campaign) -> None:
    """Each allocation of the compiled core fails once, by the script of its test."""
    path = ROOT / "tests" / "runtime" / "test_core.py"
    spec = importlib.util.spec_from_file_location("test_core", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    done = subprocess.run(
        [sys.executable, "-c", module.OUT_OF_MEMORY], capture_output=True, text=True, env=dict(os.environ)
    )
    campaign.count("core, failed allocation", None if done.returncode == 0 else done.stderr[-300:])
    campaign.faults["core, failed allocation"] += int(done.stdout or 1) - 1
