"""`lane-run --out`: large inputs in blocks, each answered by a process somewhere and written as one part.

Blocks are read, and parts are written, by the process that translates them; only counts come back. So memory
is bounded by a batch of lines (or a row group of Parquet), and all nodes must see the same files. Ray Data is
not used: its `read_text` holds a whole file in memory, splits lines at other characters than newlines, and
does not number them.
"""

import gc
import hashlib
import json
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.base.files import atomic_file, lock_directory, make_directory
from lane.base.record import read_record, write_record
from lane.cli.lines import CHUNK_BYTES, Answer, StreamError, split_batches
from lane.cli.rendering import Answerer, Options
from lane.runtime.mapper import ERROR, BatchMapper
from lane.runtime.pool import Pool, RayPool, cluster, processes

BATCH_LINES = 8192  # as the default of `lane-run --batch-size`
BATCH_ROWS = 2**16  # of Parquet, where each batch becomes a row group
MOST_PARTS = 100_000  # their numbers have five digits, so that `cat part-*` has them in order
MOST_SHOWN = 10  # messages of a part; the formats tsv and jsonl have the failures of all lines
_PLAN, _DONE = "_plan.json", "_done"  # readers of directories ignore names that begin like this


@dataclass(frozen=True, slots=True)
class Block:
    """A part of one input: bytes of a text file, or row groups of a Parquet file."""

    number: int
    source: str
    start: int
    end: int
    first: int = 1
    """The number of the first line or row, counted from 1."""

    @property
    def is_parquet(self) -> bool:
        """Whether it has rows."""
        return self.source.endswith(".parquet")


@contextmanager
def open_pool(engine: str, address: str | None, workers: int) -> Iterator[Pool]:
    """The processes of this machine, or of a Ray cluster."""
    if engine == "ray":
        with cluster(address):
            yield RayPool()
    else:
        with processes(workers) as pool:
            yield pool


class Shards:
    """The answers to some files, as parts in a directory."""

    def __init__(
        self, sources: Sequence[str], out: Path, mapper: BatchMapper, options: Options, block_bytes: int
    ) -> None:
        if not sources or "-" in sources:
            raise LaneError("--out needs files of commands: standard input cannot be read in blocks")
        kinds = {source.endswith(".parquet") for source in sources}
        if len(kinds) > 1:
            raise LaneError("text and Parquet files together: give them separate directories")
        if kinds == {True} and options != Options():
            raise LaneError("Parquet is answered by Parquet with all rows: no --format, no --on-error")
        self._sources, self._out = sources, out.absolute()
        self._block_bytes = block_bytes
        suffix = "parquet" if kinds == {True} else {"text": "txt"}.get(options.format, options.format)
        inputs = [_identity(source) for source in sources]
        self._job = {
            "inputs": inputs,
            "model": mapper.translator.info.file_sha256,
            "lenient": mapper.lenient,
            "column": mapper.column,
            "format": options.format,
            "on_error": options.on_error,
            "block": block_bytes,
        }
        if mapper.lists_sha256:
            self._job["lists"] = mapper.lists_sha256
        key = hashlib.sha256(json.dumps(self._job).encode()).hexdigest()
        self._work = _PartWriter(mapper, options, self._out, suffix, key, inputs)

    def write(self, pool: Pool, tell: Callable[[Answer], None]) -> list[str]:
        """Make the missing parts and report every part; the result has a message for each that failed."""
        make_directory(self._out / _DONE)
        with lock_directory(self._out, "another lane-run writes parts there; wait for it, or name another"):
            self._clear()
            failed = []
            for outcome in pool.map(self._work, self._plan(pool)):
                if outcome.result is None:
                    failed.append(f"{self._work.part(outcome.item).name}: {_said(outcome.error)}")
                else:
                    tell(Answer(b"", outcome.result["problems"], Counter(outcome.result["counts"])))
            return failed

    def stop(self) -> None:
        """Remove what the processes of a pool had begun, after they were ended."""
        with suppress(LaneError), lock_directory(self._out, "another lane-run writes parts there"):
            self._clear()

    def _clear(self) -> None:
        for pattern in (".part-*.tmp", f".{_PLAN}.*.tmp", f"{_DONE}/.part-*.tmp"):
            for left in self._out.glob(pattern):
                left.unlink(missing_ok=True)

    def _plan(self, pool: Pool) -> list[Block]:
        """The blocks, as an earlier run of the same job cut them."""
        path = self._out / _PLAN
        if path.exists():
            try:
                plan = read_record(path)
                job, kept = dict(plan["job"]), [Block(*values) for values in plan["blocks"]]
            except (LaneError, KeyError, TypeError, ValueError) as error:
                raise LaneError(
                    f"{path}: cannot be used ({error}); delete this file, and the same command makes it again"
                ) from None
            if job != self._job:
                changed = [name for name in self._job if job.get(name) != self._job[name]]
                raise LaneError(
                    f"{self._out}: has parts of another job ({', '.join(changed)} differ): "
                    "name another directory"
                )
            return kept
        cuts = (cut for source in self._sources for cut in _cut(source, self._block_bytes))
        blocks = [Block(number, *cut) for number, cut in enumerate(islice(cuts, MOST_PARTS + 1))]
        if len(blocks) > MOST_PARTS:
            raise LaneError(f"more than {MOST_PARTS} parts: give a larger --block")
        blocks = _numbered(blocks, pool)
        write_record(path, {"job": self._job, "blocks": [astuple(block) for block in blocks]})
        return blocks


