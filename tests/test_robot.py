"""The worked example: its files are what they are said to be, and a model learns the language from them."""

import subprocess
import sys
from pathlib import Path

import pytest

from lane.data import read_pairs
from lane.export import export
from lane.runtime import Program
from lane.runtime.extension import NewWord, grow
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator

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


OPERATORS = ("and", "in", "patrol", "twice", "thrice", "then", "after")


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_pairs_decide_the_rule_of_each_operator(operator):
    """Some pair has it alone; each other operator is in some pair with it, and missing from another."""
    found = [set(OPERATORS) & set(command.split()) for command in dict(pairs("train.tsv"))]
    assert {operator} in found
    for other in set(OPERATORS) - {operator}:
        assert any({operator, other} <= words for words in found)
        assert any(operator in words and other not in words for words in found)


def test_the_readme_has_a_rule_for_each_operator():
    readme = (ROBOT.parents[1] / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("11 words and 7 rules:\n")[2].partition("accuracy")[0]
    words = [word for rule in shown.splitlines() for word in rule.partition("->")[0].split()]
    assert {word for word in words if word[0] != "$"} == {
        *OPERATORS,
        *(command for command in dict(pairs("train.tsv")) if " " not in command),
    }


@pytest.mark.slow
def test_a_model_learns_the_language(tmp_path):
    command = [sys.executable, "-m", "lane.cli.train", "--train", str(ROBOT / "train.tsv")]
    command += ["--test", str(ROBOT / "test.tsv"), "--out", str(tmp_path / "robot.pt"), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "test 100.00%" in done.stdout
    assert "patrol $x   -> $X $X" in done.stdout
    program = Program.load(export(tmp_path / "robot.pt", formats=["program"]).program)
    grown = Translator(
        ProgramBackend(grow(program, [NewWord("{number}", "hall"), NewWord("{place}", "garden")]))
    )
    grown.set_list("place", ["Aunt Ann's room"])
    for command, output in pairs("test.tsv"):
        assert grown.translate(command).text == output
        said = command.replace("hall", "12").replace("garden", "Aunt Ann's room")
        expected = output.replace("TO_HALL", "{number:12}").replace(
            "TO_GARDEN", "{place:Aunt%20Ann%27s%20room}"
        )
        assert grown.translate(said).text == expected
