"""A model file, read once: the bytes whose checksum is verified are the bytes that are loaded."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from lane.runtime.errors import ModelError

Trust: TypeAlias = bool | str
"""True, False, or the SHA-256 that the file must have."""

BUNDLED = Path(__file__).parent / "bundled" / "scan.lane.gz"
"""A program for SCAN, and the only file that is compressed: it would be a seventh of the installation."""
_START = 64  # bytes that identify the kind of a file
_SHA256 = re.compile("[0-9a-f]{64}")
_NO_TRUST = (
    "a TorchScript archive is code, and using it runs that code, so it is opened only with trust. "
    "If you made the file: trust=True (lane-run --trust yes). If somebody gave it to you: ask them, and not "
    "the file, for the SHA-256 that lane-export printed when it was made, and give that as trust "
    "(lane-run --trust SHA256): then exactly this file is opened, or none. `lane-export info` shows what the "
    "file says of itself without running it. Program and ONNX files are data and need no trust"
)


@dataclass(frozen=True)
class ModelFile:
    """The bytes of a model and where they came from."""

    path: Path
    data: bytes = field(repr=False)
    trust: Trust = False

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the whole file, as `lane-export` and `sha256sum` print it."""
        return hashlib.sha256(self.data).hexdigest()

    def error(self, problem: str) -> ModelError:
        """An error that names the file."""
        return ModelError(f"{self.path}: {problem}")

    def require_trust(self) -> None:
        """Refuse a file that is code unless the user trusts it; a wrong SHA-256 was refused already."""
        if not self.trust:
            raise self.error(_NO_TRUST)


def read(path: Path, limit_of: Callable[[bytes], int], trust: Trust) -> ModelFile:
    """Read a file of at most `limit_of(its first bytes)` bytes; a SHA-256 in `trust` is verified."""
    try:
        with _open(path) as stream:  # once, since a pipe can be read only once
            start = stream.read(_START)
            limit = limit_of(start)
            data = start + stream.read(limit + 1 - len(start))
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    file = ModelFile(path, data, trust)
    if len(data) > limit:
        raise file.error(f"is larger than {limit} bytes, which no file of lane-export is")
    if isinstance(trust, str) and file.sha256 != trust:
        raise file.error(
            "its SHA-256 is not the one given as trust: it is another file, or it was changed on the way; "
            "get it again from where the SHA-256 came from"
        )
    return file


def _open(path: Path) -> BinaryIO:
    if path != BUNDLED:
        return path.open("rb")
    import gzip  # files of users do not need it

    return cast(BinaryIO, gzip.open(path))


def checked(trust: object) -> Trust:
    """A valid `trust`, a SHA-256 in lower case; ValueError otherwise."""
    if isinstance(trust, bool):
        return trust
    if isinstance(trust, str) and _SHA256.fullmatch(trust.lower()):
        return trust.lower()
    raise ValueError(f"trust is {trust!r}; it must be True, False or a SHA-256 of 64 hexadecimal digits")
