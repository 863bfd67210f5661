"""Model files that are not what they should be: one error each, never a crash, never a word aside."""

import hashlib
import json
import os
import re
import zipfile
from random import Random

import pytest

from lane.runtime import ModelError, load

KINDS = ("program", "onnx", "torchscript")
NETWORKS = KINDS[1:]


def file_of(tmp_path, kind, data):
    path = tmp_path / f"other.{kind}"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 and no more", "truncated or damaged"),
        (b"\x08\x09", "perhaps an ONNX file"),
        (b"\x08", "no file of lane-export"),
        (b"hello", "is not a LAnE program"),
        (b"", "the file is empty"),
    ],
)
def test_other_files_are_told_apart(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ModelError, match=rf"file: .*{message}"):
        load(tmp_path / "file")


def test_a_file_of_another_kind(exported, tmp_path):
    with pytest.raises(ModelError, match=r"a checkpoint, as lane-train writes.*lane-export"):
        load(exported["checkpoint"], trust=True)
    with pytest.raises(ModelError, match="not a TorchScript archive"):
        load(exported["onnx"], backend="torchscript", trust=True)
    with pytest.raises(ModelError, match="ONNX"):
        load(exported["torchscript"], backend="onnx")
    with pytest.raises(ModelError, match="is a zip archive"):
        load(exported["torchscript"], backend="program")
    for content, message in (
        ({"readme": "x"}, "a zip archive, but not"),
        ({"m/code/a": ""}, "not one of lane"),
    ):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            for name, text in content.items():
                archive.writestr(name, text)
        with pytest.raises(ModelError, match=message):
            load(tmp_path / "a.zip")


def with_records(exported, tmp_path, change):
    """The archive again with other records, and a checksum that is right for them."""
    with zipfile.ZipFile(exported["torchscript"]) as archive:
        records = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    card = json.loads(records.pop("extra/lane.json"))
    records, card = change(records, card)
    digest = hashlib.sha256()
    for name in sorted(records):
        if name != "version" and not name.startswith(".data/"):
            digest.update(f"{name}\n{len(records[name])}\n".encode() + records[name])
    path = tmp_path / "changed.ts"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in records.items():
            archive.writestr(f"archive/{name}", content)
        archive.writestr("archive/extra/lane.json", json.dumps(card | {"sha256": digest.hexdigest()}))
    return path


def test_an_archive_that_torch_refuses(exported, tmp_path):
    for gone in ("data.pkl", "constants.pkl"):
        path = with_records(
            exported, tmp_path, lambda r, c, gone=gone: ({k: v for k, v in r.items() if k != gone}, c)
        )
        with pytest.raises(ModelError, match="torch cannot load it: ") as refused:
            load(path, trust=True)
        assert "\n" not in str(refused.value)


def as_onnx(content):
    """An ONNX file with this card and no network."""

    def field(number, value):
        size = len(value)
        return bytes([number << 3 | 2]) + bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) + value

    card = json.dumps(content | {"sha256": "0" * 64}).encode()
    data = b"\x08\x08" + field(14, field(1, b"lane.json") + field(2, card))
    return data.replace(b"0" * 64, hashlib.sha256(data).hexdigest().encode())


CARD = {
    "lane": "onnx",
    "version": 1,
    "words": ["a"],
    "actions": ["A"],
    "statuses": ["ok"],
    "limits": {"max_words": 3, "max_actions": 3},
    "margin": None,
    "trust": 1,
    "provenance": {},
    "rules": [["a", "A", 1]],
}


def test_an_onnx_file_that_onnxruntime_refuses(tmp_path, capfd):
    pytest.importorskip("onnxruntime")
    path = file_of(tmp_path, "onnx", as_onnx(CARD))
    with pytest.raises(ModelError, match=r"other\.onnx: onnxruntime cannot load it: "):
        load(path)
    assert capfd.readouterr().err == ""


