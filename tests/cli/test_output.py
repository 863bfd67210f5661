"""Exit code 0 means that every byte was written; anything else is one line on standard error and code 3."""

import errno
import fcntl
import os
import resource
import subprocess
import sys
import threading

import pytest

from lane.cli import output
from lane.cli.lines import Answer, StreamError
from lane.cli.output import Output, StoppedError, say, write_all

LINE = b"jump around left thrice and walk around right thrice\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs the faults of Linux")


@pytest.fixture(params=["buffered", "unbuffered"])
def environment(request):
    """Containers often set PYTHONUNBUFFERED, under which Python's own streams ignore short writes."""
    others = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return others | ({"PYTHONUNBUFFERED": "1"} if request.param == "unbuffered" else {})


@pytest.mark.parametrize("arguments", [[], ["--workers", "2"], ["--explain", "json"], ["--format", "tsv"]])
def test_a_file_that_may_not_grow(command, arguments, environment, tmp_path):
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [*command, *arguments],
            input=LINE * 8000,
            stdout=out,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (204_800, 204_800)),
        )
    assert done.returncode == 3
    assert done.stderr == b"error: standard output: File too large; the output is cut short\n"
    assert (tmp_path / "out").stat().st_size == 204_800


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--workers", "2"],
        ["--explain"],
        ["--explain", "html"],
        ["--explain", "svg"],
        ["--help"],
        ["--version"],
    ],
)
def test_a_full_disk(command, arguments, environment):
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [*command, *arguments], input=b"jump\n", stdout=full, stderr=subprocess.PIPE, env=environment
        )
    assert done.returncode == 3
    assert done.stderr == b"error: standard output: No space left on device; the output is cut short\n"


def test_a_full_disk_for_rules_and_for_messages(command, environment):
    rules = [*command[:3], "rules", *command[3:]]
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(rules, stdout=full, stderr=subprocess.PIPE, env=environment)
        assert (done.returncode, done.stderr.count(b"\n")) == (3, 1)
        done = subprocess.run(command, input=b"fly\n", stderr=full, stdout=subprocess.PIPE, env=environment)
        assert (done.returncode, done.stdout) == (3, b"<error:unknown-word>\n")


@pytest.mark.parametrize("arguments", [[], ["--workers", "2"]])
def test_a_pipe_that_does_not_block(command, arguments, environment, tmp_path):
    """The reader is slower than the writer, and gets every byte."""
    (tmp_path / "in").write_bytes(LINE * 20_000)
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETFL, fcntl.fcntl(writer, fcntl.F_GETFL) | os.O_NONBLOCK)
    with subprocess.Popen(
        [*command, *arguments, str(tmp_path / "in")], stdout=writer, env=environment
    ) as process:
        os.close(writer)
        size = 0
        while part := os.read(reader, 50_000):
            size += len(part)
        os.close(reader)
        assert process.wait(60) == 0
    answer = subprocess.run(command, input=LINE, capture_output=True, check=True).stdout
    assert size == len(answer) * 20_000


def test_a_reader_of_messages_that_leaves_does_not_cut_the_output(command, tmp_path):
    (tmp_path / "in").write_bytes(b"fly\n" * 50_000)
    reader, writer = os.pipe()
    os.close(reader)
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run([*command, str(tmp_path / "in")], stdout=out, stderr=writer)
    os.close(writer)
    assert done.returncode == 1
    assert (tmp_path / "out").read_bytes() == b"<error:unknown-word>\n" * 50_000


@pytest.mark.parametrize("closed", [0, 1, 2])
@pytest.mark.parametrize("arguments", [[], ["--workers", "2"], ["--explain", "svg"]])
def test_a_closed_stream(command, arguments, closed, tmp_path):
    path = tmp_path / "in"
    path.write_bytes(LINE)
    source = path.open("rb")
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *command, *arguments], stdin=source, capture_output=True
    )
    source.close()
    assert b"Traceback" not in done.stderr
    if closed == 2:
        assert done.returncode == 0
        assert done.stdout
    else:
        assert done.returncode == 3
        name = "standard input is closed" if closed == 0 else "standard output is closed"
        assert done.stderr.decode().startswith(f"error: {name}")
        assert done.stderr.count(b"\n") == 1


