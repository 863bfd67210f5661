"""Reads pairs from a file or standard input, line by line, and says where a line is wrong."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO

from lane.base.errors import LaneError
from lane.base.signature import foreign
from lane.data.formats import Format, guess_format, parse_line
from lane.data.pair import Pair

STDIN = "-"
MAX_LINE_BYTES = 65_536
"""The longest line accepted, its end included; bounds memory. SCAN's longest is under 800 bytes."""

_GZIP_MAGIC = b"\x1f\x8b"
_BOM = "\ufeff"
_Stream = IO[bytes] | gzip.GzipFile


class PairReader:
    """Iterates over (line number, pair); afterwards `format` and `blank_lines` describe the file.

    Plain or gzip, by content. Raises LaneError with file, line and reason.
    """

    def __init__(self, path: str | Path, form: Format | None = None) -> None:
        self.path = path
        self.name = "<stdin>" if str(path) == STDIN else str(path)
        self.format = form
        self.blank_lines = 0

    def __iter__(self) -> Iterator[tuple[int, Pair]]:
        self.blank_lines = 0
        pairs = 0
        for number, line in self._lines():
            if not line.strip():
                self.blank_lines += 1
                continue
            yield number, self._parse(number, line)
            pairs += 1
        if not pairs:
            raise LaneError(f"{self.name}: holds no pairs; expected one pair on each line")

    def _parse(self, number: int, line: str) -> Pair:
        try:
            if self.format is None:
                self.format = guess_format(line)
            return parse_line(self.format, line)
        except ValueError as error:
            raise self._error(number, str(error)) from error

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        try:
            with _open(self.path) as stream:
                while raw := stream.readline(MAX_LINE_BYTES + 1):
                    number += 1
                    if number == 1 and (kind := foreign(raw)):
                        raise LaneError(f"{self.name}: {kind}, and no file of pairs")
                    yield number, self._decode(number, raw)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self._error(number + 1, f"the gzip data is damaged or cut short ({error})") from error
        except OSError as error:
            raise LaneError(f"{self.name}: cannot be read ({error.strerror or error})") from error

    def _decode(self, number: int, raw: bytes) -> str:
        if len(raw) > MAX_LINE_BYTES:
            raise self._error(number, f"is longer than {MAX_LINE_BYTES} bytes, the bound for one pair")
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = raw[error.start]
            reason = f"byte {error.start + 1} (0x{byte:02x}) is not UTF-8; save the file as UTF-8"
            raise self._error(number, reason) from error
        return (line.removeprefix(_BOM) if number == 1 else line).rstrip("\r\n")

    def _error(self, number: int, reason: str) -> LaneError:
        return LaneError(f"{self.name}, line {number}: {reason}")


def read_pairs(path: str | Path, form: Format | None = None) -> list[Pair]:
    """All pairs of a file (`-`: standard input), in order, duplicates kept."""
    return [pair for _, pair in PairReader(path, form)]


@contextmanager
def _open(path: str | Path) -> Iterator[_Stream]:
    if str(path) == STDIN:
        if sys.stdin is None:
            raise LaneError("standard input is closed: name a file of pairs")
        with _unpacked(sys.stdin.buffer) as stream:
            yield stream
        return
    with Path(path).open("rb") as file, _unpacked(file) as stream:
        yield stream


@contextmanager
def _unpacked(stream: IO[bytes]) -> Iterator[_Stream]:
    # By content, not by name: standard input has no name.
    if isinstance(stream, BufferedReader) and stream.peek(2)[:2] == _GZIP_MAGIC:
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield unpacked
    else:
        yield stream
