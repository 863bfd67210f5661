"""Cards of our files; and one error, never a crash, for any other bytes."""

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.export import inspection
from lane.export.inspection import inspect

KINDS = ("torchscript", "onnx", "program", "checkpoint")


@pytest.mark.parametrize("kind", KINDS)
def test_cards_agree(files, checkpoint, kind):
    card = inspect(files[kind])
    assert card.kind == kind
    assert card.words == checkpoint.source.words
    assert card.actions == tuple(sorted(checkpoint.target.words) if kind == "program" else checkpoint.target)
    assert card.limits["max_words"] == 60
    assert card.agreement == 0.5
    training = card.provenance if kind == "checkpoint" else card.provenance["training"]
    assert training["task"] == "random"
    if kind != "checkpoint":
        assert card.margin > 0
        assert any(uses for _, _, uses in card.rules)
        assert len(card.provenance["export"]["weights_sha256"]) == 64


def test_network_files_and_program_tell_the_same_rules(files):
    used = {kind: {r for r in inspect(files[kind]).rules if r[2]} for kind in KINDS[:3]}
    assert used["torchscript"] == used["onnx"] == used["program"]


@pytest.mark.parametrize("kind", KINDS[:3])
def test_a_card_is_read_without_torch(files, kind):
    code = "import sys; from pathlib import Path; from lane.export.inspection import inspect; "
    code += "inspect(Path(sys.argv[1])); assert not {'torch', 'onnx', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code, str(files[kind])], check=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git-lfs pointer.*git lfs pull"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"<!DOCTYPE html>", "web page"),
        (b"PK\x03\x04 and no more", "truncated or damaged"),
        (b"hello", "no file of lane-export, or a truncated"),
        (b"\x08\x09", "perhaps an ONNX file"),
        (b'{"lane-program": 4, "sha256"', "version 4"),
    ],
)
def test_other_files_are_told_apart(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(LaneError, match=message):
        inspect(tmp_path / "file")


def test_places_without_a_file(tmp_path):
    for place in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(LaneError, match=str(place)):
            inspect(place)


def test_a_zip_of_something_else(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("readme", "x")
    with pytest.raises(LaneError, match="a zip archive, but not"):
        inspect(tmp_path / "a.zip")


def with_card(source, target, change) -> None:
    """A copy of an archive with a changed card."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry.filename, change(content) if entry.filename.endswith("lane.json") else content)


def test_a_newer_version_says_so(files, tmp_path):
    def change(content: bytes) -> bytes:
        return json.dumps(json.loads(content) | {"version": 7}).encode()

    with_card(files["torchscript"], tmp_path / "m.ts", change)
    with pytest.raises(LaneError, match="format version 7, but this runtime reads versions up to 2"):
        inspect(tmp_path / "m.ts")


@pytest.mark.parametrize("text", ["[]", "{", '{"version": 1}', "null", "[" * 100_000])
def test_a_broken_card_says_so(files, tmp_path, text):
    with_card(files["torchscript"], tmp_path / "m.ts", lambda _: text.encode())
    with pytest.raises(LaneError, match=r"m\.ts: "):
        inspect(tmp_path / "m.ts")


@pytest.mark.parametrize("kind", KINDS)
def test_truncated_files_are_refused(files, tmp_path, kind):
    data = files[kind].read_bytes()
    for seed in range(40):
        (tmp_path / "cut").write_bytes(data[: random.Random(seed).randrange(len(data))])
        with pytest.raises(LaneError):
            inspect(tmp_path / "cut")


@pytest.mark.parametrize("kind", KINDS[:3])
def test_a_changed_byte_is_noticed(files, tmp_path, kind):
    data = files[kind].read_bytes()
    draw = random.Random(1)
    for _ in range(40):
        at = draw.randrange(64, len(data) - 64)
        (tmp_path / "bad").write_bytes(
            data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
        )
        try:
            changed = inspect(tmp_path / "bad")
        except LaneError:
            continue
        # Only the container's own bytes may change unnoticed: padding and the like.
        assert kind == "torchscript"
        assert changed.rules == inspect(files[kind]).rules


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), start=st.sampled_from([b"", b"PK\x03\x04", b"\x08\x08", b"r"]))
def test_any_bytes_give_one_error(tmp_path_factory, content, start):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(start + content)
    with pytest.raises(LaneError):
        inspect(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without end")
def test_an_endless_file_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(inspection, "MAX_BYTES", 1000)
    with pytest.raises(LaneError, match="is larger than 1000 bytes"):
        inspect(Path("/dev/zero"))
    inspection.refuse_exported(Path("/dev/zero"))  # left to the reader of checkpoints
