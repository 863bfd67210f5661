"""Measures memory and time of inputs made to take much, against the bounds of docs/security.md.

The time is that of the processor, in all processes of a command: others on the machine change it little.

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
from lane.runtime.bounds import MAX_FILE_BYTES, MAX_OUTPUT_BYTES, RANGES
from lane.runtime.onnx_message import MAX_FIELDS
from lane.runtime.translator import BUDGET

MB = 10**6
# Seconds of the processor for each MB, as docs/security.md states them: of a program, of another model file
# until its library has it, of a line, and of answers that are written out.
PROGRAM, NETWORK, LINE, ANSWER = 1, 0.1, 0.2, 0.1
FIELDS, FIELD_BYTES = 2, 30  # seconds for the fields of an ONNX file, a million at most; and bytes for each
WORD = 10e-6  # seconds for a word of a command
WORD_BYTES = 500
SUGGESTION = 0.1  # seconds for an unknown word
STEP = 0.01  # seconds for a step of a picture
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


class Taken(NamedTuple):
    """What a command took: bytes of its largest process, and seconds of the processor."""

    memory: int
    seconds: float


class Case(NamedTuple):
    """A command with what it reads, and what it may take beside an idle one."""

    name: str
    command: list[str]
    lines: bytes
    bound: int
    seconds: float


def main() -> int:
    """All cases; 1 if one takes more than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        idle = measured(LANE_RUN, b"jump\n")
        for case in cases(Path(folder)):
            taken = measured(case.command, case.lines)
            figures.append(
                {
                    "input": case.name,
                    "peak_mb": round(max(0, taken.memory - idle.memory) / MB),
                    "bound_mb": round(case.bound / MB),
                    "seconds": round(max(0.0, taken.seconds - idle.seconds), 2),
                    "bound_seconds": round(case.seconds, 2),
                }
            )
            print(figures[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps({"inputs": figures}, indent=1) + "\n", encoding="utf-8")
    kept = ("peak_mb", "bound_mb"), ("seconds", "bound_seconds")
    return int(any(figure[taken] > figure[bound] for figure in figures for taken, bound in kept))


LANE_RUN = [sys.executable, "-m", "lane.cli.run"]
# Of the largest process: a parent that only waits takes less than what it measures.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss * 1024, used.ru_utime + used.ru_stime)
"""


def measured(command: list[str], lines: bytes = b"") -> Taken:
    """What a command took."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], input=lines, capture_output=True, check=True
    )
    memory, seconds = done.stdout.split()
    return Taken(int(memory), float(seconds))


