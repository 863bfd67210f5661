import gzip
import sys
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.data.formats import Format
from lane.data.pair import Pair
from lane.data.reader import MAX_LINE_BYTES, PairReader, read_pairs

GOOD = b"IN: a OUT: A\nIN: b OUT: B\n"
PAIRS = [Pair.of("a", "A"), Pair.of("b", "B")]


def put(folder: Path, data: bytes) -> Path:
    path = folder / "pairs.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        GOOD,
        GOOD.rstrip(b"\n"),
        GOOD.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + GOOD,
        b"\n \r\n" + GOOD + b"\n",
        gzip.compress(GOOD),
        gzip.compress(b"a\tA\nb\tB\n"),
        b'{"in": "a", "out": "A"}\n{"in": ["b"], "out": ["B"]}\n',
    ],
    ids=["plain", "no last newline", "crlf", "bom", "blank lines", "gzip", "gzip tsv", "jsonl"],
)
def test_the_same_pairs_in_many_guises(tmp_path: Path, data: bytes) -> None:
    assert read_pairs(put(tmp_path, data)) == PAIRS


def test_line_numbers_and_blank_lines_are_counted(tmp_path: Path) -> None:
    reader = PairReader(put(tmp_path, b"\n" + GOOD.replace(b"\n", b"\n\n", 1)))
    assert list(reader) == [(2, PAIRS[0]), (4, PAIRS[1])]
    assert (reader.blank_lines, reader.format) == (2, Format.SCAN)
    assert list(reader) == [(2, PAIRS[0]), (4, PAIRS[1])]
    assert reader.blank_lines == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "pairs.txt: holds no pairs"),
        (b"\n\n", "pairs.txt: holds no pairs"),
        (GOOD + b"jump", "pairs.txt, line 3: does not start with 'IN: '"),
        (GOOD + b"IN: jump\n", "pairs.txt, line 3: has no 'OUT:'"),
        (GOOD + b"IN: \xff OUT: A\n", "pairs.txt, line 3: byte 5 \\(0xff\\) is not UTF-8"),
        (GOOD + b"IN: " + b"a " * 500_000 + b"OUT: A\n", f"line 3: is longer than {MAX_LINE_BYTES} bytes"),
        (b"x" * 1_000_000, f"line 1: is longer than {MAX_LINE_BYTES} bytes"),
        (b"jump twice\n", "line 1: cannot tell the format"),
        (gzip.compress(GOOD)[:-9], "the gzip data is damaged or cut short"),
        (gzip.compress(GOOD * 9)[:20] + b"junkjunkjunk", "the gzip data is damaged or cut short"),
        (b"\x1f\x8bjunk", "the gzip data is damaged or cut short"),
    ],
    ids=[
        "empty", "only blank", "broken line", "missing OUT", "invalid UTF-8", "1 MB line", "1 MB without end",
        "no format", "gzip cut", "gzip damaged", "gzip header",
    ],
)  # fmt: skip
def test_bad_input_is_named_with_its_place(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(LaneError, match=message):
        read_pairs(put(tmp_path, data))


def test_the_bound_is_exact(tmp_path: Path) -> None:
    start, end = b"IN: ", b" OUT: A\n"
    longest = MAX_LINE_BYTES - len(start) - len(end)
    assert read_pairs(put(tmp_path, start + b"a" * longest + end))
    with pytest.raises(LaneError, match="longer than"):
        read_pairs(put(tmp_path, start + b"a" * (longest + 1) + end))


def test_a_forced_format_is_kept(tmp_path: Path) -> None:
    assert read_pairs(put(tmp_path, b"IN:\tOUT:\n"), Format.TSV) == [Pair.of("IN:", "OUT:")]


def test_pairs_before_a_broken_line_are_streamed(tmp_path: Path) -> None:
    reader = iter(PairReader(put(tmp_path, GOOD + b"junk\n")))
    assert [next(reader)[1], next(reader)[1]] == PAIRS
    with pytest.raises(LaneError, match="line 3"):
        next(reader)


def test_a_missing_file_and_a_directory_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(LaneError, match=r"nothing.txt: cannot be read \(No such file"):
        read_pairs(tmp_path / "nothing.txt")
    with pytest.raises(LaneError, match=r"cannot be read \(Is a directory"):
        read_pairs(tmp_path)


def test_a_closed_standard_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(LaneError, match="standard input is closed"):
        read_pairs("-")


@pytest.mark.parametrize(
    ("start", "kind"), [(b'{"lane-program": 2', "a program"), (b"PK\x03\x04\x00", "a zip archive")]
)
def test_a_model_is_no_file_of_pairs(tmp_path: Path, start: bytes, kind: str) -> None:
    with pytest.raises(LaneError, match=rf": {kind}.*, and no file of pairs$"):
        read_pairs(put(tmp_path, start + b"\n"))
