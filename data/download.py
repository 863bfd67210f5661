"""Downloads one file by HTTP: resumed after a break, and renamed to its own name only once verified."""

import os
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from lane.base.errors import LaneError, UnwrittenError
from lane.base.files import sync_directory

TIMEOUT_SECONDS = 30  # without a byte: patient with slow servers, and not for ever
MAX_DOWNLOAD_BYTES = 64_000_000
"""Some ten times the largest file: a server that never stops sending is cut off."""

_CHUNK = 65_536  # bytes read at a time; bounds memory
_PARTIAL_CONTENT, _RANGE_NOT_SATISFIABLE = 206, 416  # of HTTP


class DownloadError(LaneError):
    """The source cannot be reached, or lacks the file: another attempt will not help by itself."""


def download(url: str, target: Path, check: Callable[[Path], object]) -> None:
    """Get `url` into `target`; `check` sees the whole file first, and raises LaneError if it is wrong.

    An unfinished transfer stays as `<target>.part`, and the next call goes on from there.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        kept = part.stat().st_size if part.exists() else 0
        resumed = _transfer(url, part, kept)
        # The kept beginning may be damaged or stale, and not every server knows ranges: then all of it.
        if kept and not (resumed and _passes(part, check)):
            _transfer(url, part, 0)
        _check(url, part, check)
        part.replace(target)
        sync_directory(target.parent)
    except OSError as error:
        raise UnwrittenError(f"{target}: cannot be written ({error.strerror or error})") from error


def _passes(part: Path, check: Callable[[Path], object]) -> bool:
    try:
        check(part)
    except LaneError:
        return False
    return True


def _check(url: str, part: Path, check: Callable[[Path], object]) -> None:
    try:
        check(part)
    except LaneError as error:
        part.unlink()  # or it would be resumed for ever
        raise DownloadError(f"{url}: not the file wanted: {error}") from error


def _transfer(url: str, part: Path, kept: int) -> bool:
    """Append to `part` what follows its first `kept` bytes, or write all of it if the server starts over.

    False where the server sends another range than it was asked for.
    """
    headers = {"User-Agent": "lane-data"}
    if kept:
        headers["Range"] = f"bytes={kept}-"
    try:
        with urlopen(Request(url, headers=headers), timeout=TIMEOUT_SECONDS) as response:
            resumed = response.status == _PARTIAL_CONTENT
            if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {kept}-"):
                return False
            _receive(response, url, part, kept if resumed else 0)
    except HTTPError as error:
        error.close()
        # Nothing follows the kept bytes: they are the whole file, or of another one. The check tells.
        if error.code != _RANGE_NOT_SATISFIABLE or not kept:
            raise DownloadError(f"{url}: the server answered {error.code} {error.reason}") from error
    except (URLError, HTTPException, ConnectionError, TimeoutError, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise DownloadError(f"{url}: no connection ({reason})") from error
    return True


def _receive(response: HTTPResponse, url: str, part: Path, kept: int) -> None:
    length = response.headers.get("Content-Length", "")
    expected = kept + int(length) if length.isdecimal() else None
    size = kept
    with part.open("ab" if kept else "wb") as stream:
        for data in _chunks(response, url):
            size += len(data)
            if size > MAX_DOWNLOAD_BYTES:
                part.unlink()
                raise DownloadError(f"{url}: is longer than {MAX_DOWNLOAD_BYTES} bytes, the bound")
            stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    # http.client reports no error for a connection that ends early: only the count tells.
    if expected is not None and size < expected:
        raise LaneError(f"{url}: the connection ended after {size} of {expected} bytes; run again to resume")


def _chunks(response: HTTPResponse, url: str) -> Iterator[bytes]:
    try:
        while data := response.read(_CHUNK):
            yield data
    except (OSError, HTTPException) as error:
        raise LaneError(f"{url}: the connection broke ({error}); run again to resume") from error
