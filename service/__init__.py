"""Models over HTTP: several by name, each reloaded when its file changes."""

from lane.service.application import Application
from lane.service.store import ModelStore

__all__ = ["Application", "ModelStore"]
