"""`lane-run` as a process of its own, with SCAN's program as its model."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest


def _helper(name):
    """A helper module of the runtime's tests, which are no package."""
    path = Path(__file__).parents[1] / "runtime" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"run_helper_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def scan():
    """The hand-written SCAN program and SCAN's grammar."""
    return _helper("scan_program")


@pytest.fixture(scope="session")
def slots():
    """A program with slots of each sort."""
    return _helper("slot_program")


@pytest.fixture(scope="session")
def model(scan, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "scan.lane"
    scan.scan_program().save(path)
    return str(path)


@pytest.fixture(scope="session")
def command(model):
    """`lane-run` with the model, as a list to add arguments to."""
    return [sys.executable, "-c", "import sys; from lane.cli.run import main; sys.exit(main())", "-m", model]


@pytest.fixture
def lane_run(command):
    def call(*arguments, text=b"", code=0):
        if isinstance(text, str):
            text = text.encode()
        done = subprocess.run([*command, *arguments], input=text, capture_output=True, timeout=60)
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        return done.stdout.decode(), done.stderr.decode()

    return call
