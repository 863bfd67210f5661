"""What the commands share, in processes of their own: exit codes, and ends without a traceback."""

import os
import signal
import subprocess
import sys

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
