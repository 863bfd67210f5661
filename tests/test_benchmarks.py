"""The benchmarks start: each imports what it measures, and says how it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
# Not commands: fill_pages.py takes no arguments (tests/test_results.py), peer.py is a part of runtime.py.
COMMANDS = sorted(path for path in FOLDER.glob("*.py") if path.stem not in ("fill_pages", "peer"))


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_benchmark_shows_its_help(path: Path) -> None:
    done = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: {path.name}" in done.stdout
