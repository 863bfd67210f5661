"""Checksums of sets of pairs, and a table of the known ones."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from lane.base.errors import LaneError
from lane.data.pair import Pair


class Known(NamedTuple):
    """The number of pairs of a set, and their checksum."""

    pairs: int
    checksum: str


KNOWN: dict[str, Known] = {
    "scan": Known(20910, "6be4b39bc8bf3a20"),
    "simple_train": Known(16728, "e1a2f7b9d7debe26"),
    "simple_test": Known(4182, "7057e2e02af1eb9d"),
    "addjump_train": Known(14670, "0683daacfdce23cf"),
    "addjump_test": Known(7706, "522454c6280eab95"),
    "around_right_train": Known(15225, "f2b91818e1216d5c"),
    "around_right_test": Known(4476, "8e1297eb61d98ff6"),
    "length_train": Known(16990, "7ffb97f45029871c"),
    "length_test": Known(3920, "3297fd0b676c391f"),
    "mcd1_train": Known(8365, "36d2c493633ca8b4"),
    "mcd1_test": Known(1045, "8fb88a6fb2ecd6eb"),
    "mcd2_train": Known(8365, "d58f7b97b3d9fca9"),
    "mcd2_test": Known(1045, "04fcfa7cf7432535"),
    "mcd3_train": Known(8365, "567dece2152cd431"),
    "mcd3_test": Known(1045, "e17a3c01ed71c5f5"),
}
"""`scan` is the whole language; simple and mcd are the official files."""


def checksum(pairs: Iterable[Pair]) -> str:
    """First 16 hex digits of the SHA-256 of the sorted SCAN lines, each ended by a newline.

    Sorted, so that the order does not matter; duplicates count.
    """
    lines = sorted(f"IN: {' '.join(pair.source)} OUT: {' '.join(pair.target)}\n" for pair in pairs)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def verify(name: str, pairs: Iterable[Pair], place: object) -> None:
    """Raise LaneError unless `pairs`, read from `place`, are the known set `name`."""
    pairs = tuple(pairs)
    known = KNOWN[name]
    if len(pairs) != known.pairs:
        raise LaneError(f"{place}: holds {len(pairs)} pairs, but {name} has {known.pairs}")
    found = checksum(pairs)
    if found != known.checksum:
        raise LaneError(f"{place}: has checksum {found}, but {name} has {known.checksum}")
