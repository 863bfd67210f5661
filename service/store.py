"""The models of a service by name, each reloaded when its file changes, and the lists of their slots."""

import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from lane.base.errors import LaneError
from lane.base.placeholder import placeholder
from lane.base.suggestion import did_you_mean
from lane.runtime import Translator, load
from lane.runtime.entries import never_heard, read_entries
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
    """A model under a name, whose file and lists may be replaced while it answers.

    A request takes `translator` once and keeps it to its end: a reload puts another one in its place and
    touches nothing of the old one, which is freed with the last request that has it.
    """

    def __init__(self, name: str, path: str | Path, trust: Trust, lenient: bool) -> None:
        self.name = name
        self.path = Path(path)
        self._problem: str | None = None
        self._list_problems: dict[str, str] = {}
        self._lists: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()
        self._trust = trust
        self._lenient = lenient
        self._stamp = _stamp(self.path)  # before the file is read: a change in between is then seen later
        self.translator = self._load()

    def _load(self) -> Translator:
        translator = load(self.path, trust=self._trust, lenient=self._lenient)
        for slot in translator.info.schemes.slots:
            if slot in self._lists:
                translator.set_list(slot, self._lists[slot])
        return translator

    @property
    def problem(self) -> str | None:
        """Why its file or a list, as it is now, cannot be used; what was loaded before goes on."""
        slots = self.translator.info.schemes.slots
        of_lists = (self._list_problems[slot] for slot in slots if slot in self._list_problems)
        return self._problem or next(of_lists, None)

    def has_slot(self, name: str) -> bool:
        """Whether the model has a slot of this name."""
        return name in self.translator.info.schemes.slots

    def set_list(self, name: str, entries: Iterable[str]) -> tuple[str, ...]:
        """As `Translator.set_list`; the list is given again when the file is reloaded."""
        given = entries if isinstance(entries, str | bytes) else tuple(entries)
        with self._lock:
            idle = self.translator.set_list(name, given)
            self._lists[name] = tuple(given)
            self._list_problems.pop(name, None)
        return idle

    def keep_list(self, name: str, entries: Sequence[str]) -> tuple[str, ...]:
        """The same for a model that may lack the slot, and get it with its next file."""
        if self.has_slot(name):
            return self.set_list(name, entries)
        self._lists[name] = tuple(entries)
        return ()

    def refuse_list(self, name: str, problem: str) -> None:
        """The new list of a slot cannot be used, and the old one goes on."""
        self._list_problems[name] = problem

    def refresh(self) -> str | None:
        """Load the file again if it has changed; gives a line to tell about it."""
        stamp = _stamp(self.path)
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        try:
            with self._lock:
                self.translator = self._load()
        except Exception as error:  # whatever it is, it must not end the watch over all files
            self._problem = str(error) or type(error).__name__
            return f"{self.name}: the old model goes on answering; its new file failed: {self._problem}"
        self._problem = None
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


class _ListFile:
    """The file of a slot's entries, for every model that has the slot."""

    def __init__(self, slot: str, path: str | Path) -> None:
        self.slot, self.path = slot, Path(path)
        self._stamp = _stamp(self.path)

    def give(self, models: Iterable[ServedModel]) -> list[str]:
        """Give the entries to the models; gives lines to tell. LaneError if they cannot be used."""
        entries = read_entries(self.path)
        idle: tuple[str, ...] = ()
        for model in models:
            try:
                idle = max(idle, model.keep_list(self.slot, entries), key=len)
            except ValueError as error:
                raise LaneError(f"{self.path}: {error}") from None
        return [f"warning: {never_heard(self.path, idle)}"] if idle else []

    def refresh(self, models: Collection[ServedModel]) -> list[str]:
        """Read the file again if it has changed; gives lines to tell."""
        stamp = _stamp(self.path)
        if stamp == self._stamp:
            return []
        self._stamp = stamp
        try:
            lines = self.give(models)
        except Exception as error:  # as above
            problem = str(error) or type(error).__name__
            for model in models:
                model.refuse_list(self.slot, problem)
            return [f"{placeholder(self.slot)}: the old list goes on; its new file failed: {problem}"]
        return [f"{placeholder(self.slot)}: loaded {self.path}", *lines]


class ModelStore:
    """Models by name. In a `with` block it watches their files; what happens is told a line at a time.

    `lists` has a file of entries for slots, by name: for every model that has the slot.
    """

    def __init__(
        self,
        files: Mapping[str, str | Path],
        tell: Tell,
        trust: Trust = False,
        lenient: bool = False,
        lists: Mapping[str, str | Path] | None = None,
    ) -> None:
        self.models = {name: ServedModel(name, path, trust, lenient) for name, path in files.items()}
        self._lists = [_ListFile(slot, path) for slot, path in (lists or {}).items()]
        slots = {slot for model in self.models.values() for slot in model.translator.info.schemes.slots}
        for file in self._lists:
            if file.slot not in slots:
                hint = did_you_mean(file.slot, slots)
                raise LaneError(f"{file.path}: no model has the slot {placeholder(file.slot)}{hint}")
            for line in file.give(self.models.values()):
                tell(line)
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
        for file in self._lists:
            for line in file.refresh(self.models.values()):
                self._tell(line)
        for model in self.models.values():
            if (news := model.refresh()) is not None:
                self._tell(news)

    def _watch_files(self) -> None:
        while not self._closed.wait(INTERVAL):
            self.refresh()

    def __enter__(self) -> "ModelStore":
        self._watch.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closed.set()
        self._watch.join()
