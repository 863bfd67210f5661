"""The TorchScript archive by itself; tests/export/test_files.py compares all files with the checkpoint."""

import io
import json
import zipfile

import pytest
import torch

from lane.export.metadata import describe
from lane.export.torchscript import SPACES, Lines, archive
from lane.models import symbols
from lane.runtime.embedded_card import CARD, checksum_of_records


def test_the_archive_has_lines_and_numbers(files, checkpoint):
    extra = {CARD: ""}
    module = torch.jit.load(str(files["torchscript"]), _extra_files=extra)
    card = json.loads(extra[CARD])
    assert card["words"] == list(checkpoint.source)
    texts, statuses = module(["jump twice", "jump nowhere"])
    actions, length, status = module.translate_ids(torch.tensor([[3, 7]]))
    assert texts[0].split() == [checkpoint.target.words[i - 1] for i in actions.tolist()]
    assert (statuses, length.tolist(), status.tolist()) == ([0, 3], [actions.numel()], [0])
    assert not list(module.parameters()), "frozen: weights are constants"
    assert module([]) == ([], [])


def test_its_spaces_are_those_at_which_python_splits():
    split = {chr(code) for code in range(0x110000) if not chr(code).split()}
    assert set(SPACES) == split - set(" \r"), "which the code knows by itself"


@pytest.mark.parametrize("space", [*SPACES, " ", "\r", " \r\n "], ids=ascii)
def test_words_are_split_as_by_python(core, space):
    """Also those with characters within which scripted code splits."""
    scripted = torch.jit.script(Lines(core, ["jump", "€", "a\u2423b", "\u2014"], ["JUMP"]).eval())
    line = space + space.join(["jump", "€", "a\u2423b", "no€", "\u2014"]) + space
    assert scripted._encode_exactly([line, "", space]) == ([1, 2, 3, -1, 4], [5, 0, 0])


@pytest.fixture
def lines(core, checkpoint) -> Lines:
    return Lines(core, list(checkpoint.source), list(checkpoint.target))


def test_long_lines_pad_no_short_ones(lines, commands_of, monkeypatch):
    """Translated in many portions, the answers and their order stay the same."""
    commands = ["", *commands_of(8, 60, 30), "jump nowhere", "jump"]
    together = lines(commands)
    monkeypatch.setattr(symbols, "CELLS", 40)
    assert lines(commands) == together
    assert [lines([command]) for command in commands] == [
        ([text], [status]) for text, status in zip(*together, strict=True)
    ]


def test_the_card_has_the_checksum_of_all_other_records(core, checkpoint):
    metadata = describe(checkpoint, "torchscript", None, [], {})
    reader = torch._C.PyTorchFileReader(io.BytesIO(archive(core, metadata)))
    names = [name for name in reader.get_all_records() if not name.startswith((".data/", "extra/"))]
    records = {name: reader.get_record(name) for name in names if name != "version"}
    card = json.loads(reader.get_record(f"extra/{CARD}"))
    assert card == metadata | {"sha256": checksum_of_records(records)}


def test_the_archive_is_not_compressed(files):
    with zipfile.ZipFile(files["torchscript"]) as content:
        assert {entry.compress_type for entry in content.infolist()} == {zipfile.ZIP_STORED}
