"""Atomic writing: after a kill or on a full disk the old file is unchanged."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lane.base.errors import LaneError

REMEDY = "free some space or name another place"


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file that replaces `path` when the block ends without an exception, and only then.

    A link is followed. A device or a FIFO is refused: it would be replaced by a file.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file() and not path.is_dir():
        raise LaneError(f"{path}: not a regular file; name another")
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
        raise LaneError(f"{path}: cannot be written: {error.strerror or error}; {REMEDY}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write the file whole or not at all; missing directories are created."""
    with suppress(OSError):  # a problem with the place is reported for the file, below
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as stream:
        stream.write(data)


def make_directory(directory: str | Path) -> Path:
    """The directory, created with its parents if missing."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LaneError(f"{folder}: cannot make this directory ({error.strerror or error})") from error
    return folder


def sync_directory(directory: Path) -> None:
    """Make a rename in `directory` survive a power failure, where the system supports it."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
