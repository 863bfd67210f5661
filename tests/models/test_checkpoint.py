"""Checkpoints: whole or not at all, and no surprise in what is read."""

import errno
import os
import pickle
import random
import zipfile
from pathlib import Path

import pytest
import torch

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.models import checkpoint
from lane.models.card import ModelCard
from lane.models.checkpoint import Checkpoint, load, save
from lane.models.config import ModelConfig
from lane.models.model import LaneModel

CONFIG = ModelConfig(embedding=3, hidden=4)


@pytest.fixture
def model():
    torch.manual_seed(1)
    return LaneModel(2, 2, CONFIG)


@pytest.fixture
def kept(model):
    card = ModelCard(task="limit", agreement=0.5, rules=("$x twice -> $X $X",))
    training = {"random": torch.get_rng_state(), "updates": 3, "fit": None}
    words, actions = Vocabulary(["walk", "twice"]), Vocabulary(["W", "R"])
    return Checkpoint(CONFIG, words, actions, model.state_dict(), card, training)


@pytest.fixture
def path(kept, tmp_path):
    save(kept, tmp_path / "model.pt")
    return tmp_path / "model.pt"


def test_round_trip(path, kept, model):
    again = load(path)
    assert (again.config, again.source, again.target) == (CONFIG, kept.source, kept.target)
    assert again.card == kept.card
    assert torch.equal(again.training["random"], kept.training["random"])
    restored = again.model()
    assert not restored.training
    for name, value in model.state_dict().items():
        assert torch.equal(restored.state_dict()[name], value)
    assert [file.name for file in path.parent.iterdir()] == ["model.pt"]


def test_a_file_cannot_run_code(tmp_path):
    class Attack:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path}/ran",)

    torch.save({"format": checkpoint.FORMAT, "version": 1, "card": Attack()}, tmp_path / "attack.pt")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Attack()))
    for name in ("attack.pt", "plain.pt"):
        with pytest.raises(LaneError, match="not a checkpoint, or a broken one"):
            load(tmp_path / name)
    assert not (tmp_path / "ran").exists()


def test_a_file_that_is_cut_off_anywhere(path):
    whole = path.read_bytes()
    for size in [0, 1, 10, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(LaneError, match=r"model.pt: (not a checkpoint|damaged)") as raised:
            load(path)
        assert "\n" not in str(raised.value)


def test_a_flipped_bit_anywhere(path):
    """torch itself loads most such files without a word."""
    whole, draw = path.read_bytes(), random.Random(1)
    places = {*draw.sample(range(len(whole)), 300), *range(4), *range(len(whole) - 100, len(whole))}
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
        with pytest.raises(LaneError, match=r"model.pt: (damaged: the checksum|not a checkpoint)"):
            load(path)


def test_a_flipped_bit_of_the_weights_in_an_early_file(path):
    rewritten(path)
    whole = path.read_bytes()
    place = whole.index(load(path).weights["solver.output.weight"].numpy().tobytes()) + 5
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with pytest.raises(LaneError, match=r"model.pt: damaged: the checksum"):
        load(path)


def test_bytes_behind_the_checksum(path):
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(LaneError, match="damaged: the checksum does not match; restore a copy, or train"):
        load(path)


def test_a_checkpoint_is_a_zip_archive_with_its_checksum_as_comment(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.comment.startswith(b"sha256 ")
    assert torch.load(path, weights_only=True)["format"] == checkpoint.FORMAT


def test_an_early_file_has_no_checksum(path, kept):
    rewritten(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.comment == b""
    assert load(path).card == kept.card


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", b"\x80\x02]q\x00.", bytes(range(256)) * 20, b"PK\x03\x04"]
)
def test_a_foreign_file(tmp_path, content):
    (tmp_path / "foreign").write_bytes(content)
    with pytest.raises(LaneError, match="foreign: "):
        load(tmp_path / "foreign")


@pytest.mark.parametrize("content", [[1, 2], {"weights": {}}, {"format": "other"}, "text"])
def test_a_torch_file_of_another_kind(tmp_path, content):
    torch.save(content, tmp_path / "other.pt")
    with pytest.raises(LaneError, match="a torch file, but not a checkpoint"):
        load(tmp_path / "other.pt")


def rewritten(path, **changes):
    content = {**torch.load(path, weights_only=True), **changes}
    torch.save({key: value for key, value in content.items() if value is not None}, path)


def test_a_newer_version(path):
    rewritten(path, version=2)
    with pytest.raises(LaneError, match="checkpoint version 2, this release reads 1; use the release"):
        load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"config": None},
        {"config": {"hidden": 0}},
        {"config": [1]},
        {"source": None},
        {"source": 5},
        {"source": [1, 2]},
        {"source": ["walk", "walk"]},
        {"target": ["$x"]},
        {"weights": None},
        {"card": None},
        {"card": "text"},
        {"card": {"agreement": 2}},
        {"card": {"colour": "red"}},
        {"training": None},
    ],
    ids=str,
)
def test_a_part_that_is_missing_or_malformed(path, changes):
    rewritten(path, **changes)
    with pytest.raises(LaneError, match=r"model.pt: a checkpoint with a part missing or malformed") as raised:
        load(path)
    assert "\n" not in str(raised.value)


def test_the_card_of_an_older_file(path, kept):
    card = kept.card.model_dump(mode="json")
    rewritten(path, card={"trust": card.pop("agreement"), **card})
    assert load(path).card == kept.card


def test_weights_of_another_size(path):
    rewritten(path, source=["walk", "twice", "thrice"])
    with pytest.raises(LaneError, match="the weights do not fit the checkpoint's config"):
        load(path).model()


def test_no_file_and_no_file_to_read(tmp_path):
    with pytest.raises(LaneError, match=r"gone.pt: no such file; `lane-train --out .*gone.pt` makes one"):
        load(tmp_path / "gone.pt")
    with pytest.raises(LaneError, match="is a directory"):
        load(tmp_path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without end")
def test_an_endless_file_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(checkpoint, "MAX_BYTES", 1000)
    with pytest.raises(LaneError, match="/dev/zero: is larger than 1000 bytes"):
        load(Path("/dev/zero"))


def test_a_write_that_fails_leaves_the_old_file(path, monkeypatch, kept):
    before = path.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LaneError, match=r"model.pt: cannot be written: No space left .*; free some space"):
        save(kept, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
