"""Reads lines in batches, and keeps the answers of `lane-run` in order."""

import os
import select
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, Protocol

from lane.base.errors import LaneError
from lane.base.signature import foreign

MAX_LINE_BYTES = 16 * 2**20
CHUNK_BYTES = 2**18
PIPE_BYTES = 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive lines of one input."""

    source: str
    first: int
    """The number of the first line, counted from 1."""
    block: bytes
    """The lines, joined by newlines: cheap to send to another process."""


@dataclass(slots=True)
class Answer:
    """The output for a batch, or for a part of it."""

    output: bytes
    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    """Lines under "lines", and failures by their code."""
    stop: bool = False


def read_batches(source: str, file: BinaryIO, size: int, before_wait: Callable[[], None]) -> Iterator[Batch]:
    """The lines of an unbuffered file as they arrive, at most `size` at a time.

    `before_wait` is called before a read that blocks, to answer the lines that have arrived: a person or a
    program at the other end of a pipe gets each answer at once, and a busy pipe is read in large chunks.
    """
    chunks = iter(lambda: _read(source, file, before_wait), b"")
    first = next(chunks, b"")
    if kind := foreign(first):
        raise LaneError(
            f"{source}: {kind}, and no lines of commands; to translate with a model: --model FILE"
        )
    return split_batches(source, chain([first], chunks), size)


def split_batches(source: str, chunks: Iterator[bytes], size: int, number: int = 1) -> Iterator[Batch]:
    """The lines of an input, of which the chunks begin with line `number`."""
    begun = _BegunLine()
    if number == 1:
        chunks = chain([next(chunks, b"").removeprefix(_BYTE_ORDER_MARK)], chunks)
    for chunk in chunks:
        first, end = chunk.find(b"\n"), chunk.rfind(b"\n")
        if first >= 0:
            begun.add(chunk[:first])
            block = b"".join([begun.take(), memoryview(chunk)[first:end]])
            lines = block.count(b"\n") + 1
            yield from (
                _batches(source, number, block, size) if lines > size else [Batch(source, number, block)]
            )
            number += lines
        begun.add(chunk[end + 1 :])
    if begun.length:
        yield Batch(source, number, begun.take())


def _batches(source: str, number: int, block: bytes, size: int) -> Iterator[Batch]:
    lines = block.split(b"\n")
    for start in range(0, len(lines), size):
        yield Batch(source, number + start, b"\n".join(lines[start : start + size]))


class _BegunLine:
    """A line without its end so far; of a line too long, only enough is kept to detect it."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.length = 0

    def add(self, piece: bytes) -> None:
        if piece and self.length <= MAX_LINE_BYTES:
            self.pieces.append(piece)
            self.length += len(piece)

    def take(self) -> bytes:
        line = b"".join(self.pieces)
        self.pieces, self.length = [], 0
        return line


def _read(source: str, file: BinaryIO, before_wait: Callable[[], None]) -> bytes:
    try:
        waiting = not select.select([file], [], [], 0)[0]
    except (OSError, ValueError):  # not supported for every kind of file on every system
        waiting = True
    if waiting:
        before_wait()
    while True:
        try:
            return os.read(file.fileno(), CHUNK_BYTES)
        except BlockingIOError:  # made non-blocking by another process
            select.select([file], [], [])
        except OSError as error:
            problem = f"{source}: {error.strerror or error}; the output ends with what was read before"
            raise StreamError(problem) from None


def widen_pipe(number: int) -> None:
    """Enlarge the buffer of a pipe, where the system allows it."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        fcntl(number, F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, OSError):  # no Linux, no pipe, or too many of them
        pass


class StreamError(Exception):
    """Reading or writing failed: the output is not complete."""


class WorkerError(StreamError):
    """A worker process died, by a signal or because memory ran out."""


class Engine(Protocol):
    """Answers batches, here or in other processes."""

    def submit(self, batch: Batch) -> Iterator[Answer]:
        """The answers to a batch, in parts of bounded size; other processes begin with it at once."""


def answer_all(
    inputs: Iterable[tuple[str, BinaryIO]],
    engine: Engine,
    write: Callable[[Answer], None],
    batch_size: int,
    ahead: int = 0,
) -> None:
    """Write the answers to all lines in order; at most `ahead` batches are in progress at a time."""
    pending: deque[Iterator[Answer]] = deque()

    def drain(bound: int = 0) -> None:
        while len(pending) > bound:
            for answer in pending.popleft():
                write(answer)

    for source, file in inputs:
        for batch in read_batches(source, file, batch_size, before_wait=drain):
            pending.append(engine.submit(batch))
            drain(ahead)
    drain()
