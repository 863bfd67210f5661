"""The lists of slots."""

import pytest

from lane.base.errors import LaneError
from lane.runtime.entries import MOST, Entries, checked_entries, never_heard, read_entries


def test_the_longest_entry_is_found():
    texts = {("blue",): "Blue", ("blue", "hall"): "Blue Hall", ("blue", "hall", "way", "out"): "Out"}
    entries = Entries.of(texts)
    keys = ["go", "blue", "hall", "way", "out"]
    assert entries.longest(keys, 1, 5) == 4
    assert entries.longest(keys, 1, 4) == 2
    assert entries.longest(keys, 1, 2) == 1
    assert entries.longest(keys, 0, 5) == entries.longest(keys, 2, 5) == 0


def test_entries_are_texts_with_single_blanks():
    assert checked_entries("room", ("a  b", "\tc\u3000d ")) == ["a b", "c d"]


@pytest.mark.parametrize(
    ("entries", "error", "problem"),
    [
        ("hall", TypeError, "the list of {room} is of type str, but must hold texts"),
        (5, TypeError, "the list of {room} is of type int"),
        (["a", None], TypeError, "entry 2 of {room} is of type NoneType"),
        (["a", " "], ValueError, "entry 2 of {room} is empty, or longer than 256 characters"),
        (["a" * 257], ValueError, "entry 1 of {room} is empty, or longer"),
        (("a" for _ in range(MOST + 1)), ValueError, "has more than 100000 entries"),
    ],
)
def test_wrong_entries_are_named(entries, error, problem):
    with pytest.raises(error) as caught:
        checked_entries("room", entries)
    assert problem in str(caught.value)


def test_a_file_of_entries(tmp_path):
    path = tmp_path / "rooms.txt"
    path.write_bytes("\ufeffBlue hall\r\n \t\n\u6771\u4eac\n".encode())
    assert checked_entries("room", read_entries(path)) == ["Blue hall", "\u6771\u4eac"]
    path.write_bytes(b"a\n\xff")
    with pytest.raises(LaneError, match=r"rooms\.txt: is not UTF-8"):
        read_entries(path)
    with pytest.raises(LaneError, match="none: No such file"):
        read_entries(tmp_path / "none")
    assert never_heard("f", ["a"]).startswith("f: 'a' will never be heard")
    assert never_heard("f", ["a"] * 1234).startswith("f: 'a' and 1,233 more will")
