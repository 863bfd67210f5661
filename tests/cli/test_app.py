"""What the commands share, in processes of their own: exit codes, and ends without a traceback."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, sys, time
import typer
from lane.cli.app import fail, new_app, run
from lane.base.errors import LaneError

app = new_app("A program. Example: program end")

@app.command()
def end(how: str) -> None:
    if how == "error":
        raise LaneError("no such thing")
    if how == "use":
        raise typer.BadParameter("not like this")
    if how == "exit":
        fail("third way")
        sys.exit(3)
    if how == "interrupt":
        print("ready", flush=True)
        time.sleep(60)
    if how in ("once", "long"):
        typer.echo("line " * (100_000 if how == "long" else 1))
    while how == "write":
        typer.echo("line " * 100)

@app.command()
def other() -> None: ...

run(app, [LaneError])
"""


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)


@pytest.mark.parametrize(
    ("how", "code", "message"),
    [
        ("error", 1, "error: no such thing\n"),
        ("exit", 3, "error: third way\n"),
        ("nothing", 0, ""),
    ],
)
def test_ends(how: str, code: int, message: str) -> None:
    process = start("end", how)
    assert process.communicate(timeout=30) == ("", message)
    assert process.returncode == code


@pytest.mark.parametrize("arguments", [("end", "use"), ("end",), ("ende",), ("--no-such-option",)])
def test_wrong_use_is_told_with_the_usage_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    process = start(*arguments)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, output) == (2, "")
    assert errors.startswith("Usage: ")
    assert "Traceback" not in errors


def test_interrupt_is_one_line_and_130() -> None:
    process = start("end", "interrupt")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "interrupted\n")
    assert process.returncode == 130


@pytest.mark.parametrize("arguments", [("end", "write"), ("--help",)])
def test_a_closed_pipe_ends_in_silence(arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stdout=write, stderr=pipe, text=True
    )
    os.close(write)
    assert process.communicate(timeout=30)[1] == ""
    assert process.returncode == 0


def test_a_reader_that_has_seen_enough_ends_it_in_silence() -> None:
    process = start("end", "write")
    assert process.stdout.readline().startswith("line")
    process.stdout.close()
    assert (process.wait(timeout=30), process.stderr.read()) == (0, "")
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [("end", "write"), ("end", "once"), ("--help",)])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line_and_3(arguments: tuple[str, ...], unbuffered: str) -> None:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "error: standard output: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_write_that_is_cut_short_is_not_lost_in_silence(tmp_path: Path, unbuffered: str) -> None:
    import resource

    with (tmp_path / "out").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "end", "long"], stdout=out, stderr=subprocess.PIPE, text=True,
            check=False, env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "error: standard output: File too large\n")
    assert (tmp_path / "out").stat().st_size == 50_000


@pytest.mark.skipif(os.name != "posix", reason="needs a shell of POSIX")
def test_a_closed_standard_output_is_one_line_and_3() -> None:
    command = ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-c", PROGRAM, "end", "once"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "error: standard output is closed\n")


def test_the_version_is_looked_up_only_when_asked_for() -> None:
    code = "import sys, lane.cli.app; print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(("command", "arguments"), [("train", []), ("export", ["model.pt"])])
def test_without_torch_the_remedy_is_named(tmp_path, command, arguments):
    """As after the base install: torch and onnx cannot be found."""
    hide = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name in ('torch', 'onnx') else find(name, *rest)\n"
        f"sys.argv = ['lane-{command}', *{arguments!r}]\n"
        f"from lane.cli.{command} import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 1
    assert "needs torch" in ended.stderr
    assert "lane-expressions[train]" in ended.stderr
    assert "Traceback" not in ended.stderr


SWALLOWED = """
import os, signal, sys
from lane.base.interruption import delayed
from lane.cli.app import run

def app():
    with delayed():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            print("imported", flush=True)
        except BaseException:
            pass  # as libraries do that import others
    print("went on", flush=True)

run(app, [])
"""


def test_a_signal_during_an_import_is_not_swallowed() -> None:
    """torch clears whatever is raised while it imports numpy, and leaves that half imported."""
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (143, "imported\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of files")
def test_a_file_that_cannot_be_written_is_one_line_and_3(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lane.cli.data", "write", "addjump", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert done.returncode == 3
    assert done.stderr.endswith("cannot be written: File too large; free some space or name another place\n")
    assert list(tmp_path.iterdir()) == []
