"""Reading a model file: once, within its bound, and only the one that was meant."""

import hashlib
import os
import threading

import pytest

from lane.runtime import ModelError
from lane.runtime.model_file import ModelFile, checked, read


def test_the_bound_depends_on_the_first_bytes(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"x" * 100)
    starts = []

    def limit(start):
        starts.append(start)
        return 100

    file = read(path, limit, False)
    assert starts == [b"x" * 64]
    assert (file.path, file.data, file.sha256) == (path, b"x" * 100, hashlib.sha256(b"x" * 100).hexdigest())
    with pytest.raises(ModelError, match="model: is larger than 99 bytes"):
        read(path, lambda start: 99, False)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65])
def test_small_files_are_read_whole(tmp_path, size):
    (tmp_path / "model").write_bytes(bytes(size))
    assert read(tmp_path / "model", lambda start: 65, False).data == bytes(size)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs an endless file")  # noqa: PTH110
def test_an_endless_file_is_not_read_to_its_end():
    from pathlib import Path

    with pytest.raises(ModelError, match="/dev/zero: is larger than 1000 bytes"):
        read(Path("/dev/zero"), lambda start: 1000, False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(b"y" * 200_000))
    writer.start()
    assert read(tmp_path / "pipe", lambda start: 10**6, False).data == b"y" * 200_000
    writer.join()


def test_a_checksum_is_compared(tmp_path):
    (tmp_path / "model").write_bytes(b"x")
    digest = hashlib.sha256(b"x").hexdigest()
    assert read(tmp_path / "model", lambda start: 9, digest).trust == digest
    with pytest.raises(ModelError, match="SHA-256 is not the one given as trust"):
        read(tmp_path / "model", lambda start: 9, "0" * 64)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ModelError, match=f"^{path}: "):
            read(path, lambda start: 9, False)


def test_trust_has_a_meaning_or_is_refused():
    assert [checked(trust) for trust in (True, False, "AB" * 32)] == [True, False, "ab" * 32]
    for trust in ("", "yes", "ab" * 31, 1, None, b"ab" * 32):
        with pytest.raises(ValueError, match="must be True, False or a SHA-256"):
            checked(trust)


def test_code_needs_trust():
    with pytest.raises(ModelError, match="m: a TorchScript archive is code"):
        ModelFile("m", b"", False).require_trust()
    for trust in (True, "ab" * 32):
        ModelFile("m", b"", trust).require_trust()
