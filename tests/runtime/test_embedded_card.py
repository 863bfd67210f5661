"""Cards inside archives and ONNX files: found without any other library, and within bounds."""

import json
import struct
import tracemalloc
import zipfile
import zlib
from io import BytesIO

import pytest

from lane.runtime import ModelError, embedded_card
from lane.runtime.embedded_card import card_of_archive, checksum_around, checksum_of_records
from lane.runtime.model_file import ModelFile


def file(data):
    return ModelFile("model.ts", data, False)


def archive(records, compression=zipfile.ZIP_STORED):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        for name, content in records.items():
            # A ZipInfo has no present time in it: the ids of tests are made of these bytes.
            made.writestr(zipfile.ZipInfo(f"m/{name}"), content, compression)
    return buffer.getvalue()


def with_card(records, **changes):
    card = {"lane": "torchscript", "sha256": checksum_of_records(records)} | changes
    return archive(records | {"extra/lane.json": json.dumps(card)})


def test_a_card_and_its_checksum():
    records = {"code/a.py": b"x", "data.pkl": b"y"}
    assert card_of_archive(file(with_card(records)))["lane"] == "torchscript"
    assert card_of_archive(file(with_card(records | {"version": b"3"}, sha256=checksum_of_records(records))))
    with pytest.raises(ModelError, match="checksum does not match"):
        card_of_archive(file(with_card(records, sha256="0" * 64)))
    with pytest.raises(ModelError, match="checksum does not match"):
        card_of_archive(file(with_card(records, sha256=None)))


def test_the_checksum_depends_on_names_and_contents():
    sums = {
        checksum_of_records(records)
        for records in ({"a": b"bc"}, {"ab": b"c"}, {"a": b"b", "b": b"c"}, {"b": b"c"}, {})
    }
    assert len(sums) == 5
    assert checksum_of_records({"a": b"1", "b": b"2"}) == checksum_of_records({"b": b"2", "a": b"1"})


def test_a_file_that_holds_its_own_checksum():
    data = b"head " + b"0" * 64 + b" tail"
    stated = checksum_around(data, "0" * 64)
    assert checksum_around(data.replace(b"0" * 64, stated.encode()), stated) == stated
    assert checksum_around(data.replace(b"head", b"HEAD"), "0" * 64) != stated


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (archive({"readme": b"x"}), "a zip archive, but not a TorchScript archive of lane-export"),
        (archive({"code/a.py": b"x"}), "a TorchScript archive, but not one of lane-export"),
        (archive({"data.pkl": b"x"}), "a checkpoint, as lane-train writes"),
        (archive({"extra/lane.json": b"[]"}), "its card is not the JSON that lane-export writes"),
        (archive({"extra/lane.json": b"[" * 100_000}), "its card is not the JSON"),
        (archive({"extra/lane.json": b"\xff"}), "its card is not the JSON"),
        (archive({"a": b"x" * 999}, zipfile.ZIP_DEFLATED), "a compressed archive"),
        (archive({"a": b"x"})[:-5], "truncated or damaged"),
        (b"PK\x03\x04", "truncated or damaged"),
    ],
)
def test_other_archives(data, message):
    with pytest.raises(ModelError, match=f"model.ts: .*{message}"):
        card_of_archive(file(data))


def test_a_card_beyond_its_bound(monkeypatch):
    monkeypatch.setattr(embedded_card, "MAX_CARD_BYTES", 100)
    with pytest.raises(ModelError, match="its card is not the JSON"):
        card_of_archive(file(with_card({"a": b"x"}, words=["word"] * 50)))


def test_two_records_of_one_name():
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("m/a", b"1")
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr("m/a", b"2")
    with pytest.raises(ModelError, match="two records of one name"):
        card_of_archive(file(buffer.getvalue()))


def overlapping(count, size):
    """Each record's content is all local headers behind its own, and the same data at the end."""
    names = [b"m/%05d" % number for number in range(count)]
    body, records = b"\0" * size, []
    for name in reversed(names):
        records.append((name, zlib.crc32(body), len(body)))
        fields = (20, 0, 0, 0, 0, records[-1][1], len(body), len(body), len(name), 0)
        body = b"PK\x03\x04" + struct.pack("<5H3I2H", *fields) + name + body
    directory, header = b"", 30 + len(names[0])
    for place, (name, crc, length) in enumerate(reversed(records)):
        fields = (20, 20, 0, 0, 0, 0, crc, length, length, len(name), 0, 0, 0, 0, 0, place * header)
        directory += b"PK\x01\x02" + struct.pack("<6H3I5H2I", *fields) + name
    end = struct.pack("<4H2IH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def test_records_that_overlap_take_no_memory():
    data = overlapping(500, 100_000)
    assert len(zipfile.ZipFile(BytesIO(data)).infolist()) == 500
    tracemalloc.start()
    with pytest.raises(ModelError, match="records overlap"):
        card_of_archive(file(data))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000, "50 MB where each record is read"


def test_the_number_of_records_is_bounded(monkeypatch):
    monkeypatch.setattr(embedded_card, "MAX_RECORDS", 3)
    with pytest.raises(ModelError, match="more than 3 records"):
        card_of_archive(file(archive(dict.fromkeys("abcd", b""))))
