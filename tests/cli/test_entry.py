"""The entry points where something is not installed: one line that says what to install."""

import subprocess
import sys

import pytest

HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {top!r} or name == {top!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
sys.argv = ["lane-{command}", *{arguments!r}]
from lane.cli.entry import {command}
{command}()
"""


def start(command: str, top: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = HIDE.format(command=command, top=top, arguments=arguments)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["data", "train", "export"])
def test_without_typer_the_extra_is_named(command: str) -> None:
    done = start(command, "typer", "--help")
    expected = f"error: lane-{command} needs typer: pip install 'lane-expressions[train]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_a_module_that_is_missed_later_is_named_too() -> None:
    done = start("train", "pydantic", "settings")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: lane-train needs pydantic: pip install 'lane-expressions[train]'\n"


def test_without_the_trainer_the_extra_is_named() -> None:
    done = start("train", "lane.trainer", "settings")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: lane-train needs lane.trainer")
    assert done.stderr.endswith(": pip install 'lane-expressions[train]'\n")


def test_without_the_experiments_their_distribution_is_named() -> None:
    done = start("train", "lane.experiments", "sweep", "--seeds", "1")
    assert done.returncode == 1
    assert done.stderr.startswith("error: lane-train needs lane.experiments")
    assert done.stderr.endswith("pip install ./experiments\n")


def test_with_everything_it_is_the_command() -> None:
    done = start("data", "nothing", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "addjump" in done.stdout


def test_the_entry_needs_the_standard_library_only() -> None:
    code = "import sys, lane.cli.entry; print({'typer', 'pydantic', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
