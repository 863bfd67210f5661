"""Downloads the official files from their public sources, and verifies each by count and checksum.

SCAN's repository publishes the simple split as text. The MCD splits are published as line numbers
of SCAN's `tasks.txt`, in an archive of JSON files: the text files are made here from the two.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

from lane.base.errors import LaneError
from lane.base.files import make_directory
from lane.data.download import DownloadError, download
from lane.data.official import (
    ARCHIVE_FILE,
    MCD_TASKS,
    SIDES,
    TASKS_FILE,
    read_archive,
    read_official,
    select,
    verified_file,
)
from lane.data.pair import Pair
from lane.data.writer import write_pairs

SCAN_SOURCE = "https://raw.githubusercontent.com/brendenlake/SCAN/master"
MCD_SOURCE = "https://storage.googleapis.com/cfq_dataset"

SIMPLE_FILES = {side: f"simple_split/tasks_{side}_simple.txt" for side in SIDES}

Report = Callable[[str], None]


def fetch(directory: str | Path, source: str | None = None, report: Report = print) -> None:
    """Put the eight verified files of simple and mcd1 to mcd3 into `directory`; intact ones are kept.

    `source` is the base URL of a mirror that has SCAN's files and `scan-splits.tar.gz` under their own names.
    """
    folder = make_directory(directory)
    scan, mcd = (source.rstrip("/"),) * 2 if source else (SCAN_SOURCE, MCD_SOURCE)
    try:
        _fetch_simple(folder, scan, report)
        _fetch_mcd(folder, scan, mcd, report)
    except DownloadError as error:
        raise LaneError(f"{error}. {_remedy(folder, scan, mcd)}") from error


def _fetch_simple(folder: Path, scan: str, report: Report) -> None:
    for side in SIDES:
        name = f"simple_{side}"
        path = folder / f"{name}.txt"
        if _has_official("simple", side, folder):
            report(f"{path}: verified, kept")
        else:
            download(f"{scan}/{SIMPLE_FILES[side]}", path, partial(verified_file, name))
            report(f"{path}: fetched and verified")


def _fetch_mcd(folder: Path, scan: str, mcd: str, report: Report) -> None:
    missing = []
    for task, side in product(MCD_TASKS, SIDES):
        path = folder / f"{task}_{side}.txt"
        if _is_verified(f"{task}_{side}", path):
            report(f"{path}: verified, kept")
        else:
            missing.append((task, side, path))
    if not missing:
        return
    lines = _tasks_file(folder, scan, report)
    archive = _archive(folder, mcd, lines, report)
    for task, side, path in missing:
        write_pairs(path, select(task, side, lines, read_archive(task, archive), archive))
        report(f"{path}: made from {TASKS_FILE} and {ARCHIVE_FILE}, verified")


def _tasks_file(folder: Path, scan: str, report: Report) -> tuple[Pair, ...]:
    path = folder / TASKS_FILE
    if not _is_verified("scan", path):
        download(f"{scan}/{TASKS_FILE}", path, partial(verified_file, "scan"))
        report(f"{path}: fetched and verified")
    return verified_file("scan", path)


def _archive(folder: Path, mcd: str, lines: tuple[Pair, ...], report: Report) -> Path:
    path = folder / ARCHIVE_FILE
    try:
        _check_archive(lines, path)
    except LaneError:
        download(f"{mcd}/{ARCHIVE_FILE}", path, partial(_check_archive, lines))
        report(f"{path}: fetched and verified")
    return path


def _has_official(task: str, side: str, folder: Path) -> bool:
    try:
        read_official(task, side, folder)
    except LaneError:
        return False
    return True


def _is_verified(name: str, path: Path) -> bool:
    try:
        verified_file(name, path)
    except LaneError:
        return False
    return True


def _check_archive(lines: tuple[Pair, ...], path: Path) -> None:
    # The archive has no checksum of its own, but each set that it selects has.
    for task in MCD_TASKS:
        index = read_archive(task, path)
        for side in SIDES:
            select(task, side, lines, index, path)


def _remedy(folder: Path, scan: str, mcd: str) -> str:
    names = (*SIMPLE_FILES.values(), TASKS_FILE)
    urls = [*(f"{scan}/{name}" for name in names), f"{mcd}/{ARCHIVE_FILE}"]
    return f"By hand: put {', '.join(urls)} into {folder}"
