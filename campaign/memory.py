"""Measures the peak of memory of inputs made to take much, against the bounds of docs/security.md.

python campaign/memory.py --json results/memory.json
"""

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from lane.cli.lines import MAX_LINE_BYTES
from lane.runtime import Limits, Program
from lane.runtime.bounds import MAX_OUTPUT_BYTES
from lane.runtime.translator import BUDGET

MB = 10**6
STREAM = 12 * BUDGET  # bytes for the answers that a stream keeps
LOAD = """
import sys
from lane.runtime import ModelError, load
try:
    load(sys.argv[1])
except ModelError:
    pass
"""
UNKNOWN = """
from lane.runtime import load
translator = load()
for number in range(400):
    translator.translate(str(number) + "x" * 1_000_000)
"""


class Case(NamedTuple):
    """A command with what it reads, and the memory that it may take beside an idle one."""

    name: str
    command: list[str]
    lines: bytes
    bound: int


def main() -> int:
    """All cases; 1 if one takes more than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        idle = peak(LANE_RUN, b"jump\n")
        for case in cases(Path(folder)):
            taken = max(0, peak(case.command, case.lines) - idle)
            figures.append(
                {"input": case.name, "peak_mb": round(taken / MB), "bound_mb": round(case.bound / MB)}
            )
            print(figures[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps({"inputs": figures}, indent=1) + "\n", encoding="utf-8")
    return int(any(figure["peak_mb"] > figure["bound_mb"] for figure in figures))


LANE_RUN = [sys.executable, "-m", "lane.cli.run"]
# Of the largest process: a parent that only waits takes less than what it measures.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak(command: list[str], lines: bytes = b"") -> int:
    """Bytes that a command took at most."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], input=lines, capture_output=True, check=True
    )
    return int(done.stdout)


def cases(folder: Path) -> Iterator[Case]:
    """Inputs that once took gigabytes, and the worst that the bounds allow."""
    load = [sys.executable, "-c", LOAD]
    yield Case(
        "400 unknown words of 1 MB, one after the other", [sys.executable, "-c", UNKNOWN], b"", 34 * MB
    )
    long = ("jump around left" + " thrice" * 8 + "\n").encode()
    for count, options in (
        (3500, []),
        (3500, ["--workers", "2"]),
        (400, ["--format", "jsonl"]),
        (400, ["--explain", "json"]),
        (400, ["--explain", "tree"]),
    ):
        command = " ".join(["lane-run", *options])
        yield Case(
            f"{count:,} lines, {count * len(long) // 1000} kB, of long answers: `{command}`",
            [*LANE_RUN, *options],
            long * count,
            STREAM,
        )
    small = folder / "small.lane"
    small.write_bytes(explosive())
    name = f"a line of {len(EXPLOSION)} bytes and a program of {small.stat().st_size:,} bytes"
    yield Case(name, [*LANE_RUN, "--model", str(small)], EXPLOSION, STREAM + 4 * MAX_OUTPUT_BYTES)
    line = b"aa " * (MAX_LINE_BYTES // 3 - 1) + b"\n"
    yield Case("a line of 16 MiB, all unknown words", LANE_RUN, line, 32 * len(line))
    for name, data, factor in (
        ("a program of 300 words and 90,000 pairs", program(300, True), 40),
        ("a program of 30,000 words", program(30_000, False), 40),
        ("a program of 16 MB of nested lists", nested(16 * MB), 40),
        ("an archive of 1,000 records that share 1 MB", overlapping(1000, MB), 3),
        ("an ONNX file of 20 MB in two-byte fields", b"\x08\x01" * (10 * MB), 3),
    ):
        path = folder / "model"
        path.write_bytes(data)
        yield Case(f"{name}, {len(data) / MB:.1f} MB", [*load, str(path)], b"", factor * len(data))


def program(words: int, pairs: bool) -> bytes:
    """A program that is large for its bytes."""
    names = {f"w{number:05}": not pairs for number in range(words)}
    nodes = [(a, b, 0.0, False) for a in names for b in names] if pairs else []
    rules = [((word,), ("A",), 0) for word, recognised in names.items() if recognised]
    actions = ["A"]
    return Program.build(
        words=names, nodes=nodes, rules=rules, limits=Limits(10, 10), complete=False, actions=actions
    ).dumps()


EXPLOSION = b"a b b b\n"


def explosive() -> bytes:
    """A small program whose longest answer is as long as an answer may be."""
    action = "A" * 255
    most = MAX_OUTPUT_BYTES // (len(action) + 1)
    times = round(most ** (1 / 3))  # by each of three words
    return Program.build(
        words={"a": True, "b": False},
        nodes=[("$", "b", 1.0, True), ("b", "b", -1.0, False)],
        rules=[(("a",), (action,), 0), (("$x", "b"), ("$X",) * times, 0)],
        limits=Limits(max_words=10, max_actions=most, max_span=4, max_variables=2, max_template=times),
        complete=False,
    ).dumps()


def nested(size: int) -> bytes:
    """The head of a program, then empty lists."""
    body = b'"complete": [' + b"[]," * (size // 3) + b"[]]\n}\n"
    return f'{{"lane-program": 1, "sha256": "{hashlib.sha256(body).hexdigest()}",\n'.encode() + body


def overlapping(records: int, size: int) -> bytes:
    """An archive whose directory names one record again and again."""
    content = bytes(size)
    local = (
        struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 0, 0, 0, zlib.crc32(content), size, size, 3, 0)
        + b"m/a"
    )
    entries = b"".join(
        struct.pack(
            "<4s6H3I5H2I",
            b"PK\x01\x02",
            20,
            20,
            0,
            0,
            0,
            0,
            zlib.crc32(content),
            size,
            size,
            6,
            0,
            0,
            0,
            0,
            0,
            0,
        )
        + f"m/{number:04}".encode()
        for number in range(records)
    )
    at = len(local) + size
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, records, records, len(entries), at, 0)
    made = local + content + entries + end
    assert len(zipfile.ZipFile(BytesIO(made)).infolist()) == records
    return made


if __name__ == "__main__":
    sys.exit(main())
