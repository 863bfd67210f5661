"""Derivations for people and for programs."""

import json
import tracemalloc
from pathlib import Path

import pytest

from lane.runtime import Limits, Program, Translator, derivation_text
from lane.runtime.picture import as_svg
from lane.runtime.program_backend import ProgramBackend

GOLDEN = Path(__file__).parent / "golden" / "derivation.txt"

TREE = """\
walk left and turn right thrice
$x and $y -> $X $Y   = I_TURN_LEFT I_WALK I_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT
├── $x $y -> $Y $X   = I_TURN_LEFT I_WALK
│   ├── walk -> I_WALK
│   └── left -> I_TURN_LEFT
└── $x thrice -> $X $X $X   = I_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT
    └── turn $x -> $X   = I_TURN_RIGHT
        └── right -> I_TURN_RIGHT
  = I_TURN_LEFT I_WALK I_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT"""


@pytest.fixture(scope="module")
def translator(scan):
    return Translator(ProgramBackend(scan.scan_program()))


def test_text(translator):
    assert translator.explain(
        "jump around left twice after turn right"
    ).as_text() == GOLDEN.read_text().removesuffix("\n")


def test_tree(translator):
    assert translator.explain("walk left and turn right thrice").as_tree() == TREE


def test_one_word_commands(translator):
    assert translator.explain("jump").as_tree() == "jump\njump -> I_JUMP\n  = I_JUMP"
    assert translator.explain("and").as_tree() == "and\nand -> I_LOOK\n  = I_LOOK"


def test_dict_is_json(translator):
    content = json.loads(json.dumps(translator.explain("look twice").as_dict()))
    assert list(content) == ["words", "text", "error", "steps"]
    assert content["steps"][1] == {
        "number": 2,
        "span": "$x twice",
        "template": "$X $X",
        "node": "($x twice)",
        "start": 0,
        "stop": 2,
        "parts": [1],
        "reads": [0],
        "slot": 0,
        "learned": True,
        "value": "I_LOOK I_LOOK",
    }


def test_errors_show_the_steps_before_them(tiny):
    translator = Translator(ProgramBackend(tiny))
    derivation = translator.explain("kiki dax lug")
    assert derivation.error.code == "beyond-model"
    assert [str(step.rule) for step in derivation.steps] == ["dax -> RED", "lug -> BLUE", "$x $y -> $X $Y $X"]
    assert derivation.as_text().endswith("error: beyond the model: no rule for 'kiki $x' (from word 1)")
    assert "error: unknown word" in translator.explain("what").as_tree()
    overflow = translator.explain("dax " * 20)
    assert overflow.error.code == "too-many-actions"
    assert overflow.steps[-1].length <= 400


def test_long_values_are_cut(translator):
    view = translator.explain("jump" + " twice" * 10).as_text()
    assert "... (1024 actions)" in view
    assert max(map(len, view.splitlines()[:-1])) < 400


def test_very_long_commands_can_be_explained(translator):
    derivation = translator.explain("walk and " * 1000 + "run")
    assert len(derivation.steps) == 2001
    assert derivation.as_tree().count("\n") > 2000
    assert as_svg([derivation]).endswith("</svg>\n")


@pytest.fixture(scope="module")
def deep():
    """A program whose rules nest as deep as commands are long, with a part pending at every level."""
    program = Program.build(
        words={"a": True, "of": False},
        nodes=[
            ("$", "of", 1, False),
            (("$", "of"), "$", 2, True),
            ("$", "$", 0, True),
            ("of", "$", 0, True),
            ("of", "of", 0, True),
        ],
        rules=[
            (("a",), ("A",), 0),
            (("of",), ("A",), 0),
            (("$x", "of", "$y"), ("$X",), 0),
            (("$x", "$y"), ("$X",), 0),
            (("of", "$x"), ("$X",), 0),
            (("of", "of"), ("A",), 0),
        ],
        limits=Limits(max_words=100_000, max_actions=100),
    )
    return Translator(ProgramBackend(program))


def test_lines_of_a_deep_tree_take_no_more_memory_than_the_deepest(deep):
    derivation = deep.explain("a of " * 3000 + "a")
    tracemalloc.start()
    size = sum(map(len, derivation_text.tree_lines(derivation)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 30_000_000, "the indents take the square of the depth"
    assert peak < 5_000_000


def test_pieces_of_json_are_the_json_of_the_data(translator, tiny):
    for derivation in (
        translator.explain("jump around left twice"),
        translator.explain("jump"),
        translator.explain("größe"),
        translator.explain(""),
        Translator(ProgramBackend(tiny)).explain("kiki dax lug"),
    ):
        assert "".join(derivation_text.json_pieces(derivation)) == json.dumps(
            derivation.as_dict(), ensure_ascii=False
        )
