"""Writes files of pairs atomically."""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lane.base.errors import LaneError
from lane.base.files import atomic_file, make_directory
from lane.data.formats import Format, format_line
from lane.data.pair import Pair
from lane.data.task import Task


def write_pairs(path: str | Path, pairs: Iterable[Pair], form: Format = Format.SCAN) -> int:
    """Write one pair per line, compressed if the name ends in .gz; returns their number."""
    path = Path(path)
    count = 0
    with atomic_file(path) as file, _packed(file, path) as stream:
        for pair in pairs:
            try:
                line = format_line(form, pair)
            except ValueError as error:
                raise LaneError(f"{path}: pair {count + 1}: {error}") from error
            stream.write(f"{line}\n".encode())
            count += 1
    return count


def write_task(task: Task, directory: str | Path, form: Format = Format.SCAN) -> list[Path]:
    """Write NAME_train and NAME_test into `directory`, created if missing; returns the two paths."""
    folder = make_directory(directory)
    written = []
    for part, pairs in (("train", task.train), ("test", task.test)):
        path = folder / f"{task.name}_{part}{form.suffix}"
        write_pairs(path, pairs, form)
        written.append(path)
    return written


@contextmanager
def _packed(file: IO[bytes], path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    if path.suffix == ".gz":
        # Without name and time, the same pairs give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed
    else:
        yield file