LONG = b"jump around left" + b" thrice" * 8 + b"\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--workers", "2"], ["--explain", "json"], ["--explain", "tree"]])
def test_outputs_above_2_gib(command, arguments, environment, tmp_path):
    """No system takes 2 GiB in one write; every byte is compared."""
    one = subprocess.run([*command, *arguments], input=LONG, capture_output=True, check=True).stdout
    count = (2**31 + 2**26) // len(one) + 1
    (tmp_path / "in").write_bytes(LONG * count)
    with subprocess.Popen(
        [*command, *arguments, str(tmp_path / "in")], stdout=subprocess.PIPE, env=environment
    ) as process:
        for _ in range(count):
            assert process.stdout.read(len(one)) == one
        assert (process.stdout.read(), process.wait()) == (b"", 0)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--workers", "2"]])
def test_a_file_above_2_gib(command, arguments, environment, tmp_path):
    one = subprocess.run(command, input=LONG, capture_output=True, check=True).stdout
    count = 2**31 // len(one) + 1
    (tmp_path / "in").write_bytes(LONG * count)
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([*command, *arguments, str(tmp_path / "in")], stdout=out, env=environment, check=True)
    try:
        assert (tmp_path / "out").stat().st_size == count * len(one)
    finally:
        (tmp_path / "out").unlink()


class _System:
    """Takes a part of what it is given, and now and then nothing for the moment."""

    def __init__(self):
        self.taken, self.calls = bytearray(), 0

    def write(self, _number, data):
        self.calls += 1
        assert len(data) <= 10
        if self.calls % 3 == 0:
            raise BlockingIOError(errno.EAGAIN, "try again")
        self.taken += data[:4]
        return min(4, len(data))


def test_every_byte_through_short_writes(monkeypatch):
    system = _System()
    monkeypatch.setattr(output, "_MOST_AT_ONCE", 10)  # 1 GiB else: no system takes 2 GiB at once
    monkeypatch.setattr(output.os, "write", system.write)
    monkeypatch.setattr(output.select, "select", lambda *_: None)
    reader, writer = os.pipe()
    try:
        with os.fdopen(writer, "w") as stream:
            monkeypatch.setattr(output.sys, "stdout", stream)
            write_all(bytes(range(256)))
            monkeypatch.undo()
    finally:
        os.close(reader)
    assert system.taken == bytes(range(256))


def test_messages_hold_no_control_characters(capfd):
    say("a\x1b[31mb\x9bc\x00\nd\te \ud800 \u202e")
    assert capfd.readouterr().err == "a\\x1b[31mb\\x9bc\\x00\nd\te \\ud800 \\u202e\n"


def test_counts_and_stop(capfd):
    out = Output("off")
    out.write(Answer(b"one\n", ["stdin:2: no"], out._counts.__class__({"lines": 2, "unknown-word": 1})))
    with pytest.raises(StoppedError):
        out.write(Answer(b"two\n", [], out._counts.__class__({"lines": 2, "empty": 1}), stop=True))
    out.finish(stats=True)
    written = capfd.readouterr()
    assert written.out == "one\ntwo\n"
    first, last = written.err.splitlines()
    assert first == "stdin:2: no"
    assert last.startswith("4 lines in ")
    assert last.endswith("1 failed (unknown-word 1), 1 empty")
    assert (out.failed, out.failures) == (1, {"unknown-word": 1})


def test_the_progress_line_is_removed(capfd):
    out = Output("on")
    out._next = 0.0
    out.write(Answer(b""))
    out.finish(stats=False)
    assert capfd.readouterr().err.endswith("\r\x1b[K")


def test_a_closed_standard_output_is_named(monkeypatch):
    monkeypatch.setattr(output.sys, "stdout", None)
    with pytest.raises(StreamError, match="standard output is closed"):
        write_all(b"x")


def test_writers_of_several_threads_lose_nothing(capfd):
    threads = [threading.Thread(target=write_all, args=(b"x" * 70_000,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(capfd.readouterr().out) == 280_000
