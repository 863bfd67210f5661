"""The card of a checkpoint or an exported file, read without running anything in it."""

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.base.rule import Rule
from lane.base.scheme import PLAIN, Schemes
from lane.export.kinds import CHECKPOINT, ONNX, PROGRAM, TORCHSCRIPT
from lane.runtime import model_file
from lane.runtime import network_card as cards
from lane.runtime.embedded_card import card_of_archive, card_of_onnx
from lane.runtime.errors import NOT_LEARNED, ModelError
from lane.runtime.model_file import ModelFile

MAX_BYTES = 2**30  # of any kind; a device has no end
_FOREIGN = (
    (b"version https://git-lfs", "a git-lfs pointer, not the file itself; run `git lfs pull`"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"<", "a web page or XML, not a model; the download went wrong"),
)


@dataclass(frozen=True, kw_only=True)
class FileCard:
    """The contents of a file, by its own statement."""

    path: str
    kind: str
    version: int
    size: int
    sha256: str  # of the whole file
    words: tuple[str, ...]
    actions: tuple[str, ...]
    limits: Mapping[str, int]
    margin: float | None
    agreement: float | None
    provenance: Mapping[str, Any]
    rules: tuple[tuple[str, str, int], ...]
    schemes: Schemes = PLAIN
    notes: Mapping[str, Any] = field(default_factory=dict)  # facts that only this kind has


def inspect(path: Path) -> FileCard:
    """The card of a program, an archive, an ONNX file or a checkpoint; a LaneError names any other kind."""
    try:
        file = _read(path)
    except ModelError as error:
        raise LaneError(str(error)) from None
    if not file.data:
        raise LaneError(f"{path}: the file is empty")
    for start, what in _FOREIGN:
        if file.data.startswith(start):
            raise LaneError(f"{path}: {what}")
    if _is_checkpoint(file.data):
        return _of_checkpoint(file)
    try:
        if file.data.startswith(b'{"lane-program'):
            return _of_program(file)
        if file.data.startswith(b"PK"):
            return _of_network(file, TORCHSCRIPT, card_of_archive(file))
        return _of_network(file, ONNX, card_of_onnx(file))
    except ModelError as error:
        raise LaneError(str(error)) from None


def refuse_exported(path: Path) -> None:
    """Refuse a file that is not a checkpoint, by its kind; a missing one is reported when it is read."""
    try:
        data = _read(path).data
    except ModelError:
        return
    try:
        kind = "" if _is_checkpoint(data) else inspect(path).kind
    except LaneError:
        if not data.startswith((b"PK", b"\x80")):  # neither a zip archive nor a pickle, so not of torch
            raise LaneError(
                f"{path}: not a checkpoint; `lane-train --train FILE --out MODEL.pt` makes one from pairs"
            ) from None
        return
    if kind:
        raise LaneError(
            f"{path}: already exported (kind: {kind}); run it with `lane-run --model {path}`, "
            "or export the checkpoint that it was made from"
        )


def _read(path: Path) -> ModelFile:
    # Python reserves all that it is asked for: no more than there is, where that is known.
    most = min(MAX_BYTES, path.stat().st_size) if path.is_file() else MAX_BYTES
    return model_file.read(path, lambda start: most, False)


def _is_checkpoint(data: bytes) -> bool:
    """A zip archive with weights and, unlike a TorchScript archive, without code."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError):
        return False
    return any(name.endswith("/data.pkl") for name in names) and not any("/code/" in name for name in names)


def _of_program(file: ModelFile) -> FileCard:
    from lane.runtime import Program, ProgramError, codec
    from lane.runtime.bounds import RANGES

    try:
        program = Program.loads(file.data)
    except ProgramError as error:
        raise file.error(str(error)) from None
    return FileCard(
        path=str(file.path),
        kind=PROGRAM,
        version=codec.version(file.data),
        size=len(file.data),
        sha256=file.sha256,
        words=tuple(word for word, _ in program.words),
        actions=program.actions,
        limits={name: getattr(program.limits, name) for name in RANGES},
        margin=program.margin,
        agreement=program.agreement,
        provenance=program.provenance,
        rules=_listed(program.rules),
        schemes=program.schemes,
        notes={
            "complete": program.complete,
            "nodes": len(program.nodes),
            "refuses": program.kinds is not None,
        },
    )


def _of_network(file: ModelFile, kind: str, content: dict[str, Any]) -> FileCard:
    card = cards.read_card(file, kind, content)
    return FileCard(
        path=str(file.path),
        kind=kind,
        version=card.version,
        size=len(file.data),
        sha256=file.sha256,
        words=card.words,
        actions=card.actions,
        limits={"max_words": card.max_words, "max_actions": card.max_actions},
        margin=card.margin,
        agreement=card.agreement,
        provenance=card.provenance,
        rules=_listed(card.rules),
        schemes=card.schemes,
        notes={"statuses": card.statuses, "refuses": NOT_LEARNED in card.statuses},
    )


def _listed(rules: Iterable[Rule]) -> tuple[tuple[str, str, int], ...]:
    return tuple((" ".join(rule.span), " ".join(rule.template), rule.uses) for rule in rules)


def _of_checkpoint(file: ModelFile) -> FileCard:
    from lane.models import checkpoint

    loaded = checkpoint.load(file.path)
    rules = (rule.partition(" -> ") for rule in loaded.card.rules)
    return FileCard(
        path=str(file.path),
        kind=CHECKPOINT,
        version=checkpoint.VERSION,
        size=len(file.data),
        sha256=file.sha256,
        words=loaded.source.words,
        actions=loaded.target.words,
        limits={"max_words": loaded.config.max_words, "max_actions": loaded.config.max_actions},
        margin=None,
        agreement=loaded.card.agreement,
        provenance=loaded.card.model_dump(mode="json"),
        rules=tuple((span, template, 0) for span, _, template in rules),
        schemes=loaded.card.schemes,
        notes={
            "weights": sum(tensor.numel() for tensor in loaded.weights.values()),
            "refuses": loaded.learned is not None,
        },
    )
