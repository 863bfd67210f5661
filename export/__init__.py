"""Exported files: `export` writes a checkpoint as TorchScript, ONNX and a program, each verified.

The names are loaded when they are first used, so that importing the package does not load torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lane.export.exporter import Export, Written, export
    from lane.export.inspection import FileCard, inspect

__all__ = ["Export", "FileCard", "Written", "export", "inspect"]

_HOMES = {
    "Export": "lane.export.exporter",
    "FileCard": "lane.export.inspection",
    "Written": "lane.export.exporter",
    "export": "lane.export.exporter",
    "inspect": "lane.export.inspection",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
