"""The official files: splits that cannot be generated, read from a directory and verified.

A side of a task is looked for as `mcd1_train.txt`, and as `tasks_train_mcd1.txt` there or in
`mcd1_split/`, the names of the SCAN repository. The MCD splits were published as lists of line
numbers of SCAN's `tasks.txt` (`mcd1.json`, also inside `scan-splits.tar.gz`), which are accepted too.
"""

import json
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from lane.base.errors import LaneError
from lane.data.checksum import verify
from lane.data.formats import Format
from lane.data.pair import Pair
from lane.data.reader import read_pairs

OFFICIAL_TASKS = ("simple", "mcd1", "mcd2", "mcd3")
MCD_TASKS = ("mcd1", "mcd2", "mcd3")
SIDES = ("train", "test")
TASKS_FILE = "tasks.txt"
ARCHIVE_FILE = "scan-splits.tar.gz"
MAX_INDEX_BYTES = 4_000_000
"""The longest index accepted; all three published ones together are under 100 kB, packed."""


def read_official(task: str, side: str, data_dir: str | Path) -> tuple[Pair, ...]:
    """The verified pairs of one side of an official task; LaneError names what is missing or wrong."""
    folder = Path(data_dir)
    if not folder.is_dir():
        raise LaneError(f"{folder}: no such directory; `lane-data fetch {folder}` makes it and fills it")
    for path in _text_paths(task, side, folder):
        if path.is_file():
            return verified_file(f"{task}_{side}", path)
    index = find_index(task, folder) if task in MCD_TASKS else None
    if index is None or not (folder / TASKS_FILE).is_file():
        raise LaneError(f"{folder}: has no {task}_{side}.txt; `lane-data fetch {folder}` gets it")
    lines = verified_file("scan", folder / TASKS_FILE)
    return select(task, side, lines, index, folder)


def verified_file(name: str, path: Path) -> tuple[Pair, ...]:
    """The pairs of a file in SCAN's format that must be the known set `name`."""
    pairs = tuple(read_pairs(path, Format.SCAN))
    verify(name, pairs, path)
    return pairs


def select(
    task: str, side: str, lines: Sequence[Pair], index: dict[str, object], place: Path
) -> tuple[Pair, ...]:
    """The pairs that an index picks from the lines of `tasks.txt`, verified."""
    picked = index.get(f"{side}Idxs")
    if not isinstance(picked, list) or not all(_is_index(number, len(lines)) for number in picked):
        raise LaneError(f"{place}: {task}.json has no list {side}Idxs of line numbers of {TASKS_FILE}")
    pairs = tuple(lines[number] for number in picked)
    verify(f"{task}_{side}", pairs, f"{place}: {task}.json on {TASKS_FILE}")
    return pairs


def find_index(task: str, folder: Path) -> dict[str, object] | None:
    """The published line numbers of an MCD task, from a JSON file or the archive; None without either."""
    for path in (folder / f"{task}.json", folder / "scan-splits" / f"{task}.json"):
        if path.is_file():
            with path.open("rb") as stream:
                return _parse_index(path, stream.read(MAX_INDEX_BYTES + 1))
    archive = folder / ARCHIVE_FILE
    return read_archive(task, archive) if archive.is_file() else None


def read_archive(task: str, path: Path) -> dict[str, object]:
    """The line numbers of an MCD task from the published archive, which is never unpacked to disk."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                if Path(member.name).name == f"{task}.json" and (stream := archive.extractfile(member)):
                    return _parse_index(path, stream.read(MAX_INDEX_BYTES + 1))
    except (tarfile.TarError, OSError, EOFError, ValueError, zlib.error) as error:
        raise LaneError(f"{path}: is not a readable tar.gz archive ({error})") from error
    raise LaneError(f"{path}: holds no {task}.json")


def _text_paths(task: str, side: str, folder: Path) -> Iterator[Path]:
    public = f"tasks_{side}_{task}.txt"
    yield folder / f"{task}_{side}.txt"
    yield folder / public
    yield folder / f"{task}_split" / public


def _parse_index(place: Path, data: bytes) -> dict[str, object]:
    if len(data) > MAX_INDEX_BYTES:
        raise LaneError(f"{place}: an index is longer than {MAX_INDEX_BYTES} bytes, the bound")
    try:
        index = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise LaneError(f"{place}: an index is not JSON ({error})") from error
    if not isinstance(index, dict):
        raise LaneError(f"{place}: an index is not a JSON object")
    return index


def _is_index(number: object, size: int) -> bool:
    return isinstance(number, int) and 0 <= number < size
