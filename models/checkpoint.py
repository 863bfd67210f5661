"""Checkpoints: one file with everything needed to use a model, or to go on training it.

Only plain values and tensors are stored, so a file loads with `weights_only=True` and cannot run code.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.base.vocabulary import Vocabulary
from lane.models.config import ModelConfig
from lane.models.model import LaneModel

FORMAT = "lane-checkpoint"
VERSION = 1


@dataclass(frozen=True)
class Checkpoint:
    """A model with its vocabulary, its card (provenance, trust) and, while it is trained, its state."""

    config: ModelConfig
    source: Vocabulary
    target: Vocabulary
    weights: dict[str, torch.Tensor]
    card: dict[str, Any] = field(default_factory=dict)  # JSON values only: it travels into every artifact
    training: dict[str, Any] = field(default_factory=dict)  # optimisers, random states, curriculum

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
        "card": checkpoint.card,
        "training": checkpoint.training,
    }
    write_atomically(path, lambda stream: torch.save(content, stream))


def load(path: Path) -> Checkpoint:
    """Read a checkpoint; whatever is wrong with the file is said in one sentence."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise LaneError(f"{path}: no such file; `lane-train --out {path}` makes one") from None
    except IsADirectoryError:
        raise LaneError(f"{path}: is a directory, not a checkpoint") from None
    except OSError as error:
        raise LaneError(f"{path}: cannot be read: {error.strerror or error}") from None
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
            ModelConfig(**content["config"]),
            Vocabulary(content["source"]),
            Vocabulary(content["target"]),
            content["weights"],
            content["card"],
            content["training"],
        )
    except (KeyError, TypeError, ValueError, AttributeError, LaneError) as error:
        raise LaneError(f"{path}: a checkpoint with a part missing or malformed ({error})") from None
