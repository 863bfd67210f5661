"""The card of any of our files, read without running or trusting anything in it."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from lane.export.metadata import METADATA, VERSION, checksum_around, checksum_of_records
from lane.models.errors import LaneError

PROGRAM, TORCHSCRIPT, ONNX, CHECKPOINT = "program", "torchscript", "onnx", "checkpoint"
MAX_CARD_BYTES = 64 * 2**20
_FOREIGN = (
    (b"version https://git-lfs", "a git-lfs pointer, not the file itself; run `git lfs pull`"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"<", "a web page or XML, not a model; the download went wrong"),
)


@dataclass(frozen=True)
class Card:
    """What a file says of itself."""

    path: str
    kind: str
    version: int
    size: int
    sha256: str  # of the whole file
    words: tuple[str, ...]
    actions: tuple[str, ...]
    limits: Mapping[str, int]
    margin: float | None
    trust: float | None
    provenance: Mapping[str, Any]
    rules: tuple[tuple[str, str, int], ...]
    notes: Mapping[str, Any] = field(default_factory=dict)  # what only this kind has


def read_card(path: Path) -> Card:
    """The card of a program, an archive, an ONNX file or a checkpoint; LaneError says what else it is."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LaneError(f"{path}: {error.strerror or error}") from None
    if not data:
        raise LaneError(f"{path}: the file is empty")
    for start, what in _FOREIGN:
        if data.startswith(start):
            raise LaneError(f"{path}: {what}")
    if data.startswith(b'{"lane-program'):
        return _of_program(path, data)
    if data.startswith(b"PK"):
        return _of_zip(path, data)
    return _of_network(path, data, ONNX, _onnx_metadata(path, data))


def _of_program(path: Path, data: bytes) -> Card:
    from lane.runtime import Program, ProgramError
    from lane.runtime.bounds import FORMAT_VERSION, RANGES

    try:
        program = Program.loads(data)
    except ProgramError as error:
        raise LaneError(f"{path}: {error}") from None
    return Card(
        str(path),
        PROGRAM,
        FORMAT_VERSION,
        len(data),
        sha256(data).hexdigest(),
        tuple(word for word, _ in program.words),
        program.actions,
        {name: getattr(program.limits, name) for name in RANGES},
        program.margin,
        program.trust,
        program.provenance,
        tuple((" ".join(rule.span), " ".join(rule.template), rule.uses) for rule in program.rules),
        {"complete": program.complete, "nodes": len(program.nodes)},
    )


def _of_zip(path: Path, data: bytes) -> Card:
    """TorchScript archives and checkpoints are both zip files."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if any(name.endswith(f"/extra/{METADATA}") for name in names):
                return _of_network(path, data, TORCHSCRIPT, _archive_metadata(path, archive))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise LaneError(f"{path}: begins like a zip archive, but is truncated or damaged ({error})") from None
    if not any(name.endswith("/data.pkl") for name in names):
        raise LaneError(f"{path}: a zip archive, but not a file of lane-train or lane-export")
    if any("/code/" in name for name in names):
        raise LaneError(f"{path}: a TorchScript archive, but not one of lane-export")
    return _of_checkpoint(path, data)


def _archive_metadata(path: Path, archive: zipfile.ZipFile) -> bytes:
    """The card of an archive, after comparing the checksum that it states with the other records."""
    records, card = {}, b""
    for entry in archive.infolist():
        if entry.compress_type != zipfile.ZIP_STORED:
            raise LaneError(f"{path}: {entry.filename} is compressed; lane-export never does that")
        name = entry.filename.partition("/")[2]
        if name == f"extra/{METADATA}":
            card = archive.read(entry)
        elif name != "version" and not name.startswith(".data/"):
            records[name] = archive.read(entry)
    _check_sum(path, card, checksum_of_records(records))
    return card


def _onnx_metadata(path: Path, data: bytes) -> bytes:
    """The card among the properties of an ONNX file, after comparing the checksum that it states."""
    try:
        properties = [dict(_fields(value)) for number, value in _fields(data) if number == 14]
        cards = [p[2] for p in properties if p.get(1) == METADATA.encode()]
    except ValueError:
        raise LaneError(
            f"{path}: none of our files (program, TorchScript, ONNX, checkpoint), or a truncated one"
        ) from None
    if len(cards) != 1:
        raise LaneError(f"{path}: perhaps an ONNX file, but not one of lane-export")
    stated = _json(path, cards[0]).get("sha256")
    _check_sum(path, cards[0], checksum_around(data, str(stated)))
    return cards[0]


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


def _check_sum(path: Path, card: bytes, actual: str) -> None:
    if _json(path, card).get("sha256") != actual:
        raise LaneError(f"{path}: the checksum does not match: the file is damaged or was edited")


def _json(path: Path, text: bytes) -> dict[str, Any]:
    try:
        card = json.loads(text) if len(text) <= MAX_CARD_BYTES else None
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, dict):
        raise LaneError(f"{path}: its card is not the JSON that lane-export writes")
    if card.get("version") != VERSION:
        raise LaneError(
            f"{path}: format version {card.get('version')}, but this release reads {VERSION}; "
            "use the release that wrote it, or export again"
        )
    return card


def _of_network(path: Path, data: bytes, kind: str, text: bytes) -> Card:
    card = _json(path, text)
    try:
        if card["lane"] != kind:
            raise LaneError(f"{path}: its card is that of another kind of file: {card['lane']}")
        return Card(
            str(path),
            kind,
            card["version"],
            len(data),
            sha256(data).hexdigest(),
            tuple(card["words"]),
            tuple(card["actions"]),
            card["limits"],
            card["margin"],
            card["trust"],
            card["provenance"],
            tuple((span, template, uses) for span, template, uses in card["rules"]),
            {"statuses": card["statuses"]},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LaneError(f"{path}: its card lacks a part, or it is malformed ({error})") from None


def _of_checkpoint(path: Path, data: bytes) -> Card:
    from lane.trainer import checkpoint

    loaded = checkpoint.load(path)
    trust = loaded.card.get("trust")
    return Card(
        str(path),
        CHECKPOINT,
        checkpoint.VERSION,
        len(data),
        sha256(data).hexdigest(),
        loaded.source.words,
        loaded.target.words,
        {"max_words": loaded.config.max_words, "max_actions": loaded.config.max_actions},
        None,
        trust if isinstance(trust, float) else None,
        loaded.card,
        (),
        {"weights": sum(tensor.numel() for tensor in loaded.weights.values())},
    )
