"""Reading lines in batches, and writing their answers in order."""

import errno
import io
import os
import threading
from concurrent.futures import Future
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.cli import lines
from lane.cli.lines import Answer, StreamError, answer_all, read_batches


class Chunks:
    """A file that gives its bytes in these pieces."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def fileno(self):
        return -1

    def read(self, _number, _size):
        if not self.pieces:
            return b""
        piece = self.pieces.pop(0)
        if isinstance(piece, OSError):
            raise piece
        return piece


@pytest.fixture
def batches(monkeypatch):
    def call(*pieces, size=8192):
        file = Chunks(*pieces)
        monkeypatch.setattr(lines.os, "read", file.read)
        monkeypatch.setattr(lines.select, "select", lambda *_: ([], [], []))
        return list(read_batches("in", file, size, lambda: None))

    return call


def texts(made):
    return [line for batch in made for line in batch.block.split(b"\n")]


def numbered(made):
    return [(batch.first + place) for batch in made for place, _ in enumerate(batch.block.split(b"\n"))]


@settings(max_examples=300, deadline=None)
@given(
    content=st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"")), max_size=12),
    cuts=st.lists(st.integers(0, 60), max_size=8),
    size=st.integers(1, 5),
    last=st.booleans(),
)
def test_every_line_once_and_in_order_whatever_the_chunks(content, cuts, size, last):
    data = b"".join(line + b"\n" for line in content)
    if last and data:
        data, content = data[:-1], content if content[-1] else content[:-1]
    places = sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)})
    pieces = [data[start:stop] for start, stop in pairwise(places)]
    with pytest.MonkeyPatch.context() as patch:
        file = Chunks(*pieces)
        patch.setattr(lines.os, "read", file.read)
        patch.setattr(lines.select, "select", lambda *_: ([], [], []))
        made = list(read_batches("in", file, size, lambda: None))
    bare = [line.removeprefix(b"\xef\xbb\xbf") if not place else line for place, line in enumerate(content)]
    assert texts(made) in (content, bare)
    assert numbered(made) == list(range(1, len(content) + 1))
    assert all(batch.block.count(b"\n") < size for batch in made)


def test_a_line_too_long_is_not_kept(batches, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 10)
    made = batches(b"a\n", *[b"x" * 8] * 1000, b"\nb\n")
    assert [len(line) for line in texts(made)] == [1, 16, 1], "one byte too many is enough to tell"


def test_a_byte_order_mark_is_removed_at_the_start_only(batches):
    assert texts(batches(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")) == [b"a", b"\xef\xbb\xbfb"]


def test_input_that_does_not_block_is_waited_for(batches):
    assert texts(batches(b"a\n", BlockingIOError(errno.EAGAIN, "again"), b"b")) == [b"a", b"b"]


def test_a_failure_of_reading_is_named(batches):
    with pytest.raises(
        StreamError, match="in: Input/output error; the output ends with what was read before"
    ):
        batches(b"a\n", OSError(errno.EIO, os.strerror(errno.EIO)))


def test_answers_are_written_before_more_is_waited_for():
    reader, writer = os.pipe()
    written, seen = [], threading.Event()

    def write(answer):
        written.append(answer.output)
        seen.set()

    class Echo:
        def submit(self, batch):
            yield Answer(batch.block)

    with os.fdopen(reader, "rb", buffering=0) as file:
        thread = threading.Thread(target=answer_all, args=([("in", file)], Echo(), write, 10, 5))
        thread.start()
        for line in (b"one", b"two"):
            seen.clear()
            os.write(writer, line + b"\n")
            assert seen.wait(30)
            assert written[-1] == line
        os.close(writer)
        thread.join(30)
    assert written == [b"one", b"two"]


def test_at_most_so_many_batches_are_under_way():
    begun, written = [], []

    class Later:
        def submit(self, batch):
            future = Future()
            begun.append(batch.first)
            assert len(begun) - len(written) <= 4
            future.set_result(Answer(batch.block))
            return (one.result() for one in [future])

    content = b"".join(b"%d\n" % number for number in range(50))
    path_file = io.FileIO(os.memfd_create("lines"), "r+") if hasattr(os, "memfd_create") else None
    if path_file is None:
        pytest.skip("needs a file in memory")
    with path_file as file:
        file.write(content)
        file.seek(0)
        answer_all([("in", file)], Later(), lambda answer: written.append(answer.output), 1, ahead=3)
    assert written == [b"%d" % number for number in range(50)]
    assert begun == list(range(1, 51))


@pytest.mark.parametrize("start", [b'{"lane-program": 2', b"PK\x03\x04", b"\x1f\x8b"])
def test_a_model_or_an_archive_is_no_input(start, monkeypatch):
    monkeypatch.setattr(lines.os, "read", lambda number, size, pieces=[start, b""]: pieces.pop(0))
    with pytest.raises(LaneError, match=r"^in: .*, and no lines of commands; .*--model FILE"):
        list(read_batches("in", Chunks(), 10, lambda: None))
