"""Finds the card inside a TorchScript archive or an ONNX file with the standard library alone.

The checksum that a card states is compared before any other library sees the file: what those do with a
damaged one is not always an exception. docs/embedding.md says what a checksum is not.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any
from zlib import error as ZlibError

from lane.runtime.model_file import ModelFile

CARD = "lane.json"  # the name of the record in an archive, and of the property in an ONNX file
MAX_CARD_BYTES = 64 * 2**20
_ZEROS = b"0" * 64
_PROPERTIES = 14  # the field of an ONNX model that holds them
_DAMAGED = "the checksum does not match: the file is damaged or was edited"


def card_of_archive(file: ModelFile) -> dict[str, Any]:
    """The card of a TorchScript archive."""
    try:
        with zipfile.ZipFile(BytesIO(file.data)) as archive:
            records = {entry.filename.partition("/")[2]: entry for entry in archive.infolist()}
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in records.values()):
                # Nothing of ours is compressed, and what is may be far larger than the file.
                raise file.error("a compressed archive, which lane-export never writes")
            if len(records) != len(archive.infolist()):
                raise file.error("an archive with a record that is there twice")
            contents = {name: archive.read(entry) for name, entry in records.items()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, ZlibError):
        raise file.error("begins like a zip archive, but is truncated or damaged: fetch it again") from None
    text = contents.pop(f"extra/{CARD}", None)
    if text is None:
        raise file.error(_what_else(contents))
    card = _json(file, text)
    counted = {n: record for n, record in contents.items() if n != "version" and not n.startswith(".data/")}
    if card.get("sha256") != checksum_of_records(counted):
        raise file.error(_DAMAGED)
    return card


def checksum_of_records(records: Mapping[str, bytes]) -> str:
    """Of all records of an archive but the card itself: names and contents, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(records):
        digest.update(f"{name}\n{len(records[name])}\n".encode())
        digest.update(records[name])
    return digest.hexdigest()


def checksum_around(data: bytes, stated: str) -> str:
    """Of a whole file that holds its own checksum, which counts as zeros there."""
    return hashlib.sha256(data.replace(stated.encode("utf-8", "replace"), _ZEROS, 1)).hexdigest()


def _what_else(names: dict[str, bytes]) -> str:
    if any(name.startswith("code/") for name in names):
        return "a TorchScript archive, but not one of lane-export"
    if "data.pkl" in names:
        return "a checkpoint, as lane-train writes: make a model file of it with lane-export"
    return "a zip archive, but not a TorchScript archive of lane-export"


def card_of_onnx(file: ModelFile) -> dict[str, Any]:
    """The card of an ONNX file."""
    try:
        properties = [dict(_fields(value)) for number, value in _fields(file.data) if number == _PROPERTIES]
    except ValueError:
        raise file.error("neither an ONNX file nor any other of lane-export, or a truncated one") from None
    cards = [pair.get(2, b"") for pair in properties if pair.get(1) == CARD.encode()]
    if len(cards) != 1:
        raise file.error("perhaps an ONNX file, but not one of lane-export")
    card = _json(file, cards[0])
    stated = str(card.get("sha256"))
    if checksum_around(file.data, stated) != stated:
        raise file.error(_DAMAGED)
    return card


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of the fields of a protobuf message; content only where it is bytes."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        size = {1: 8, 5: 4}.get(key & 7, 0)
        if key & 7 == 0:
            _, at = _varint(message, at)
        elif key & 7 == 2:
            size, at = _varint(message, at)
        elif not size:
            raise ValueError("not a protobuf message")
        if at + size > len(message) or key >> 3 == 0:
            raise ValueError("ends in the middle of a field")
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    raise ValueError("a number without an end")


def _json(file: ModelFile, text: bytes) -> dict[str, Any]:
    try:
        card = json.loads(text) if len(text) <= MAX_CARD_BYTES else None
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, dict):
        raise file.error("its card is not the JSON that lane-export writes")
    return card
