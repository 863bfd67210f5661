"""Worker processes: answers in order, whatever happens to the processes."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from lane.cli.lines import Batch
from lane.cli.rendering import Options
from lane.cli.workers import Workers
from lane.runtime import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
LINE = b"jump around left thrice and walk around right thrice\n"


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(condition):
    """Wait for an event of other processes; a minute is far beyond any load."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it never happened")


def test_the_account_of_a_batch(capfd):
    with Workers(2, load(), Options()) as pool:
        parts = [pool.submit(Batch("in", number, text)) for number, text in ((1, b"run\nfly"), (3, b"look"))]
        (first,), (second,) = map(list, parts)
    assert first.output == b"", "the worker wrote it"
    assert first.problems == ["in:2: unknown word 'fly' (word 1)"]
    assert first.counts == {"lines": 2, "unknown-word": 1}
    assert second.counts == {"lines": 1}
    assert capfd.readouterr().out == "I_RUN\n<error:unknown-word>\nI_LOOK\n"


def test_parts_of_long_answers_stay_together(command):
    """Answers beyond the budget are written in parts; those of other workers do not come between."""
    lines = [b"jump around left" + b" thrice" * (7 + number % 2) + b"\n" for number in range(40)]
    alone, together = (
        subprocess.run(
            [*command, "--batch-size", "3", *arguments],
            input=b"".join(lines),
            capture_output=True,
            check=True,
        ).stdout
        for arguments in ((), ("--workers", "3"))
    )
    assert together == alone


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_no_worker_outlives_its_parent(command, number, tmp_path):
    """They have far more to write than a pipe holds, and nobody reads it."""
    (tmp_path / "in").write_bytes(LINE * 200_000)
    with subprocess.Popen(
        [*command, "--workers", "2", str(tmp_path / "in")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline()
        workers = children(process.pid)
        assert len(workers) == 2
        process.send_signal(number)
        assert process.wait(60) == -number
        until(lambda: not any(map(is_alive, workers)))


def test_a_model_from_a_pipe_reaches_the_workers(model, command, tmp_path):
    """It can be read only once: workers get what the parent has read."""
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(Path(model).read_bytes()))
    writer.start()
    done = subprocess.run(
        [*command[:3], "--model", str(tmp_path / "pipe"), "--workers", "2"],
        input=b"run\n",
        capture_output=True,
        check=True,
    )
    writer.join()
    assert done.stdout == b"I_RUN\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_network_from_a_pipe(exported, command, tmp_path, workers):
    pytest.importorskip("onnxruntime")
    os.mkfifo(tmp_path / "pipe")
    data = exported["onnx"].read_bytes()
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(data))
    writer.start()
    arguments = [*command[:3], "--model", str(tmp_path / "pipe"), "--workers", workers]
    done = subprocess.run(arguments, input=b"jump\n", capture_output=True)
    writer.join()
    if workers == "1":
        assert (done.returncode, done.stderr) == (0, b"")
    else:
        assert done.returncode == 2
        assert b"pipe: read from a pipe, it cannot be opened again in another process" in done.stderr


def test_too_few_files_may_be_open(command):
    """Each worker takes pipes: running out of them is reported in one line."""
    done = subprocess.run(
        [*command, "--workers", "100"],
        input=LINE,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)),
    )
    assert done.returncode == 3
    assert done.stderr == b"error: Too many open files; the output is cut short\n"


def test_an_error_in_a_worker_is_that_of_the_command(command):
    """A disk that is full for a worker is told by the parent, once."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [*command, "--workers", "3", "--batch-size", "1"],
            input=LINE * 50,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 3
    assert done.stderr == b"error: standard output: No space left on device; the output is cut short\n"
