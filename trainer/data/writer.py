"""Writes pairs so that a file is either whole or not there."""

import gzip
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lane.models.errors import LaneError
from lane.trainer.data.formats import Format, format_line
from lane.trainer.data.pair import Pair
from lane.trainer.data.task import Task


def write_pairs(path: str | Path, pairs: Iterable[Pair], form: Format = Format.SCAN) -> int:
    """Write one pair a line, compressed when the name ends in .gz; returns how many."""
    path = Path(path)
    count = 0
    with atomic_file(path) as file, _packed(file, path) as stream:
        for pair in pairs:
            try:
                line = format_line(form, pair)
            except ValueError as error:
                raise LaneError(f"{path}: pair {count + 1}: {error}") from error
            stream.write(f"{line}\n".encode())
            count += 1
    return count


def write_task(task: Task, directory: str | Path, form: Format = Format.SCAN) -> list[Path]:
    """Write NAME_train and NAME_test into `directory`, which is made if need be; returns the two paths."""
    folder = make_directory(directory)
    written = []
    for part, pairs in (("train", task.train), ("test", task.test)):
        path = folder / f"{task.name}_{part}{form.suffix}"
        write_pairs(path, pairs, form)
        written.append(path)
    return written


def make_directory(directory: str | Path) -> Path:
    """The directory, made with its parents if need be."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LaneError(f"{folder}: cannot make this directory ({error.strerror or error})") from error
    return folder


ROOM = "free some space or name another place"  # the remedy where a file cannot be written


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the name `path` only when the block ends well; until then the old one stays."""
    # The same directory, because a rename is atomic only within one file system.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        raise LaneError(f"{path}: cannot be written: {error.strerror or error}; {ROOM}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make a rename in `directory` last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _packed(file: IO[bytes], path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    if path.suffix == ".gz":
        # No name and no time inside: the same pairs give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed
    else:
        yield file
