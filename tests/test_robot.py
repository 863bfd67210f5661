"""The worked example: its files are what they are said to be, and a model learns the language from them."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from lane.data import read_pairs
from lane.export import export
from lane.runtime import Program, load
from lane.runtime.extension import NewWord, grow, read_growth
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator

ROOT = Path(__file__).parents[1]
ROBOT = ROOT / "examples" / "robot"


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


@pytest.fixture
def benchmark():
    """benchmarks/objects.py, as a module."""
    spec = importlib.util.spec_from_file_location("benchmark_objects", ROOT / "benchmarks" / "objects.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_objects_are_those_of_the_script(benchmark):
    lines = (ROBOT / "objects.txt").read_text(encoding="utf-8").splitlines()
    assert lines == benchmark.objects.lines()
    new = read_growth(lines, "objects.txt").words
    assert len({word.word for word in new}) == len({word.value for word in new}) == 500
    # Each word of the robot is a model for some, the garden too.
    assert {word.like for word in new} == {*benchmark.make.ROOMS, *benchmark.make.JOBS}


def test_the_committed_program_is_that_of_the_pairs():
    translator = load(ROBOT / "robot.lane")
    for name in ("train.tsv", "test.tsv"):
        for command, actions in pairs(name):
            assert translator.translate(command).text == actions
    shown = {rule.span for rule in translator.rules().used}
    assert len(shown) == 18


def test_five_hundred_objects_are_right_wherever_they_are(benchmark):
    """A share of what the committed figures count, with each new word in it."""
    counts = benchmark.measure(every=31)
    assert {name: count["wrong"] for name, count in counts.items()} == dict.fromkeys(counts, 0)
    assert counts[benchmark.ONE_PART]["commands"] > 2 * 500
    assert min(count["commands"] for count in counts.values()) > 300


def test_a_wrong_object_is_counted(benchmark, monkeypatch):
    """A value that is not the word's, and a word that the program did not get."""
    go = benchmark.make.go
    monkeypatch.setattr(benchmark.make, "go", lambda room: go(room.replace("north-attic", "attic")))
    counts = benchmark.measure(every=20_000)
    assert counts[benchmark.ONE_PART]["wrong"] >= 6


def test_the_committed_figures_of_the_objects(benchmark):
    counts = json.loads((ROOT / "results" / "objects.json").read_text(encoding="utf-8"))
    assert {count["wrong"] for count in counts.values()} == {0}
    rooms, jobs = 255, 256
    pairs_of_two = 2 * rooms**2 + jobs**2 + rooms * jobs
    assert counts[benchmark.ONE_PART]["commands"] == 3 * (2 * rooms + jobs + pairs_of_two)
    assert counts[benchmark.JOINED]["commands"] == 2 * (rooms + jobs) ** 2
    assert counts[benchmark.RANDOM]["commands"] == benchmark.MANY
