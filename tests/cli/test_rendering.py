"""What is printed for a batch, and that no batch takes more memory than its parts."""

import json
import resource
import subprocess
import sys

import pytest

from lane.cli import rendering
from lane.cli.lines import Batch
from lane.cli.rendering import Answerer, Gallery, Options, TooManyPicturesError, _decode
from lane.runtime import load
from lane.runtime.errors import CODES

TEXT = b"jump twice\n\nfly\n\xff\nwalk"


@pytest.fixture(scope="module")
def translator():
    return load()


def answers(translator, options, block=TEXT, kind=Answerer):
    return list(kind(translator, options).submit(Batch("in", 7, block)))


def test_one_part_for_a_usual_batch(translator):
    (answer,) = answers(translator, Options())
    assert answer.output == b"I_JUMP I_JUMP\n\n<error:unknown-word>\n<error:invalid-utf8>\nI_WALK\n"
    assert [problem.partition(" ")[0] for problem in answer.problems] == ["in:9:", "in:10:"]
    assert answer.counts == {"lines": 5, "empty": 1, "unknown-word": 1, "invalid-utf8": 1}
    (answer,) = answers(translator, Options(), b"jump\nrun")
    assert (answer.output, answer.counts) == (b"I_JUMP\nI_RUN\n", {"lines": 2})


@pytest.mark.parametrize("budget", [0, 1, 13, 14, 10_000])
@pytest.mark.parametrize(
    "options",
    [
        *(
            Options(format=kind, on_error=on_error)
            for kind in ("text", "tsv", "jsonl")
            for on_error in ("mark", "skip")
        ),
        *(Options(explain=kind) for kind in ("text", "tree", "json")),
        Options(on_error="stop"),
        Options(explain="json", on_error="stop"),
    ],
    ids=str,
)
def test_parts_together_are_the_whole(translator, options, budget, monkeypatch):
    (whole,) = answers(translator, options)
    monkeypatch.setattr(rendering, "BUDGET", budget)
    parts = answers(translator, options)
    assert b"".join(part.output for part in parts) == whole.output
    assert [problem for part in parts for problem in part.problems] == whole.problems
    assert sum((part.counts for part in parts), start=type(whole.counts)()) == whole.counts
    assert [part.stop for part in parts] == [False] * (len(parts) - 1) + [whole.stop]
    if budget < 2:
        assert len(parts) > 1


def test_the_json_of_an_explanation_is_that_of_its_data(translator):
    (answer,) = answers(translator, Options(explain="json"), b"jump around left twice\nfly")
    first, second = answer.output.decode().splitlines()
    assert json.loads(first) == translator.explain("jump around left twice").as_dict()
    assert first == json.dumps(json.loads(first), ensure_ascii=False)
    assert json.loads(second) == translator.explain("fly").as_dict()


@pytest.mark.parametrize(
    ("bound", "things"),
    [("PICTURES", "commands"), ("STEPS", "steps"), ("CHARACTERS", "characters of commands")],
)
def test_pictures_are_bounded(translator, monkeypatch, bound, things):
    (answer,) = answers(translator, Options(explain="svg"), b"jump twice\nrun", Gallery)
    assert answer.output == b""
    monkeypatch.setattr(rendering, f"MAX_{bound}", 1)
    with pytest.raises(TooManyPicturesError, match=f"more than 1 {things} to draw"):
        answers(translator, Options(explain="svg"), b"jump twice\nrun", Gallery)


def test_the_codes_of_lines_are_none_of_the_runtime():
    assert not {rendering.INVALID_UTF8, rendering.LINE_TOO_LONG} & set(CODES)


def test_decoding(monkeypatch):
    monkeypatch.setattr(rendering, "MAX_LINE_BYTES", 8)
    texts, broken = _decode("größe\n".encode() + b"123456789\n\xc3\n12345678")
    assert texts == ["größe", "", "", "12345678"]
    assert {place: failure.code for place, failure in broken.items()} == {
        1: "line-too-long",
        2: "invalid-utf8",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--workers", "2"],
        ["--format", "jsonl"],
        ["--format", "tsv"],
        ["--explain", "json"],
        ["--explain", "tree"],
        ["--explain", "html"],
    ],
    ids=str,
)
def test_short_lines_with_long_answers(arguments):
    """A few kilobytes of commands have half a gigabyte of answers; 350 MB are enough to write them."""
    count = 500 if "--explain" not in arguments else 150
    command = [sys.executable, "-m", "lane.cli.run", "--lenient", *arguments]
    done = subprocess.run(
        command,
        input=(b"jump around left" + b" thrice" * 8 + b"\n") * count,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (350_000_000, 350_000_000)),
    )
    assert (done.returncode, done.stderr) == (0, b"")
