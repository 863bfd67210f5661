"""`lane-run --out`: parts that are together what `lane-run` prints, resumable, and whole or missing."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.files import lock_directory
from lane.cli import shards
from lane.cli.lines import Answer, StreamError, split_batches
from lane.cli.rendering import Answerer, Options
from lane.cli.shards import Shards
from lane.runtime import BatchMapper
from lane.runtime.pool import LocalPool

LANE_RUN = Path(sys.executable).with_name("lane-run")
MAPPER = BatchMapper()
LINES = st.sampled_from(
    [b"jump", b"walk twice", b"", b"wolk", b"jump \xff", b"\xef\xbb\xbfrun", b"look\r", b"turn left thrice"]
)


def lane_run(*arguments, code=0):
    done = subprocess.run([LANE_RUN, *map(str, arguments)], capture_output=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr.decode()


def write(sources, out, options=None, block=10, pool=None):
    """The answers of all parts, their counts, and the messages about parts that failed."""
    counts = Counter()
    options = options or Options()
    with ThreadPoolExecutor(2) as executor:
        job = Shards([str(source) for source in sources], out, MAPPER, options, block)
        failed = job.write(pool or LocalPool(executor), lambda answer: counts.update(answer.counts))
    return b"".join(path.read_bytes() for path in sorted(out.glob("part-*"))), counts, failed


def expected(sources, options):
    answerer, total = Answerer(MAPPER.translator, options), Answer(b"")
    for source in sources:
        for batch in split_batches(str(source), iter([source.read_bytes()]), 1000):
            for answer in answerer.submit(batch):
                total.output += answer.output
                total.counts.update(answer.counts)
    return total.output, total.counts


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.lists(LINES, max_size=20), st.booleans()), min_size=1, max_size=3),
    st.integers(1, 60),
    st.sampled_from([Options(), Options("jsonl"), Options("tsv", on_error="skip")]),
)
def test_the_parts_are_what_one_process_writes(tmp_path_factory, contents, block, options):
    folder = tmp_path_factory.mktemp("shards")
    sources = []
    for number, (lines, ended) in enumerate(contents):
        sources.append(folder / f"{number}.txt")
        sources[-1].write_bytes(b"\n".join(lines) + b"\n" * ended)
    output, counts, failed = write(sources, folder / "out", options, block)
    assert (output, counts) == expected(sources, options)
    assert not failed


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(b"".join(b"jump%b\n" % (b" twice" if i % 3 else b" wolk") for i in range(100)))
    return path


def test_only_missing_parts_are_made_again(source, tmp_path):
    out = tmp_path / "out"
    whole, counts, _ = write([source], out)
    parts = sorted(out.glob("part-*"))
    kept = {path: path.stat().st_mtime_ns for path in parts}
    parts[3].unlink()
    (out / "_done" / f"{parts[5].stem}.json").unlink()  # killed between the part and its record
    (out / ".part-00003.txt.1234.tmp").touch()  # of a process that was killed
    assert write([source], out) == (whole, counts, []), "parts of the earlier run are counted too"
    made = {path for path in parts if path.stat().st_mtime_ns != kept[path]}
    assert made == {parts[3], parts[5]}
    assert not list(out.glob(".*"))


def test_a_part_that_fails_is_missing_and_does_not_end_the_others(source, tmp_path, monkeypatch):
    out = tmp_path / "out"
    whole, counts, _ = write([source], tmp_path / "whole")
    submit = Answerer.submit

    def broken(self, batch):
        yield from submit(self, batch)
        if batch.first == 31:
            raise LaneError("no space")

    with monkeypatch.context() as patch:
        patch.setattr(Answerer, "submit", broken)
        output, _, failed = write([source], out, block=100)
    assert len(failed) == 1
    assert failed[0].endswith(".txt: no space")
    assert not (out / failed[0].split(":")[0]).exists()
    assert 0 < len(output) < len(whole)
    assert write([source], out, block=100)[:2] == (whole, counts)


def test_another_job_is_refused(source, tmp_path):
    out = tmp_path / "out"
    write([source], out)
    with pytest.raises(LaneError, match=r"parts of another job \(format differ\)"):
        write([source], out, Options("tsv"))
    source.write_text("jump\n")
    with pytest.raises(LaneError, match="inputs differ"):
        write([source], out)


def test_a_line_longer_than_a_block_is_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "CHUNK_BYTES", 16)
    source = tmp_path / "in.txt"
    source.write_bytes(b"jump\n" + b"walk " * 100 + b"\nrun\n")
    output, counts, _ = write([source], tmp_path / "out", block=8)
    assert (output, counts) == expected([source], Options())
    assert len(list((tmp_path / "out").glob("part-*"))) == 2


@pytest.mark.parametrize("size", [1, 10**9])
def test_parquet_is_answered_by_parquet(tmp_path, size):
    pyarrow = pytest.importorskip("pyarrow", reason="the extra ray is not installed")
    from pyarrow import parquet

    texts = ["jump twice", None, "wolk", "run"] * 25
    table = pyarrow.table({"id": list(range(100)), "text": texts})
    source = tmp_path / "in.parquet"
    parquet.write_table(table, source, row_group_size=8)
    _, counts, failed = write([source], tmp_path / "out", block=size)
    assert not failed
    parts = sorted((tmp_path / "out").glob("part-*.parquet"))
    assert len(parts) == (13 if size == 1 else 1)
    answered = pyarrow.concat_tables([parquet.read_table(part) for part in parts])
    assert answered == MAPPER(table)
    assert counts == Counter({"lines": 100, "unknown-word": 25, "empty": 25})
    plan = json.loads((tmp_path / "out" / "_plan.json").read_text())
    assert [block[4] for block in plan["blocks"]] == ([*range(1, 101, 8)] if size == 1 else [1])


def test_the_command_counts_as_on_one_machine(source, tmp_path):
    out = tmp_path / "out"
    printed, said = lane_run("--stats", source, code=1)
    for _ in range(2):  # the second time there is nothing to do
        _, counted = lane_run("--stats", source, "--out", out, "--workers", 2, code=1)
        assert b"".join(path.read_bytes() for path in sorted(out.glob("part-*"))) == printed
        assert counted.splitlines()[-1].endswith(", 34 failed (unknown-word 34)")
        assert said.splitlines()[-1].endswith(", 34 failed (unknown-word 34)")
    shown = [line for line in said.splitlines() if line.startswith(f"{source}:")]
    (record,) = [json.loads(path.read_text()) for path in (out / "_done").iterdir()]
    assert record["problems"] == [*shown[:10], f"{source}: 24 more lines of this part failed"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["in.txt", "--engine", "ray"], "need --out DIR"),
        (["in.txt", "--out", "o", "--address", "here:1"], "it needs --engine ray"),
        (["in.txt", "--out", "o", "--explain"], "no --explain"),
        (["in.txt", "--out", "o", "--on-error", "stop"], "no --on-error stop"),
        (["--out", "o"], "standard input cannot be read in blocks"),
        (["in.txt", "a.parquet", "--out", "o"], "separate directories"),
        (["a.parquet", "--out", "o", "--format", "tsv"], "no --format"),
        (["in.txt", "--out", "o"], "in.txt: No such file"),
    ],
)
def test_wrong_use(arguments, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert problem in lane_run(*arguments, code=2)[1]
    assert not (tmp_path / "o").exists()


def test_a_part_or_a_record_that_was_changed_is_made_again(source, tmp_path):
    """Exit code 0 means that every part is whole, those of earlier runs too."""
    out = tmp_path / "out"
    whole = write([source], out)
    first, second, third = sorted(out.glob("part-*"))[:3]
    first.write_bytes(b"")
    second.write_bytes(second.read_bytes().replace(b"J", b"K", 1))
    (out / "_done" / f"{third.stem}.json").write_text("{}")
    assert write([source], out) == whole


def test_parts_of_another_job_are_not_kept_even_without_its_plan(source, tmp_path):
    out = tmp_path / "out"
    write([source], out, Options("tsv"))
    for part in out.glob("part-*"):
        part.rename(part.with_suffix(".txt"))
    (out / "_plan.json").unlink()
    assert write([source], out) == write([source], tmp_path / "other")


@pytest.mark.parametrize(
    "content", ["", "{}", '{"job": 1, "blocks": []}', '{"job": {}, "blocks": [1]}', "[]"]
)
def test_a_plan_that_cannot_be_used_is_one_line_with_advice_that_works(source, tmp_path, content):
    out = tmp_path / "out"
    whole = write([source], out)
    (out / "_plan.json").write_text(content)
    with pytest.raises(LaneError, match=r"_plan.json: cannot be used .*; delete this file"):
        write([source], out)
    (out / "_plan.json").unlink()
    assert write([source], out) == whole


@pytest.mark.skipif(sys.platform != "linux", reason="needs a device")
def test_what_is_no_file_is_refused(tmp_path):
    """Its size says nothing: it would have been answered by nothing at all, with exit code 0."""
    os.mkfifo(tmp_path / "fifo")
    for name in ("/dev/zero", tmp_path / "fifo"):
        assert "not a regular file" in lane_run(name, "--out", tmp_path / "out", code=2)[1]


def test_an_input_that_changes_while_it_is_read_is_an_error(source, tmp_path, monkeypatch):
    submit = Answerer.submit

    def changing(self, batch):
        yield from submit(self, batch)
        os.utime(source, ns=(1, batch.first))

    with monkeypatch.context() as patch:
        patch.setattr(Answerer, "submit", changing)
        output, _, failed = write([source], tmp_path / "out", block=10**6)
    assert output == b""
    assert [line.partition(": ")[2] for line in failed] == [
        f"{source}: was changed while it was read; name another directory"
    ]


class FaultyDisk(io.RawIOBase):
    """A file that cannot be read."""

    def __init__(self, file):
        self.file = file

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, place, whence=0):
        return self.file.seek(place, whence)

    def readinto(self, buffer):
        raise OSError(errno.EIO, "Input/output error")

    def close(self):
        self.file.close()
        super().close()


def test_an_input_that_cannot_be_read_is_not_taken_for_an_output(source, tmp_path, monkeypatch):
    """The advice is about the place that failed; what was read is no part of its own."""
    real = Path.open

    def open_it(path, mode="r", buffering=-1, **options):
        file = real(path, mode, buffering, **options)
        if path.name != source.name:
            return file
        return FaultyDisk(file) if buffering == 0 else io.BufferedReader(FaultyDisk(file), 100)

    job = Shards([str(source)], tmp_path / "out", MAPPER, Options(), 10**6)
    (tmp_path / "out" / "_done").mkdir(parents=True)
    with ThreadPoolExecutor(1) as executor:
        pool = LocalPool(executor)
        job._plan(pool)
        monkeypatch.setattr(Path, "open", open_it)
        (problem,) = job.write(pool, lambda answer: None)
        (tmp_path / "out" / "_plan.json").unlink()
        with pytest.raises(StreamError, match="cannot be read: Input/output error"):
            job._plan(pool)
    assert problem == f"part-00000.txt: {source}: cannot be read: Input/output error"
    assert not list((tmp_path / "out").glob("*part*"))


def test_damaged_rows_are_not_taken_for_an_output(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    source = tmp_path / "lines.parquet"
    texts = [f"jump {'and walk ' * number}" for number in range(300)]
    parquet.write_table(pyarrow.table({"text": texts}), source, use_dictionary=False, compression="gzip")
    data = bytearray(source.read_bytes())
    data[60 : len(data) // 2] = bytes(len(data) // 2 - 60)
    source.write_bytes(data)
    _, _, (problem,) = write([source], tmp_path / "out")
    assert problem.startswith(f"part-00000.parquet: {source}: cannot be read: ")
    assert not list((tmp_path / "out").glob("*part*"))


def test_two_commands_cannot_share_a_directory(source, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with lock_directory(out, "is taken"):
        assert "another lane-run writes parts there" in lane_run(source, "--out", out, code=2)[1]
    lane_run(source, "--out", out, code=1)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_neither_a_process_nor_a_begun_part(number, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out"
    source.write_bytes(b"jump around left thrice and walk\n" * 1_000_000)
    with subprocess.Popen(
        [LANE_RUN, source, "--out", out, "--workers", "2", "--block", "1"],
        stdout=subprocess.PIPE,  # the workers have it too: it ends when all of them have
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    ) as process:
        while not list(out.glob("part-*")):
            time.sleep(0.01)
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (128 + number, b"", b"")
    assert not [*out.glob(".*"), *(out / "_done").glob(".*")]


def test_a_worker_without_memory_is_said(source, tmp_path, monkeypatch):
    monkeypatch.setattr(Answerer, "submit", lambda self, batch: (_ for _ in ()).throw(MemoryError))
    assert write([source], tmp_path / "out", block=10**6)[2] == ["part-00000.txt: out of memory"]