def _identity(source: str) -> list[Any]:
    """A file, so that a changed one is noticed."""
    try:
        found = Path(source).stat()
    except OSError as error:
        raise LaneError(f"{source}: {error.strerror or error}") from None
    if not stat.S_ISREG(found.st_mode):
        raise LaneError(f"{source}: not a regular file, which --out needs: it is read in blocks")
    return [source, found.st_size, found.st_mtime_ns]


def _said(error: Exception | None) -> str:
    return "out of memory" if isinstance(error, MemoryError) else str(error) or type(error).__name__


def _cut(source: str, size: int) -> Iterator[tuple[str, int, int, int]]:
    """Blocks of about `size` bytes of an input, without their numbers."""
    if source.endswith(".parquet"):
        yield from _cut_rows(source, size)
        return
    start = 0
    try:
        with Path(source).open("rb") as file:
            end = file.seek(0, 2)
            while start < end:
                file.seek(min(start + size, end) - 1)
                while (rest := file.readline(CHUNK_BYTES)) and not rest.endswith(b"\n"):
                    pass  # to the end of the line, which may be longer than memory
                yield source, start, file.tell(), 1
                start = file.tell()
    except OSError as error:
        raise _unread(source, error) from None


def _cut_rows(source: str, size: int) -> Iterator[tuple[str, int, int, int]]:
    start, row, taken, rows = 0, 1, 0, 0
    metadata = _parquet(source).metadata
    for group in range(metadata.num_row_groups):
        taken += metadata.row_group(group).total_byte_size
        rows += metadata.row_group(group).num_rows
        if taken >= size or group == metadata.num_row_groups - 1:
            yield source, start, group + 1, row
            start, row, taken, rows = group + 1, row + rows, 0, 0


def _numbered(blocks: list[Block], pool: Pool) -> list[Block]:
    """Blocks of text with the numbers of their first lines, for which all lines are counted."""
    counted = [block for block in blocks if not block.is_parquet]
    lines: dict[int, int] = {}
    for outcome in pool.map(_count, [replace(block, source=_absolute(block)) for block in counted]):
        if outcome.result is None:
            raise StreamError(_said(outcome.error))
        lines[outcome.item.number] = outcome.result
    numbered: list[Block] = []
    for block in blocks:
        if block.number in lines and block.start:
            previous = numbered[-1]
            block = replace(block, first=previous.first + lines[previous.number])
        numbered.append(block)
    return numbered


def _absolute(block: Block) -> str:
    return str(Path(block.source).absolute())  # other processes have other current directories


def _count(block: Block) -> int:
    return sum(chunk.count(b"\n") for chunk in _read(Path(block.source), block))


def _read(path: Path, block: Block) -> Iterator[bytes]:
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(block.start)
            left = block.end - block.start
            while left:
                chunk = file.read(min(CHUNK_BYTES, left))
                if not chunk:
                    raise LaneError(f"{path}: became shorter while it was read")
                left -= len(chunk)
                yield chunk
    except OSError as error:  # told here, or it would pass for a failure to write the part
        raise _unread(path, error) from None


