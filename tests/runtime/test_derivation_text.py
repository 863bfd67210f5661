"""Derivations for people and for programs."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lane.runtime import Translator
from lane.runtime.picture import as_html, as_svg
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


def test_steps(translator):
    derivation = translator.explain("walk around left")
    last = derivation.steps[-1]
    assert last.node == "(($x around) $y)"
    assert (last.start, last.stop, last.parts, last.reads, last.slot) == (0, 3, (1, 2), (0, 1), 0)
    assert last.length == 8
    assert last.text == derivation.text == translator.translate("walk around left").text
    assert [step.length for step in derivation.steps] == [1, 1, 8]


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


def test_svg_is_self_contained_xml(translator):
    derivations = [
        translator.explain("walk left and turn right thrice"),
        translator.explain("jump <&> \x00\ud800"),
    ]
    picture = as_svg(derivations)
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"walk left and turn right thrice", "$x and $y → $X $Y", "walk → I_WALK", "thrice"} <= texts
    assert any("unknown word '<&>'" in text for text in texts)
    assert "href" not in picture
    assert "prefers-color-scheme: dark" in picture
    width, height = float(root.get("width")), float(root.get("height"))
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert 0 <= float(box.get("x")) <= float(box.get("x")) + float(box.get("width")) <= width
        assert 0 <= float(box.get("y")) <= float(box.get("y")) + float(box.get("height")) <= height


def test_boxes_do_not_overlap(translator):
    root = ElementTree.fromstring(
        translator.explain("turn around left thrice and jump opposite right twice").as_svg()
    )
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for box in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    for i, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:i]:
            apart = x + width <= other_x or other_x + other_width <= x
            assert apart or y + height <= other_y or other_y + other_height <= y


def test_html_page(translator):
    page = as_html([translator.explain("look twice"), translator.explain("run")])
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg") == 2
    assert "<td>$x twice → $X $X</td>" in page
    assert "src=" not in page


def test_very_long_commands_can_be_explained(translator):
    derivation = translator.explain("walk and " * 1000 + "run")
    assert len(derivation.steps) == 2001
    assert derivation.as_tree().count("\n") > 2000
    assert as_svg([derivation]).endswith("</svg>\n")
