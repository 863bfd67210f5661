"""Files are written whole or not at all, whatever happens in between."""

import errno
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lane.base.errors import LaneError, UnwrittenError
from lane.base.files import (
    atomic_file,
    lock_directory,
    make_directory,
    path_of_file,
    temporary_folder,
    write_atomically,
)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    return tmp_path / "file"


def test_the_new_content_takes_the_name(path):
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_missing_directories_are_made(tmp_path):
    write_atomically(tmp_path / "a" / "b" / "file", b"new")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"new"


def test_the_name_keeps_the_old_content_until_the_block_ends(path):
    with atomic_file(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), LaneError),
        (ValueError("a mistake of the caller"), ValueError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_block_that_fails_leaves_the_old_content(path, error, raised):
    def write_some():
        with atomic_file(path) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(raised):
        write_some()
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from lane.base.files import atomic_file
with atomic_file(Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    if sys.argv[2:]:
        print(flush=True)
        input()
    else:
        os.kill(os.getpid(), signal.SIGKILL)
"""
needs_locks = pytest.mark.skipif(importlib.util.find_spec("fcntl") is None, reason="needs locks of files")


@needs_locks
def test_what_a_killed_write_left_goes_with_the_next_one(path):
    """Otherwise every kill in the middle of a write would fill the disk a little more."""
    subprocess.run([sys.executable, "-c", INTERRUPTED, str(path)], check=False)
    assert len(list(path.parent.iterdir())) == 2
    assert path.read_bytes() == b"old"
    other = path.with_name(".file.of-the-user.tmp")
    other.touch()
    write_atomically(path, b"new")
    assert sorted(path.parent.iterdir()) == [other, path]
    subprocess.run([sys.executable, "-c", INTERRUPTED, str(path)], check=False)
    write_atomically(path, b"newer", tidies=False)
    assert len(list(path.parent.iterdir())) == 3


@needs_locks
def test_a_write_in_progress_is_not_taken_for_one_that_was_left(path):
    command = [sys.executable, "-c", INTERRUPTED, str(path), "wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        write_atomically(path, b"new")
        assert path.read_bytes() == b"new"
        other.communicate(b"\n")
    assert other.returncode == 0
    assert path.read_bytes() == b"half"
    assert list(path.parent.iterdir()) == [path]


@needs_locks
def test_a_file_that_was_removed_before_it_was_locked_is_made_again(path, monkeypatch):
    import fcntl

    real, calls = fcntl.flock, []

    def too_late(handle, kind):
        calls.append(kind)
        if len(calls) == 1:
            next(path.parent.glob(".file.*.tmp")).unlink()
        real(handle, kind)

    monkeypatch.setattr(fcntl, "flock", too_late)
    write_atomically(path, b"new")
    assert len(calls) == 2
    assert path.read_bytes() == b"new"


@needs_locks
def test_a_temporary_folder_goes_at_the_end_or_with_the_next_one(tmp_path):
    with temporary_folder(tmp_path, ".work-") as mine:
        (mine / "file").touch()
        left = tmp_path / ".work-left"
        left.mkdir()
        with temporary_folder(tmp_path, ".work-") as other:
            assert (mine / "file").exists(), "in use"
            assert not left.exists()
        assert not other.exists()
    assert list(tmp_path.iterdir()) == []


@needs_locks
def test_a_folder_that_was_removed_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    import fcntl

    real, calls = fcntl.flock, []

    def too_late(handle, kind):
        calls.append(kind)
        if len(calls) == 1:
            next(tmp_path.iterdir()).rmdir()
        real(handle, kind)

    monkeypatch.setattr(fcntl, "flock", too_late)
    with temporary_folder(tmp_path, ".work-") as folder:
        assert folder.is_dir()
    assert len(calls) == 2


def test_a_failed_write_names_the_file_the_reason_and_the_remedy(path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LaneError, match=r"file: cannot be written: No space left on device; free some space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(tmp_path, monkeypatch):
    """The file is real, and every byte that reaches it fails as on a full disk."""
    real = Path.open

    def on_a_full_disk(path: Path, mode: str = "r", **options):
        if mode != "xb":
            return real(path, mode, **options)
        path.touch()
        return real(Path("/dev/full"), "wb")

    monkeypatch.setattr(Path, "open", on_a_full_disk)
    with pytest.raises(UnwrittenError, match="cannot be written"):
        write_atomically(tmp_path / "file", b"x" * 100_000)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LaneError, match=r"file/model.pt: cannot be written: .*; .* name another place"):
        write_atomically(tmp_path / "file" / "model.pt", b"x")
    with pytest.raises(LaneError, match="cannot make this directory"):
        make_directory(tmp_path / "file" / "folder")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_the_right_to_write(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(LaneError, match="Permission denied"):
            write_atomically(tmp_path / "model.pt", b"x")
    finally:
        tmp_path.chmod(0o700)


def test_directories_are_made_with_their_parents(tmp_path):
    assert make_directory(tmp_path / "a" / "b").is_dir()
    assert make_directory(str(tmp_path / "a" / "b")) == tmp_path / "a" / "b"


KILLED = """
import os, signal, sys
from pathlib import Path
from lane.base.files import atomic_file

with atomic_file(Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_killed_while_writing_leaves_the_old_content(path):
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == -9
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_the_umask_decides_who_may_read(tmp_path):
    old = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", b"new")
    finally:
        os.umask(old)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")
def test_what_is_no_file_is_not_replaced(tmp_path):
    """As root, `--out /dev/null` would replace the device."""
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(LaneError, match=r"fifo: not a regular file; name another"):
        write_atomically(tmp_path / "fifo", b"new")
    assert (tmp_path / "fifo").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["fifo"]


def test_a_directory_and_impossible_names_are_refused(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for path, reason in (
        (tmp_path, "a directory; name a file in it"),
        (Path(), "a directory; name a file in it"),
        (tmp_path / ("x" * 300), "cannot be a file|cannot be written"),
    ):
        with pytest.raises(LaneError, match=reason):
            write_atomically(path, b"new")
    with pytest.raises(LaneError, match="circle"):
        path_of_file(tmp_path / "circle")
    assert [path.name for path in tmp_path.iterdir()] == ["circle"]


def test_a_directory_is_locked_for_one_process(tmp_path):
    taken = pytest.raises(LaneError, match="is taken")
    with lock_directory(tmp_path, "is taken"), taken, lock_directory(tmp_path, "is taken"):
        pass
    with lock_directory(tmp_path, "is taken"), lock_directory(tmp_path / "missing", "is taken"):
        pass


def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(path)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
