import hashlib

import pytest

from lane.base.errors import LaneError
from lane.data.checksum import KNOWN, checksum, verify
from lane.data.pair import Pair
from lane.data.scan import scan_pairs

A, B = Pair.of("a", "A"), Pair.of("b b", "B")


def test_it_is_the_hash_of_the_sorted_lines() -> None:
    lines = b"IN: a OUT: A\nIN: b b OUT: B\n"
    assert checksum([B, A]) == checksum([A, B]) == hashlib.sha256(lines).hexdigest()[:16]


def test_duplicates_count() -> None:
    assert checksum([A]) != checksum([A, A])


def test_a_wrong_set_is_named_with_what_was_found() -> None:
    with pytest.raises(LaneError, match="here: holds 1 pairs, but mcd1_test has 1045"):
        verify("mcd1_test", [A], "here")
    wrong = [A, *scan_pairs()[1:]]
    with pytest.raises(
        LaneError, match=f"here: has checksum {checksum(wrong)}, but scan has 6be4b39bc8bf3a20"
    ):
        verify("scan", wrong, "here")


def test_the_table_covers_what_can_be_known() -> None:
    fixed = ("simple", "addjump", "around_right", "length", "mcd1", "mcd2", "mcd3")
    assert set(KNOWN) == {"scan", *(f"{task}_{side}" for task in fixed for side in ("train", "test"))}