def cases(folder: Path) -> Iterator[Case]:
    """Inputs that once took gigabytes, and the worst that the bounds allow."""
    load = [sys.executable, "-c", LOAD]
    yield Case(
        "400 unknown words of 1 MB, one after the other",
        [sys.executable, "-c", UNKNOWN],
        b"",
        34 * MB,
        400 * LINE,
    )
    long = ("jump around left" + " thrice" * 8 + "\n").encode()
    for count, options in (
        (5000, ["--lenient"]),  # more than 2 GiB
        (400, ["--lenient", "--workers", "2"]),
        (100, ["--lenient", "--format", "jsonl"]),
        (100, ["--lenient", "--explain", "json"]),
        (100, ["--lenient", "--explain", "tree"]),
    ):
        command = [*LANE_RUN, *options]
        written = len(subprocess.run(command, input=long, capture_output=True, check=True).stdout)
        yield Case(
            f"{count:,} lines, {count * len(long) // 1000} kB, with {count * written // MB:,} MB of answers: "
            f"`{' '.join(['lane-run', *options])}`",
            command,
            long * count,
            STREAM,
            count * (len(long) * LINE + written * ANSWER) / MB,
        )
    steps = 400 * (long.count(b" ") + 1)
    yield Case(
        "400 lines of long answers: `lane-run --lenient --explain html`",
        [*LANE_RUN, "--lenient", "--explain", "html"],
        long * 400,
        200 * MB,
        steps * STEP,
    )
    small = folder / "small.lane"
    small.write_bytes(explosive())
    name = f"a line of {len(EXPLOSION)} bytes and a program of {small.stat().st_size:,} bytes"
    bound = STREAM + 4 * MAX_OUTPUT_BYTES
    yield Case(name, [*LANE_RUN, "--model", str(small)], EXPLOSION, bound, MAX_OUTPUT_BYTES * ANSWER / MB)
    for name, word in (("all unknown words", b"aa "), ("all known words", b"walk ")):
        line = word * (MAX_LINE_BYTES // len(word) - 1) + b"\n"
        yield Case(f"a line of 16 MiB, {name}", LANE_RUN, line, 32 * len(line), len(line) * LINE / MB)
    many = folder / "many.lane"
    many.write_bytes(program(100_000, False))
    unknown = "".join(f"w{number:04}x\n" for number in range(1000)).encode()
    yield Case(
        "1,000 unknown words and a program of 100,000",
        [*LANE_RUN, "--model", str(many)],
        unknown,
        40 * many.stat().st_size,
        PROGRAM * many.stat().st_size / MB + 1000 * SUGGESTION,
    )
    endless = folder / "endless.lane"
    endless.write_bytes(conjunctions())
    for words in (250_001, 999_999):
        yield Case(
            f"a command of {words:,} words that is derived",
            [*LANE_RUN, "--model", str(endless)],
            b"a" + b" and a" * (words // 2) + b"\n",
            WORD_BYTES * words,
            WORD * words,
        )
    for name, data, factor, rate in (
        ("a program of 300 words and 90,000 pairs", program(300, True), 40, PROGRAM),
        ("a program of 30,000 words", program(30_000, False), 40, PROGRAM),
        ("a program of 100,000 words", program(100_000, False), 40, PROGRAM),
        ("a program of nested lists", filled(b"[],"), 40, PROGRAM),
        ("a program of as many lists as may be", filled(b'["abc"],'), 40, PROGRAM),
        ("an archive of 1,000 records that share 1 MB", overlapping(1000, MB), 3, NETWORK),
        ("an ONNX file in two-byte fields", b"\x08\x01" * (10 * MB), 3, NETWORK),
        ("an ONNX file of 900,000 fields", fields(20 * MB, 900_000), 3, NETWORK),
    ):
        path = folder / "model"
        path.write_bytes(data)
        case = f"{name}, {len(data) / MB:.1f} MB"
        is_onnx = "ONNX" in name
        bound = factor * len(data) + (FIELD_BYTES * MAX_FIELDS if is_onnx else 0)
        spare = FIELDS if is_onnx else 0.5  # the start of Python differs by some tenths of a second
        yield Case(case, [*load, str(path)], b"", bound, spare + rate * len(data) / MB)


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


def conjunctions() -> bytes:
    """A program for commands as long as a program may allow."""
    most = RANGES["max_words"][1]
    both = ("$", "and")
    return Program.build(
        words={"a": True, "and": False},
        nodes=[("and", "$", 0.0, False), (*both, 1.0, False), (both, "$", 2.0, True)],
        rules=[(("a",), ("A",), 0), (("$x", "and", "$y"), ("$X", "$Y"), 0)],
        limits=Limits(max_words=most, max_actions=most),
        complete=False,
    ).dumps()


def filled(part: bytes, size: int = MAX_FILE_BYTES - 1000) -> bytes:
    """The head of a program, then one part again and again."""
    body = b'"complete": [' + part * (size // len(part)) + b"[]]\n}\n"
    return f'{{"lane-program": 1, "sha256": "{hashlib.sha256(body).hexdigest()}",\n'.encode() + body


def fields(size: int, count: int) -> bytes:
    """A message of ONNX of so many nodes, as far as its reader looks: their attributes with a tensor each."""
    content = bytes(2 * size // count - 4)
    tensor = b"\x42" + bytes([len(content)]) + content  # its name
    graph = (b"\x2a" + bytes([len(tensor)]) + tensor) * (count // 2)
    return b"\x08\x07" + b"\x3a" + _varint(len(graph)) + graph


def _varint(number: int) -> bytes:
    high, low = divmod(number, 128)
    return bytes([low | 128]) + _varint(high) if high else bytes([low])


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
