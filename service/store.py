"""The models of a service by name, each reloaded when its file changes."""

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from lane.base.errors import LaneError
from lane.base.suggestion import did_you_mean
from lane.runtime import Translator, load
from lane.runtime.model_file import BUNDLED, Trust
from lane.service.errors import RefusedError

INTERVAL = 1.0  # seconds between two looks at the files
_NAME = re.compile(r"[A-Za-z0-9._-]+")

Tell: TypeAlias = Callable[[str], None]


def read_names(arguments: Iterable[str]) -> dict[str, Path]:
    """Files by name: `NAME=FILE`, or `FILE` for that of the file; without any, the bundled model."""
    files: dict[str, Path] = {}
    for argument in arguments or [str(BUNDLED)]:
        name, equals, file = argument.partition("=")
        if not equals or "/" in name:
            file = argument
            name = Path(file).name.partition(".")[0]
        if not _NAME.fullmatch(name):
            raise LaneError(f"{argument}: name the model by letters, digits, '.', '-' and '_': NAME=FILE")
        if name in files:
            raise LaneError(f"{argument}: there is another model {name!r}; name one of them: NAME=FILE")
        files[name] = Path(file)
    return files


class ServedModel:
    """A model under a name, whose file may be replaced while it answers.

    A request takes `translator` once and keeps it to its end: a reload puts another one in its place and
    touches nothing of the old one, which is freed with the last request that has it.
    """

    def __init__(self, name: str, path: str | Path, trust: Trust, lenient: bool) -> None:
        self.name = name
        self.path = Path(path)
        self.problem: str | None = None
        """Why the file, as it is now, cannot be used; the model that was loaded before goes on."""
        self._trust = trust
        self._lenient = lenient
        self._stamp = _stamp(self.path)  # before the file is read: a change in between is then seen later
        self.translator = self._load()

    def _load(self) -> Translator:
        return load(self.path, trust=self._trust, lenient=self._lenient)

    def refresh(self) -> str | None:
        """Load the file again if it has changed; gives a line to tell about it."""
        stamp = _stamp(self.path)
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        try:
            self.translator = self._load()
        except Exception as error:  # whatever it is, it must not end the watch over all files
            self.problem = str(error) or type(error).__name__
            return f"{self.name}: the old model goes on answering; its new file failed: {self.problem}"
        self.problem = None
        info = self.translator.info
        warning = "; its training has not converged" if info.converged is False else ""
        return f"{self.name}: loaded {self.path}, SHA-256 {info.file_sha256}{warning}"


def _stamp(path: Path) -> tuple[int, ...] | None:
    """What changes with a file, whether it is replaced or written over."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class ModelStore:
    """Models by name. In a `with` block it watches their files; what happens is told a line at a time."""

    def __init__(
        self, files: Mapping[str, str | Path], tell: Tell, trust: Trust = False, lenient: bool = False
    ) -> None:
        self.models = {name: ServedModel(name, path, trust, lenient) for name, path in files.items()}
        self._tell = tell
        self._closed = threading.Event()
        self._watch = threading.Thread(target=self._watch_files, name="lane-reload", daemon=True)

    def find(self, name: str | None) -> ServedModel:
        """The model of this name; without a name, the first one."""
        if name is None:
            return next(iter(self.models.values()))
        if name not in self.models:
            raise RefusedError(
                "unknown-model", f"there is no model {name!r}{did_you_mean(name, self.models)}"
            )
        return self.models[name]

    def refresh(self) -> None:
        """Load the files that have changed."""
        for model in self.models.values():
            if (line := model.refresh()) is not None:
                self._tell(line)

    def _watch_files(self) -> None:
        while not self._closed.wait(INTERVAL):
            self.refresh()

    def __enter__(self) -> "ModelStore":
        self._watch.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closed.set()
        self._watch.join()
