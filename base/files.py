"""Atomic writing: after a kill or on a full disk the old file is unchanged."""

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from lane.base.errors import LaneError, UnwrittenError

REMEDY = "free some space or name another place"


@contextmanager
def atomic_file(path: Path, tidies: bool = True) -> Iterator[IO[bytes]]:
    """A new file that replaces `path` when the block ends without an exception, and only then.

    It also removes what killed writes of `path` have left, unless told that somebody else `tidies` up: it
    looks at the whole directory.
    """
    path = path_of_file(path)
    # The same directory, because a rename is atomic only within one file system.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        if tidies:
            _remove_left(path)
        with ExitStack() as lock:
            while (claimed := _claimed(temporary, lock)) is None:
                pass
            with claimed as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        raise UnwrittenError(f"{path}: cannot be written: {error.strerror or error}; {REMEDY}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _claimed(temporary: Path, lock: ExitStack) -> IO[bytes] | None:
    """A new file, with a lock beyond its closing; None if another process took it for one that was left."""
    stream = temporary.open("xb")
    with suppress(ImportError, OSError):
        import fcntl

        handle = os.dup(stream.fileno())
        lock.callback(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not os.fstat(handle).st_nlink:
            stream.close()
            return None
    return stream


def _remove_left(path: Path) -> None:
    """Remove the temporary files of `path` that no process holds, where there are locks to tell by."""
    named = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.tmp")
    with suppress(ImportError, OSError):
        import fcntl

        for left in [file for file in path.parent.iterdir() if named.fullmatch(file.name)]:
            with suppress(OSError), left.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()


def path_of_file(path: Path) -> Path:
    """Where a file of this name is written: a link is followed.

    A directory, a device or a FIFO is refused: the last two would be replaced by a file.
    """
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.is_file() or not path.exists():
            return path
    except (OSError, RuntimeError) as error:  # a name that is too long, or links in a circle
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise LaneError(f"{path}: cannot be a file: {reason}; name another place") from None
    what = "a directory; name a file in it" if path.is_dir() else "not a regular file; name another"
    raise LaneError(f"{path}: {what}")


def write_atomically(path: Path, data: bytes, tidies: bool = True) -> None:
    """Write the file whole or not at all, as by `atomic_file`; missing directories are created."""
    with suppress(OSError):  # a problem with the place is reported for the file, below
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path, tidies) as stream:
        stream.write(data)


@contextmanager
def temporary_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder that is removed at the end, and with the next one if the process was killed before."""
    with ExitStack() as lock:
        while (folder := _claimed_folder(parent, prefix, lock)) is None:
            pass
        for other in parent.glob(f"{prefix}*"):
            if other != folder and other.is_dir():
                with suppress(LaneError), lock_directory(other, "in use"):
                    shutil.rmtree(other, ignore_errors=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _claimed_folder(parent: Path, prefix: str, lock: ExitStack) -> Path | None:
    """A new folder with a lock; None if another process took it for one that was left."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        lock.enter_context(lock_directory(folder, "in use"))
    except LaneError:
        return None
    return folder if folder.exists() else None


def make_directory(directory: str | Path) -> Path:
    """The directory, created with its parents if missing."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LaneError(f"{folder}: cannot make this directory ({error.strerror or error})") from error
    return folder


@contextmanager
def lock_directory(folder: Path, problem: str) -> Iterator[None]:
    """Keep a directory for this process; LaneError with the problem if another one has it.

    The lock ends with the process, however it ends. Where a system or a file system has none, there is none.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with ExitStack() as stack:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LaneError(f"{folder}: {problem}") from None
        yield


def sync_directory(directory: Path) -> None:
    """Make a rename in `directory` survive a power failure, where the system supports it."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
