"""The card inside every network file: one JSON object, the same for the TorchScript archive and ONNX."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lane.models import symbols
from lane.runtime import errors
from lane.runtime import network_card as cards

if TYPE_CHECKING:
    from lane.models.checkpoint import Checkpoint  # it imports torch, and reading a card needs none

NO_CHECKSUM = "0" * 64

# By status number; the names are those of the runtime.
STATUSES = {
    symbols.OK: "ok",
    symbols.OUTPUT_TOO_LONG: errors.TOO_MANY_ACTIONS,
    symbols.EMPTY: errors.EMPTY,
    symbols.UNKNOWN_WORD: errors.UNKNOWN_WORD,
    symbols.TOO_MANY_WORDS: errors.TOO_MANY_WORDS,
    symbols.NOT_LEARNED: errors.NOT_LEARNED,
}


def describe(
    checkpoint: "Checkpoint",
    kind: str,
    margin: float | None,
    rules: list[list[Any]],
    provenance: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything needed to use and to judge the file; `words` and `actions` are numbered from 1."""
    config, schemes = checkpoint.config, checkpoint.card.schemes
    # The last one only where the model can refuse: readers go by that.
    statuses = [STATUSES[number] for number in sorted(STATUSES)]
    if checkpoint.learned is None:
        statuses.remove(errors.NOT_LEARNED)
    return {
        "lane": kind,
        "version": cards.VERSION,
        "schemes": schemes.stated(),
        "sha256": NO_CHECKSUM,
        "words": list(checkpoint.source),
        "actions": list(checkpoint.target),
        "statuses": statuses,
        "limits": {"max_words": config.max_words, "max_actions": config.max_actions},
        "margin": margin,
        "trust": checkpoint.card.agreement,
        "config": config.model_dump(),
        "provenance": dict(provenance),
        "rules": rules,
    }
