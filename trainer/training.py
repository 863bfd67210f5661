"""A training run: what all its candidates share, and its directory, from which it can be resumed."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError, UnwrittenError
from lane.base.files import lock_directory
from lane.base.record import read_record, write_record
from lane.trainer.attempt import Report
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction import Induced
from lane.trainer.induction.reading import Reading

DISTRIBUTION = "lane-expressions"
OnReport = Callable[[Report], object]
Halted = Callable[[], bool]


@dataclass(frozen=True)
class Run:
    """Data, settings and places of a training; it is sent to the worker processes."""

    dataset: Dataset
    config: TrainConfig
    seed: int
    device: str
    folder: Path
    induced: Induced | None = None  # rules that were read off the pairs

    def reading(self) -> Reading | None:
        """How the rules that were read off derive the pairs."""
        return Reading(self.dataset, self.induced.lexicon, self.induced.rules) if self.induced else None

    def state_path(self, number: int) -> Path:
        """Where a candidate keeps its state."""
        return self.folder / f"candidate-{number}.pt"

    def prepare(self, checksum: str, resume: bool) -> None:
        """Make the folder with a note on the run; a run to resume must have the same note."""
        path = self.folder / "run.json"
        note = {
            "data": checksum,
            "config": self.config.model_dump(mode="json"),
            "seed": self.seed,
            "version": version(DISTRIBUTION),
        }
        if resume:
            _compare(path, note)
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
        check_writable(self.folder)
        if resume:
            return
        self.clear()
        (self.folder / "metrics.jsonl").unlink(missing_ok=True)
        write_record(path, note)

    def clear(self) -> None:
        """Remove the states of the candidates, and the temporary files of writes that were killed."""
        for old in [*self.folder.glob("candidate-*.pt"), *self.folder.glob(".candidate-*.tmp")]:
            old.unlink()


@contextmanager
def locked(folder: Path, create: bool) -> Iterator[None]:
    """Refuse a directory that another training uses."""
    with suppress(OSError):  # a problem with the place is reported by `prepare`
        if create:
            folder.mkdir(parents=True, exist_ok=True)
    with lock_directory(folder, "another training runs in this directory; wait for it, or name another"):
        yield


def check_writable(folder: Path) -> None:
    """Find out before the training, which may take hours."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise LaneError(f"{folder}: cannot be written; name another place for the model and its run")


def _compare(path: Path, note: dict[str, Any]) -> None:
    if not path.exists():
        raise LaneError(f"{path}: no such file: there is no run to resume; start without resume")
    try:
        kept = read_record(path)
    except LaneError as error:
        raise LaneError(f"{error}; start again without resume") from None
    for key, what in (("data", "pairs"), ("config", "settings"), ("seed", "seed")):
        if kept.get(key) != note[key]:
            raise LaneError(
                f"{path}: the run to resume had other {what}; give the same, or start without resume"
            )


class Journal:
    """Writes every report to the metrics file and passes it on; messages are only passed on."""

    def __init__(self, path: Path, on_report: OnReport | None) -> None:
        self._path, self._on_report = path, on_report or (lambda report: None)
        self._last = Report()

    def report(self, report: Report) -> None:
        """A candidate has been evaluated."""
        self._last = report
        record = {key: value for key, value in asdict(report).items() if key != "message"}
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(record) + "\n")
        except OSError as error:
            raise UnwrittenError(
                f"{self._path}: cannot be written: {error.strerror}; free some space and resume the run"
            ) from None
        self._on_report(report)

    def say(self, text: str) -> None:
        """A message, with the numbers of the last report."""
        self._on_report(replace(self._last, message=text))
