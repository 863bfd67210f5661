"""docs/security.md: its numbers are those of the code, and its factors are measured."""

import importlib
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from lane.base import suggestion
from lane.cli import lines, rendering, run
from lane.runtime import Limits, Program, bounds, embedded_card, network, onnx_message, plan_cache, translator
from lane.service import application

PAGE = (Path(__file__).parents[1] / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = {
    cells[1].strip(): cells[2:5]
    for cells in (line.split("|") for line in PAGE.splitlines())
    if len(cells) > 4
}


@pytest.mark.parametrize(
    ("row", "numbers"),
    [
        ("a program", [bounds.MAX_FILE_BYTES]),
        ("an ONNX file", [translator._BACKENDS["onnx"].max_bytes, onnx_message.MAX_FIELDS]),
        ("a TorchScript archive", [translator._BACKENDS["torchscript"].max_bytes, embedded_card.MAX_RECORDS]),
        ("the card of a network", [embedded_card.MAX_CARD_BYTES]),
        ("a line of `lane-run`", [lines.MAX_LINE_BYTES]),
        ("an answer", [bounds.MAX_OUTPUT_BYTES]),
        ("the answers of `lane-run` and `translate_iter`", [translator.BUDGET]),
        ("the cache of unknown words", [4096, suggestion.MAX_LENGTH]),
        ("the cache of plans", [2 * plan_cache.MAX_CACHED]),
        (
            "a request to `lane-run serve`",
            [application.MAX_BODY_BYTES, application.MAX_COMMANDS, application.MAX_CHARACTERS],
        ),
        (
            "`--explain svg` and `html`",
            [rendering.MAX_PICTURES, rendering.MAX_STEPS, rendering.MAX_CHARACTERS],
        ),
    ],
)
def test_the_bounds_of_the_page_are_those_of_the_code(row, numbers):
    for number in numbers:
        assert f"{number:,} " in ROWS[row][0]


def test_other_numbers_of_the_page():
    assert f"up to {network._CELLS:,} words at once" in PAGE
    assert f"no more than {suggestion.MOST_COMPARED:,} known words" in PAGE
    for code in (run.SOME_FAILED, run.WRONG_USE, run.CUT_SHORT, run.INTERRUPTED):
        assert f"\n| {code} | " in PAGE


@pytest.mark.parametrize(
    ("row", "stated"),
    [
        ("a program", ["{PROGRAM:g} µs for each byte"]),
        (
            "an ONNX file",
            ["{FIELD_BYTES} for each field", "{NETWORK:g} µs for each byte", "{FIELDS:g} µs for each field"],
        ),
        ("a TorchScript archive", ["{NETWORK:g} µs for each byte"]),
        ("a line of `lane-run`", ["{LINE:g} µs for each byte"]),
        ("a command", ["{WORD_BYTES} bytes for each word", "{word:g} µs for each word"]),
        ("an answer", ["{ANSWER:g} µs for each byte"]),
        ("the cache of unknown words", ["{suggestion:g} ms for a new word"]),
        ("`--explain svg` and `html`", ["{step:g} ms for each step"]),
    ],
)
def test_the_time_that_is_stated_is_the_bound_of_what_is_measured(row, stated, monkeypatch):
    """A microsecond for a byte is a second for a megabyte."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "campaign"))
    memory = importlib.import_module("memory")
    facts = vars(memory) | {
        "word": memory.WORD * 1e6,
        "suggestion": memory.SUGGESTION * 1e3,
        "step": memory.STEP * 1e3,
    }
    for text in stated:
        assert text.format_map(facts) in " ".join(ROWS[row][1:])


MEASURE = """
import sys
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) * 1024
from lane.runtime import load
load()
before = peak()
load(sys.argv[1])
print(peak() - before)
"""


def programs():
    """Programs that are large for their bytes: many pairs, and many words."""
    some = {f"w{number:03}": False for number in range(300)}
    many = {f"w{number:05}": True for number in range(30_000)}
    limits = Limits(10, 10)
    for words, nodes in ((some, [(a, b, 0.0, False) for a in some for b in some]), (many, [])):
        rules = [((word,), ("A",), 0) for word in words]
        yield Program.build(words=words, nodes=nodes, rules=rules, limits=limits, complete=False)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_memory_of_a_program(tmp_path):
    assert "| 40 bytes for each byte of the file |" in PAGE
    for program in programs():
        path = tmp_path / "large.lane"
        program.save(path)
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
        )
        assert int(done.stdout) < 40 * path.stat().st_size


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
@pytest.mark.parametrize("line", [b"aa " * 1_000_000, b"jump " * 600_000, "\U0001f600 ".encode() * 600_000])
def test_the_memory_of_a_line(line):
    """Lines of 3 MB within 32 bytes a byte, beside some 60 MB of address space for Python itself."""
    assert ROWS["a line of `lane-run`"][1].strip() == "32 bytes for each byte"
    most = 60_000_000 + 32 * len(line)
    done = subprocess.run(
        [sys.executable, "-m", "lane.cli.run"],
        input=line + b"\n",
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(b"<error:too-many-words>")
