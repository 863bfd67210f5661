"""Hierarchical reinforcement learning with a curriculum: `train` makes a model from pairs.

The names are loaded when they are first used, so that importing the package does not load torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lane.data.pair import Pair
    from lane.data.reader import read_pairs
    from lane.trainer.api import train
    from lane.trainer.attempt import Report
    from lane.trainer.config import TrainConfig, build_config
    from lane.trainer.result import Result

__all__ = ["Pair", "Report", "Result", "TrainConfig", "build_config", "read_pairs", "train"]

_HOMES = {
    "Pair": "lane.data.pair",
    "Report": "lane.trainer.attempt",
    "Result": "lane.trainer.result",
    "TrainConfig": "lane.trainer.config",
    "build_config": "lane.trainer.config",
    "read_pairs": "lane.data.reader",
    "train": "lane.trainer.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
