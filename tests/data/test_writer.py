from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.data.formats import Format
from lane.data.pair import Pair
from lane.data.reader import read_pairs
from lane.data.task import Task
from lane.data.writer import write_pairs, write_task

words = st.lists(
    st.text("abcé漢😀\"\\{}[]:,'", min_size=1, max_size=5), min_size=1, max_size=5
).map(tuple)  # fmt: skip
many = st.lists(st.builds(Pair, words, words), min_size=1, max_size=8)


@given(many, st.sampled_from(Format), st.sampled_from(["", ".gz"]))
def test_what_is_written_is_read_back(pairs: list[Pair], form: Format, ending: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"pairs{form.suffix}{ending}"
        assert write_pairs(path, pairs, form) == len(pairs)
        assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(ending)
        assert read_pairs(path, form) == pairs


def test_the_bytes_are_fixed(tmp_path: Path) -> None:
    pair = Pair.of("jump twice", "J J")
    expected = {
        Format.SCAN: b"IN: jump twice OUT: J J\n",
        Format.TSV: b"jump twice\tJ J\n",
        Format.JSONL: b'{"in": "jump twice", "out": "J J"}\n',
    }
    for form, data in expected.items():
        write_pairs(tmp_path / "a", [pair], form)
        assert (tmp_path / "a").read_bytes() == data
    write_pairs(tmp_path / "a.gz", [pair])
    write_pairs(tmp_path / "b.gz", [pair])
    packed = (tmp_path / "a.gz").read_bytes()
    assert packed == (tmp_path / "b.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # the time, which would differ a second later


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    write_pairs(path, [Pair.of("a", "A")])
    before = path.read_bytes()

    def broken() -> Iterator[Pair]:
        yield Pair.of("b", "B")
        yield Pair.of("$0", "B")

    with pytest.raises(LaneError, match=r"pairs.txt: pair 2: the input word '\$0'"):
        write_pairs(path, broken())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Pair]:
        yield Pair.of("a", "A")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_pairs(tmp_path / "a", interrupted())
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()
    write_pairs(tmp_path / "ours", [Pair.of("a", "A")])
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_task_is_two_files_in_a_new_directory(tmp_path: Path) -> None:
    task = Task("toy", (Pair.of("a", "A"),), (Pair.of("a a", "A A"),))
    paths = write_task(task, tmp_path / "new" / "folder", Format.TSV)
    assert [path.name for path in paths] == ["toy_train.tsv", "toy_test.tsv"]
    assert tuple(read_pairs(paths[0])) == task.train
    assert tuple(read_pairs(paths[1])) == task.test


def test_a_place_that_is_no_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LaneError, match="file/sub: cannot make this directory"):
        write_task(Task("toy", (), ()), tmp_path / "file" / "sub")
    with pytest.raises(LaneError, match=r"a.txt: cannot be written: No such file.*name another place"):
        write_pairs(tmp_path / "missing" / "a.txt", [Pair.of("a", "A")])
