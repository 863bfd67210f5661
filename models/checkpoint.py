"""Checkpoints: one file with everything needed to use a model, or to go on training it.

Only plain values and tensors are stored, so a file loads with `weights_only=True` and cannot run code.
The file is a zip archive whose comment is the SHA-256 of all bytes before it, since torch itself loads most
files with a flipped bit without an error.
"""

import hashlib
import io
import struct
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import error as ZlibError

import torch
from pydantic import ValidationError

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.base.vocabulary import Vocabulary
from lane.models.card import ModelCard, first_problem
from lane.models.config import ModelConfig
from lane.models.learned import Learned
from lane.models.model import LaneModel

FORMAT = "lane-checkpoint"
VERSION = 1
MAX_BYTES = 2**30  # a thousand times the usual size; a device has no end

_SEAL = b"sha256 "  # begins the comment; 64 hexadecimal digits follow
_SEAL_SIZE = len(_SEAL) + 64
_ZIP = b"PK"
_END = b"PK\x05\x06"  # begins the last record of a zip archive, which has 22 bytes and then the comment
_END_SIZE = 22


@dataclass(frozen=True)
class Checkpoint:
    """A model with its vocabularies, its card and, while it is trained, the state of the training."""

    config: ModelConfig
    source: Vocabulary
    target: Vocabulary
    weights: dict[str, torch.Tensor]
    card: ModelCard = field(default_factory=ModelCard)
    training: dict[str, Any] = field(default_factory=dict)  # plain values and tensors
    learned: Learned | None = None  # None: from a release before refusals, or still in training

    def model(self) -> LaneModel:
        """The networks, ready to translate."""
        model = LaneModel(len(self.source), len(self.target), self.config)
        try:
            model.load_state_dict(self.weights)
        except RuntimeError as error:
            raise LaneError(f"the weights do not fit the checkpoint's config: {error}") from None
        return model.eval()


def save(checkpoint: Checkpoint, path: Path) -> None:
    """Write the file whole or not at all."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "config": checkpoint.config.model_dump(),
        "source": list(checkpoint.source),
        "target": list(checkpoint.target),
        "weights": checkpoint.weights,
        "card": checkpoint.card.model_dump(mode="json"),
        "training": checkpoint.training,
        "learned": None if checkpoint.learned is None else checkpoint.learned.plain(),
    }
    archive = io.BytesIO()
    torch.save(content, archive)
    write_atomically(path, _sealed(archive.getvalue()))


def _sealed(archive: bytes) -> bytes:
    """The archive with its checksum as comment; the last two bytes before a comment are its length."""
    body = archive[:-2] + struct.pack("<H", _SEAL_SIZE)
    return body + _SEAL + hashlib.sha256(body).hexdigest().encode()


def _is_intact(data: bytes) -> bool:
    """Whether an archive has the bytes of its checksum; early files only have the CRC-32 of each record."""
    body, seal = data[:-_SEAL_SIZE], data[-_SEAL_SIZE:]
    if seal.startswith(_SEAL):
        return seal == _SEAL + hashlib.sha256(body).hexdigest().encode()
    if not data[-_END_SIZE:].startswith(_END) or not data.endswith(b"\0\0"):
        return False  # it has a comment, which is damaged
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.testzip() is None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, ZlibError):
        return False


def load(path: Path) -> Checkpoint:
    """Read a checkpoint; any problem of the file is an error of one sentence."""
    data = _read(path)
    if data.startswith(_ZIP) and not _is_intact(data):
        raise LaneError(f"{path}: damaged: the checksum does not match; restore a copy, or train again")
    try:
        content = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a broken or foreign file
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LaneError(f"{path}: not a checkpoint, or a broken one ({reason[:200]})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise LaneError(f"{path}: a torch file, but not a checkpoint of lane-train")
    if content.get("version") != VERSION:
        raise LaneError(
            f"{path}: checkpoint version {content.get('version')}, this release reads {VERSION}; "
            "use the release that wrote it, or train again"
        )
    try:
        return Checkpoint(
            config=ModelConfig(**content["config"]),
            source=Vocabulary(content["source"]),
            target=Vocabulary(content["target"]),
            weights=content["weights"],
            card=ModelCard.read(content["card"]),
            training=content["training"],
            learned=_learned(content.get("learned")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, LaneError) as error:
        reason = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise LaneError(f"{path}: a checkpoint with a part missing or malformed ({reason})") from None


def _learned(content: dict[str, Any] | None) -> Learned | None:
    return None if content is None else Learned.read(content)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            # Python reserves all that it is asked for: no more than there is, where that is known.
            most = min(MAX_BYTES, path.stat().st_size) if path.is_file() else MAX_BYTES
            data = stream.read(most + 1)
    except FileNotFoundError:
        raise LaneError(f"{path}: no such file; `lane-train --out {path}` makes one") from None
    except IsADirectoryError:
        raise LaneError(f"{path}: is a directory, not a checkpoint") from None
    except OSError as error:
        raise LaneError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise LaneError(f"{path}: is larger than {MAX_BYTES} bytes, which no checkpoint is")
    return data
