"""The card inside every network file: one JSON object, the same for the TorchScript archive and ONNX."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lane.models import codes
from lane.runtime import errors

if TYPE_CHECKING:
    from lane.trainer.checkpoint import Checkpoint  # it imports torch, and reading a card needs none

METADATA = "lane.json"  # the name of the record in the archive, and of the property in the ONNX file
VERSION = 1
NO_CHECKSUM = "0" * 64

# By status number; the names are those of the runtime.
STATUSES = {
    codes.OK: "ok",
    codes.OUTPUT_TOO_LONG: errors.TOO_MANY_ACTIONS,
    codes.EMPTY: errors.EMPTY,
    codes.UNKNOWN_WORD: errors.UNKNOWN_WORD,
    codes.TOO_MANY_WORDS: errors.TOO_MANY_WORDS,
}


def describe(
    checkpoint: "Checkpoint",
    kind: str,
    margin: float | None,
    rules: list[list[Any]],
    provenance: Mapping[str, Any],
) -> dict[str, Any]:
    """All that is needed to use the file and to trust it. `words` and `actions` are numbered from 1 on."""
    config = checkpoint.config
    return {
        "lane": kind,
        "version": VERSION,
        "sha256": NO_CHECKSUM,
        "words": list(checkpoint.source),
        "actions": list(checkpoint.target),
        "statuses": [STATUSES[number] for number in sorted(STATUSES)],
        "limits": {"max_words": config.max_words, "max_actions": config.max_actions},
        "margin": margin,
        "trust": checkpoint.card.get("trust"),
        "config": config.model_dump(),
        "provenance": dict(provenance),
        "rules": rules,
    }


def checksum_of_records(records: Mapping[str, bytes]) -> str:
    """Of all records of an archive but the card itself: names and contents, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(records):
        digest.update(f"{name}\n{len(records[name])}\n".encode())
        digest.update(records[name])
    return digest.hexdigest()


def checksum_around(data: bytes, stated: str) -> str:
    """Of a whole file in which the checksum itself counts as zeros."""
    return hashlib.sha256(data.replace(stated.encode(), NO_CHECKSUM.encode(), 1)).hexdigest()
