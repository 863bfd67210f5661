"""Gets one file by HTTP: resumed after a break, and never under its own name before it is verified."""

import os
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from lane.models.errors import LaneError
from lane.trainer.data.writer import sync_directory

TIMEOUT_SECONDS = 30
MAX_DOWNLOAD_BYTES = 64_000_000
"""More than any file wanted here: a server that never ends is cut off."""

_CHUNK = 65_536
_RANGE_NOT_SATISFIABLE = 416
_PARTIAL_CONTENT = 206


def download(url: str, target: Path, check: Callable[[Path], object]) -> None:
    """Get `url` into `target`; `check` sees the whole file first, and raises LaneError if it is wrong.

    An unfinished transfer stays as `<target>.part`, and the next call goes on from there.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        kept = part.stat().st_size if part.exists() else 0
        _transfer(url, part, kept)
        try:
            check(part)
        except LaneError:
            part.unlink()
            if not kept:
                raise
            # The kept beginning may be that of another file: once more, all of it.
            _transfer(url, part, 0)
            _check_or_remove(part, check)
        part.replace(target)
        sync_directory(target.parent)
    except OSError as error:
        raise LaneError(f"{target}: cannot be written ({error.strerror or error})") from error


def _check_or_remove(part: Path, check: Callable[[Path], object]) -> None:
    try:
        check(part)
    except LaneError:
        part.unlink()
        raise


def _transfer(url: str, part: Path, kept: int) -> None:
    """Append to `part` what follows its first `kept` bytes, or write all of it if the server starts over."""
    headers = {"User-Agent": "lane-data"}
    if kept:
        headers["Range"] = f"bytes={kept}-"
    try:
        with urlopen(Request(url, headers=headers), timeout=TIMEOUT_SECONDS) as response:
            if response.status != _PARTIAL_CONTENT:
                kept = 0
            elif not response.headers.get("Content-Range", "").startswith(f"bytes {kept}-"):
                raise LaneError(f"{url}: the server sent another range than asked for; remove {part}")
            _receive(response, url, part, kept)
    except HTTPError as error:
        error.close()
        if error.code == _RANGE_NOT_SATISFIABLE and kept:
            # Nothing follows what we have: it is whole, or it was never a part of this file. The check tells.
            return
        raise LaneError(f"{url}: the server answered {error.code} {error.reason}") from error
    except (URLError, HTTPException, ConnectionError, TimeoutError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        host = urlsplit(url).netloc
        raise LaneError(f"{url}: cannot get it from {host} ({reason})") from error


def _receive(response: HTTPResponse, url: str, part: Path, kept: int) -> None:
    length = response.headers.get("Content-Length", "")
    expected = kept + int(length) if length.isdecimal() else None
    size = kept
    with part.open("ab" if kept else "wb") as stream:
        try:
            while data := response.read(_CHUNK):
                size += len(data)
                if size > MAX_DOWNLOAD_BYTES:
                    raise LaneError(f"{url}: is longer than {MAX_DOWNLOAD_BYTES} bytes, the bound")
                stream.write(data)
        finally:
            stream.flush()
            os.fsync(stream.fileno())
    # A connection that ends early is no error to the library: only the count tells.
    if expected is not None and size < expected:
        raise LaneError(f"{url}: the connection ended after {size} of {expected} bytes; run again to resume")
