"""Reads the card inside a TorchScript archive or an ONNX file with the standard library alone.

Its checksum is verified before any other library sees the file, since a damaged file can crash those. A
checksum detects damage, not malice: see docs/security.md.
"""

import hashlib
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zlib import error as ZlibError

from lane.runtime import bounded_json
from lane.runtime.model_file import ModelFile
from lane.runtime.onnx_message import properties

CARD = "lane.json"  # the name of the record in an archive, and of the property in an ONNX file
MAX_CARD_BYTES = 16 * 2**20  # 100,000 words, actions and rules take less
MAX_RECORDS = 10_000  # an archive of lane-export has about a hundred
_ENTRY = b"PK\x01\x02"  # begins each entry of the directory of an archive
_ZEROS = b"0" * 64
_DAMAGED = "the checksum does not match: the file is damaged or was edited"


def card_of_archive(file: ModelFile) -> dict[str, Any]:
    """The card of a TorchScript archive."""
    if file.data.count(_ENTRY) > MAX_RECORDS:  # an entry takes ten times its bytes in memory
        raise file.error(f"an archive of more than {MAX_RECORDS} records, which lane-export never writes")
    try:
        with zipfile.ZipFile(BytesIO(file.data)) as archive:
            records = {entry.filename.partition("/")[2]: entry for entry in archive.infolist()}
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in records.values()):
                # A compressed record may be far larger than the file.
                raise file.error("a compressed archive, which lane-export never writes")
            if len(records) != len(archive.infolist()):
                raise file.error("an archive with two records of one name")
            if sum(max(entry.file_size, entry.compress_size) for entry in records.values()) > len(file.data):
                # Each is read in full, even where they share bytes: together they could take gigabytes.
                raise file.error("an archive whose records overlap, which lane-export never writes")
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
    """The SHA-256 of all records of an archive except the card: names and contents, sorted by name."""
    digest = hashlib.sha256()
    for name in sorted(records):
        digest.update(f"{name}\n{len(records[name])}\n".encode())
        digest.update(records[name])
    return digest.hexdigest()


def checksum_around(data: bytes, stated: str) -> str:
    """The SHA-256 of a file that contains its own checksum, which is replaced by zeros first."""
    return hashlib.sha256(data.replace(stated.encode("utf-8", "replace"), _ZEROS, 1)).hexdigest()


def _what_else(names: dict[str, bytes]) -> str:
    if any(name.startswith("code/") for name in names):
        return "a TorchScript archive, but not one of lane-export"
    if "data.pkl" in names:
        return "a checkpoint, as lane-train writes: make a model file of it with lane-export"
    return "a zip archive, but not a TorchScript archive of lane-export"


def card_of_onnx(file: ModelFile) -> dict[str, Any]:
    """The card of an ONNX file."""
    cards = [value for name, value in properties(file) if name == CARD.encode()]
    if len(cards) != 1:
        raise file.error("perhaps an ONNX file, but not one of lane-export")
    card = _json(file, cards[0])
    stated = str(card.get("sha256"))
    if checksum_around(file.data, stated) != stated:
        raise file.error(_DAMAGED)
    return card


def _json(file: ModelFile, text: bytes) -> dict[str, Any]:
    try:
        card = bounded_json.parse(text) if len(text) <= MAX_CARD_BYTES else None
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, dict):
        raise file.error("its card is not the JSON that lane-export writes")
    return card