def _rows(source: str, batches: Iterable[Any]) -> Iterator[Any]:
    """Batches of rows, of which a damaged one is a failure to read."""
    import pyarrow

    try:
        yield from batches
    except (OSError, pyarrow.ArrowException) as error:
        raise _unread(source, error) from None


def _unread(source: str | Path, error: Exception) -> StreamError:
    reason = (isinstance(error, OSError) and error.strerror) or error
    return StreamError(f"{source}: cannot be read: {reason}")


def _parquet(source: str | Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise LaneError(f"{source}: Parquet needs pyarrow: pip install 'lane-expressions[ray]'") from None
    try:
        return pyarrow.parquet.ParquetFile(source)
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise LaneError(f"{source}: {error}") from None


class _PartWriter:
    """Answers blocks, in whatever process; a part that is made twice is the same, byte by byte."""

    def __init__(
        self,
        mapper: BatchMapper,
        options: Options,
        out: Path,
        suffix: str,
        job: str,
        inputs: Sequence[list[Any]],
    ) -> None:
        self._mapper, self._options, self._out, self._suffix = mapper, options, out, suffix
        self._job, self._inputs = job, inputs
        self._folder = Path.cwd()  # of the command, by which the names of inputs are resolved

    def part(self, block: Block) -> Path:
        """Where the answers go."""
        return self._out / f"part-{block.number:05d}.{self._suffix}"

    def _done(self, block: Block) -> dict[str, Any] | None:
        """The record of a part that is complete, and as it was written; anything else is made again."""
        try:
            record = read_record(self._record(block))
            is_whole = record.get("content") == _sha256(self.part(block))
        except (LaneError, OSError):
            return None
        return record if is_whole and record.get("job") == self._job else None

    def _record(self, block: Block) -> Path:
        return self._out / _DONE / f"part-{block.number:05d}.json"

    def __call__(self, block: Block) -> dict[str, Any]:
        """Write a part, and then its record, by which it is complete; a complete one is kept."""
        if (kept := self._done(block)) is not None:
            return {**kept, "problems": []}  # they were told when it was made
        gc.disable()  # answers form no reference cycles
        try:
            account = (self._write_rows if block.is_parquet else self._write_lines)(block)
        finally:
            gc.enable()
        record = {
            "counts": dict(account.counts),
            "problems": account.problems,
            "job": self._job,
            "content": _sha256(self.part(block)),
        }
        write_record(self._record(block), record, tidies=False)
        return record

    def _write_lines(self, block: Block) -> Answer:
        answerer = Answerer(self._mapper.translator, self._options)
        chunks = _read(self._folder / block.source, block)
        account, failed = Answer(b""), 0
        with atomic_file(self.part(block), tidies=False) as stream:  # the job does, for all parts together
            for batch in split_batches(block.source, chunks, BATCH_LINES, block.first):
                for answer in answerer.submit(batch):
                    stream.write(answer.output)
                    account.counts.update(answer.counts)
                    failed += len(answer.problems)
                    account.problems += answer.problems[: MOST_SHOWN - len(account.problems)]
            self._require_unchanged(block)
        if failed > len(account.problems):
            account.problems.append(f"{block.source}: {failed - MOST_SHOWN:,} more lines of this part failed")
        return account

    def _write_rows(self, block: Block) -> Answer:
        import pyarrow
        import pyarrow.parquet

        account = Answer(b"")
        part = atomic_file(self.part(block), tidies=False)
        with _parquet(self._folder / block.source) as file, part as stream:
            schema = self._mapper.schema(file.schema_arrow)
            groups = list(range(block.start, block.end))
            with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
                rows = _rows(block.source, file.iter_batches(BATCH_ROWS, groups))
                for batch in self._mapper.map_arrow(rows):
                    writer.write_table(pyarrow.Table.from_batches([batch]))
                    account.counts["lines"] += batch.num_rows
                    account.counts.update(code for code in batch.column(ERROR).to_pylist() if code)
            self._require_unchanged(block)
        return account

    def _require_unchanged(self, block: Block) -> None:
        """Parts of a file that changes while they are read would not belong together."""
        found = _identity(str(self._folder / block.source))[1:]
        if [block.source, *found] not in self._inputs:
            raise LaneError(f"{block.source}: was changed while it was read; name another directory")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
