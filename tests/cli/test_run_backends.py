"""`lane-run` with each kind of model file."""

import hashlib
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-c", "import sys; from lane.cli.run import main; sys.exit(main())"]
KINDS = ("program", "onnx", "torchscript")
LINES = "jump twice\nJump\n\nwalk größe and run\n" * 20


def lane_run(*arguments, text="", code=0):
    done = subprocess.run([*COMMAND, *arguments], input=text.encode(), capture_output=True, timeout=120)
    assert done.returncode == code, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def wanted(exported):
    return lane_run("-m", str(exported["program"]), text=LINES, code=1)


@pytest.mark.parametrize("kind", KINDS)
def test_lines_and_workers(exported, wanted, kind):
    arguments = ("-m", str(exported[kind]), "--backend", kind, "--trust", "yes")
    assert lane_run(*arguments, text=LINES, code=1) == wanted
    assert lane_run(*arguments, "--workers", "2", "--batch-size", "7", text=LINES, code=1) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_rules(exported, kind):
    output, _ = lane_run("rules", "-m", str(exported[kind]), "--trust", "yes")
    assert output == lane_run("rules", "-m", str(exported["program"]))[0]
    assert " -> " in output


def test_trust(exported):
    path = str(exported["torchscript"])
    digest = hashlib.sha256(exported["torchscript"].read_bytes()).hexdigest()
    output, errors = lane_run("-m", path, text="jump\n", code=2)
    assert output == ""
    assert errors.count("\n") == 1
    assert errors.startswith(f"error: {path}: a TorchScript archive is code")
    assert lane_run("-m", path, "--trust", digest.upper(), text="jump\n")[0]
    for kind in KINDS:
        _, errors = lane_run("-m", str(exported[kind]), "--trust", "0" * 64, text="jump\n", code=2)
        assert "its SHA-256 is not the one given as trust" in errors
    assert "neither yes nor a SHA-256" in lane_run("--trust", "no", code=2)[1]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_explaining_needs_a_program(exported, workers):
    arguments = ("-m", str(exported["onnx"]), "--explain", "--workers", workers)
    output, errors = lane_run(*arguments, text="jump\n", code=2)
    assert output == ""
    assert "cannot explain" in errors
    assert errors.count("\n") == 1


def test_workers_tell_of_a_model_that_is_gone(exported, tmp_path):
    """Each worker opens the file itself; here it is gone as soon as the first process has it."""
    path = tmp_path / "gone.onnx"
    path.write_bytes(exported["onnx"].read_bytes())
    script = (
        "import sys; from pathlib import Path; from lane.cli import run; load = run.load\n"
        "def once(path, *rest, **more):\n"
        "    translator = load(path, *rest, **more); Path(path).unlink(); return translator\n"
        "run.load = once\n"
        "if __name__ == '__main__': sys.exit(run.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "-m", str(path), "--workers", "2", "--batch-size", "1"],
        input=b"jump\n" * 9,
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: a translator that was sent to this process cannot be opened: ")
    assert done.stderr.count(b"\n") == 1