def signed_again(data, random):
    """An ONNX file with a changed bit and a checksum that is right for it, as no accident makes one."""
    stated = re.search(rb'"sha256":"([0-9a-f]{64})"', data)[1]
    changed = bytearray(data.replace(stated, b"0" * 64, 1))
    changed[random.randrange(len(changed) - 20_000)] ^= 1 << random.randrange(8)
    return changed.replace(b"0" * 64, hashlib.sha256(changed).hexdigest().encode(), 1)


def test_an_onnx_file_that_was_changed_on_purpose(exported, tmp_path, capfd):
    """Another model, or an error: with a right checksum it does reach onnxruntime."""
    reached = 0
    for seed in range(60):
        path = file_of(tmp_path, "onnx", signed_again(exported["onnx"].read_bytes(), Random(seed)))
        try:
            load(path).translate_batch(["jump twice", "hop"])
        except ModelError as error:
            reached += "onnxruntime cannot load it" in str(error)
    assert reached > 5
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 3}, "format version 3, but this runtime reads versions up to 2"),
        ({"lane": "torchscript"}, "another kind of file"),
        ({"words": "abc"}, "no 'words'"),
        ({"words": ["a", "a"]}, "no 'words'"),
        ({"words": ["a b"]}, "no 'words'"),
        ({"actions": [1]}, "no 'actions'"),
        ({"limits": {"max_words": 3}}, "no 'limits'"),
        ({"limits": {"max_words": True, "max_actions": 0}}, "no 'limits'"),
        ({"margin": "thin"}, "no 'margin'"),
        ({"margin": float("inf")}, "not the JSON"),
        ({"provenance": []}, "no 'provenance'"),
        ({"rules": [["a", "A"]]}, "no 'rules'"),
        ({"rules": [["a", "", 1]]}, "no 'rules'"),
        ({"rules": None}, "no 'rules'"),
    ],
)
def test_a_card_with_a_wrong_part(tmp_path, change, message):
    with pytest.raises(ModelError, match=message):
        load(file_of(tmp_path, "onnx", as_onnx(CARD | change)))


def test_a_network_whose_numbers_mean_nothing(exported, tmp_path):
    path = with_records(exported, tmp_path, lambda r, c: (r, c | {"actions": c["actions"][:1], "rules": []}))
    translator = load(path, trust=True)
    assert translator.rules() == ()
    with pytest.raises(ModelError, match="numbers that its card does not define"):
        translator.translate_batch(["jump", "walk", "run", "left", "and", "twice"])


def damaged(data, random):
    """Cut off somewhere, or with one to three bits changed."""
    if random.random() < 0.3:
        return data[: random.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        # Half of them where the containers keep their own books: at the ends.
        near = min(len(data), 6000)
        place = random.choice(
            [random.randrange(len(data)), random.randrange(near), -1 - random.randrange(near)]
        )
        changed[place] ^= 1 << random.randrange(8)
    return bytes(changed)


def fuzz(exported, tmp_path, kind, count, seed):
    """How many damaged files were refused; one that is not must be as good as the whole one."""
    random, data = Random(seed), exported[kind].read_bytes()
    texts = ["jump twice", "walk and run", "hop"]
    expected = load(exported[kind], trust=True).translate_batch(texts)
    messages = []
    for _ in range(count):
        path = file_of(tmp_path, kind, damaged(data, random))
        try:
            translator = load(path, random.choice(["auto", kind]), trust=True)
        except ModelError as error:
            messages.append(str(error))
        else:
            assert translator.translate_batch(texts) == expected
    assert all(message.startswith(f"{path}: ") and "\n" not in message for message in messages)
    return len(messages)


@pytest.mark.parametrize("kind", NETWORKS)
def test_damaged_files_give_one_error(exported, tmp_path, kind):
    assert fuzz(exported, tmp_path, kind, 300, 1) > 250


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
def test_many_damaged_files_give_one_error(exported, tmp_path, kind):
    assert fuzz(exported, tmp_path, kind, 10_000, 2) > 8_000


@pytest.mark.skipif(os.name != "posix", reason="the name of a directory")
@pytest.mark.parametrize("kind", KINDS)
def test_a_directory_is_no_model(tmp_path, kind):
    for backend in ("auto", kind):
        with pytest.raises(ModelError, match="Is a directory"):
            load(tmp_path, backend)
