"""Entries: the lists that an application gives for slots, such as its rooms or contacts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from lane.base.errors import LaneError
from lane.base.placeholder import placeholder
from lane.runtime.bounds import MAX_FILE_BYTES, MAX_TEXT_LENGTH

MOST: Final = 100_000  # entries of a list
MOST_WORDS: Final = 16  # of an entry


class Entries(NamedTuple):
    """The entries of a slot by their keys, the words that a command must hold. It is never changed."""

    texts: dict[tuple[str, ...], str]
    lengths: dict[str, tuple[int, ...]]
    """By first key: the numbers of keys that entries have, the largest first."""

    @classmethod
    def of(cls, texts: dict[tuple[str, ...], str]) -> "Entries":
        """The entries in the form that is searched."""
        found: dict[str, set[int]] = {}
        for keys in texts:
            found.setdefault(keys[0], set()).add(len(keys))
        return cls(texts, {key: tuple(sorted(sizes, reverse=True)) for key, sizes in found.items()})

    def longest(self, keys: Sequence[str], start: int, stop: int) -> int:
        """How many keys from `start` on, and before `stop`, are an entry: the most; 0 if none are."""
        for size in self.lengths.get(keys[start], ()):
            if start + size <= stop and tuple(keys[start : start + size]) in self.texts:
                return size
        return 0


def checked_entries(name: str, entries: Iterable[str]) -> list[str]:
    """The entries with single blanks between their words; TypeError or ValueError names a wrong one."""
    word = placeholder(name)
    if isinstance(entries, str | bytes) or not isinstance(entries, Iterable):
        raise TypeError(f"the list of {word} is of type {type(entries).__name__}, but must hold texts")
    found = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, str):
            raise TypeError(f"entry {number} of {word} is of type {type(entry).__name__}, but must be a str")
        if number > MOST:
            raise ValueError(f"the list of {word} has more than {MOST} entries")
        text = " ".join(entry.split())
        if not 0 < len(text) <= MAX_TEXT_LENGTH:
            raise ValueError(
                f"entry {number} of {word} is empty, or longer than {MAX_TEXT_LENGTH} characters"
            )
        found.append(text)
    return found


def read_entries(path: str | Path) -> list[str]:
    """The entries of a file, one a line, without blank lines; LaneError if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise LaneError(f"{path}: is larger than {MAX_FILE_BYTES} bytes")
        lines = data.decode("utf-8-sig").split("\n")  # editors of Windows write a byte order mark
    except OSError as error:
        raise LaneError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise LaneError(f"{path}: is not UTF-8") from None
    return [line for line in lines if line.strip()]


def never_heard(path: str | Path, idle: Sequence[str]) -> str:
    """What to tell about the entries of a file that are never heard."""
    more = f" and {len(idle) - 1:,} more" if len(idle) > 1 else ""
    return (
        f"{path}: {idle[0]!r}{more} will never be heard: known words keep their meaning, "
        "and of entries that read alike the first counts"
    )
