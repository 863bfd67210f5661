"""The bytes of a program: golden, damaged and hostile files."""

import os
import sys
from pathlib import Path
from random import Random

import pytest

from lane.base.errors import LaneError
from lane.runtime import ModelError, Program, ProgramError, load
from lane.runtime import codec as codec_module

HERE = Path(__file__).parent
GOLDEN = HERE / "golden" / "tiny.lane"

# Each attack file, the place its error names, and a part of the message.
ATTACKS = {
    "binary": ("line 1", "is not a LAnE program"),
    "crlf": ("line 1", "CR LF"),
    "cyclic-node": ("nodes[3]", "(kiki kiki) is neither a leaf nor an earlier"),
    # The JSON reader of Python 3.14 has no limit of its own there.
    "deep-nesting": ("nodes[3]" if sys.version_info >= (3, 14) else "file", "nested too deeply"),
    "deep-provenance": ("provenance", "8 levels"),
    "duplicate-key": ("file", "twice"),
    "empty": ("line 1", "empty"),
    "empty-template": ("rules[0]", "unknown action"),
    "gzip": ("line 1", "gzip"),
    "header-only": ("sha256", "damaged"),
    "huge-integer": ("file", "JSON"),
    "infinite": ("margin", "finite"),
    "invalid-utf8": ("file", "utf-8"),
    "keys-out-of-order": ("file", "in this order"),
    "large-limit": ("limits.max_words", "from 1 to 1000000"),
    "lfs-pointer": ("line 1", "git lfs pull"),
    "lone-surrogate": ("words[0]", "control"),
    "long-template": ("rules[0]", "max_template"),
    "long-word": ("words[0]", "256 characters"),
    "nan": ("file", "NaN"),
    "negative-margin": ("margin", "-0.125"),
    "newer-header": ("line 1", "version 7"),
    "newer-version": ("line 1", "version 4"),
    "no-rule": ("nodes[0]", "has no rule"),
    "node-too-large": ("rules[5]", "max_span"),
    "node-twice": ("nodes[4]", "repeated"),
    "nodes-out-of-order": ("nodes[3]", "out of order"),
    "other-json": ("line 1", "is not a LAnE program"),
    "rank-float": ("nodes[0]", "row"),
    "rank-gap": ("nodes", "gap"),
    "recognized-child": ("nodes[1]", "($ $) is neither"),
    "recognized-number": ("nodes[0]", "row"),
    "text": ("line 1", "is not a LAnE program"),
    "trailing-garbage": ("file", "Extra data"),
    "tree-too-deep": ("nodes[3]", "nested too deeply"),
    "truncated": ("sha256", "damaged"),
    "unclosed-object": ("file", "JSON"),
    "unknown-action": ("rules[0]", "PINK"),
    "unknown-key": ("file", "keys"),
    "unknown-variable": ("rules[3]", "$Z"),
    "unused-rule": ("rules[4]", "$ dax"),
    "variable-as-word": ("words[0]", "$dax"),
    "word-with-control": ("words[0]", "control"),
    "word-with-space": ("words[0]", "white space"),
    "words-of-numbers": ("words[0]", "row"),
    "wrong-hash": ("sha256", "damaged"),
    "wrong-type": ("complete", "bool"),
    "zip": ("line 1", "zip"),
}


def test_golden_bytes(tiny):
    assert tiny.dumps() == GOLDEN.read_bytes()


def test_golden_program(tiny):
    program = Program.load(GOLDEN)
    assert program == tiny
    assert program.dumps() == GOLDEN.read_bytes()
    assert load(GOLDEN).translate("dax kiki lug lug").text == "BLUE BLUE BLUE RED"


def test_every_attack_file_is_listed():
    assert {path.stem for path in (HERE / "attacks").glob("*.lane")} == set(ATTACKS)


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_files_give_one_documented_error(name):
    path = HERE / "attacks" / f"{name}.lane"
    place, part = ATTACKS[name]
    with pytest.raises(ProgramError) as caught:
        Program.load(path)
    assert caught.value.place == f"{path}: {place}"
    assert part in caught.value.problem
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError):
        load(path)


def sealed(body):
    import hashlib

    return f'{{"lane-program": 1, "sha256": "{hashlib.sha256(body).hexdigest()}",\n'.encode() + body


def test_every_truncation_is_an_error(tiny):
    data = tiny.dumps()
    for length in range(len(data)):
        with pytest.raises(ProgramError):
            Program.loads(data[:length])
    # With a checksum that fits, the JSON must notice; the last newline is the one byte it does not need.
    body = data.split(b"\n", 1)[1]
    for length in range(len(body) - 1):
        with pytest.raises(ProgramError):
            Program.loads(sealed(body[:length]))


def mutate(body, random):
    """One to three small damages: bytes changed, cut out, doubled, or tokens put in the wrong place."""
    tokens = (
        b"$",
        b'"$x"',
        b"-1",
        b"1e400",
        b"[",
        b"]",
        b"{",
        b"null",
        b"true",
        b",",
        b'"',
        b"99999999999",
        b"\\ud800",
    )
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(body))
        to = min(len(body), at + random.choice((1, 1, 2, 8, 60)))
        other = random.randrange(len(body))
        piece = random.choice(
            (b"", bytes([random.randrange(256)]), random.choice(tokens), body[other : other + 20])
        )
        body = body[:at] + piece + body[to if random.random() < 0.7 else at :]
        body = body or b"\n"
    return body


def test_thousands_of_damaged_files_give_one_documented_error(tiny):
    random = Random(20)
    body = tiny.dumps().split(b"\n", 1)[1]
    survivors = 0
    for _ in range(10_000):
        damaged = mutate(body, random)
        try:
            program = Program.loads(sealed(damaged))
        except ProgramError:
            continue
        survivors += 1  # still a program, if another one: it must hold together
        assert Program.loads(program.dumps()) == program
    assert survivors < 2500
    for _ in range(1000):
        with pytest.raises(ProgramError):
            Program.loads(random.randbytes(random.randrange(200)))


def test_save_replaces_wholly_or_not_at_all(tiny, tmp_path, monkeypatch):
    path = tmp_path / "model.lane"
    path.write_text("old")

    def failing(handle):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(LaneError, match="disk full; free some space"):
            tiny.save(path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.lane"]
    mask = os.umask(0o022)
    try:
        tiny.save(path)
    finally:
        os.umask(mask)
    assert path.read_bytes() == tiny.dumps()
    assert path.stat().st_mode & 0o777 == 0o644
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.lane"]


def test_large_files_are_refused_before_they_are_read(tiny, monkeypatch, tmp_path):
    monkeypatch.setattr(codec_module, "MAX_FILE_BYTES", 500)
    with pytest.raises(ProgramError, match="larger than 500 bytes"):
        Program.load(GOLDEN)
    with pytest.raises(ProgramError, match="at most 500"):
        tiny.dumps()


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(ProgramError, match="No such file"):
        Program.load(tmp_path / "none.lane")
    with pytest.raises(ProgramError, match="directory"):
        Program.load(tmp_path)


def test_the_documented_example_is_the_golden_file():
    page = (HERE.parents[1] / "docs" / "format.md").read_text(encoding="utf-8")
    example = page.split("```json\n")[1].split("```")[0]
    assert example.encode() == GOLDEN.read_bytes()
    assert load(GOLDEN).translate("dax kiki lug").text == "BLUE RED"
