"""The worked example: its files are what they are said to be, and a model learns the language from them."""

import subprocess
import sys
from pathlib import Path

import pytest

from lane.data import read_pairs

ROBOT = Path(__file__).parents[1] / "examples" / "robot"


def pairs(name):
    return [(" ".join(p.source), " ".join(p.target)) for p in read_pairs(ROBOT / name)]


def test_the_script_writes_these_files(tmp_path):
    script = tmp_path / "make.py"
    script.write_bytes((ROBOT / "make.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True)
    for name in ("train.tsv", "test.tsv"):
        assert (tmp_path / name).read_bytes() == (ROBOT / name).read_bytes()


def test_the_test_is_of_what_was_never_said():
    train, test = dict(pairs("train.tsv")), dict(pairs("test.tsv"))
    assert (len(train), len(test)) == (200, 300)
    assert not train.keys() & test.keys()
    assert [command for command in train if "garden" in command] == ["garden"]
    assert sum("garden" in command for command in test) > 100

    def parts(command):
        return 1 + sum(word in ("then", "after") for word in command.split())

    assert max(map(parts, train)) == 3
    assert max(map(parts, test)) == 6


@pytest.mark.slow
def test_a_model_learns_the_language(tmp_path):
    command = [sys.executable, "-m", "lane.cli.train", "--train", str(ROBOT / "train.tsv")]
    command += ["--test", str(ROBOT / "test.tsv"), "--out", str(tmp_path / "robot.pt"), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "test 100.00%" in done.stdout
    assert "patrol $x   -> $X $X" in done.stdout
