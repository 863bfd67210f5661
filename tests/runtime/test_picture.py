"""Pictures of derivations: complete, apart from each other, and of bounded size."""

from xml.etree import ElementTree

import pytest

from lane.runtime import Limits, Program, Translator
from lane.runtime.picture import as_html, as_svg
from lane.runtime.program_backend import ProgramBackend


@pytest.fixture(scope="module")
def translator(scan):
    return Translator(ProgramBackend(scan.scan_program()))


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


def test_a_command_is_the_title_once(translator):
    derivation = translator.explain("look twice")
    assert as_html([derivation]).count(">look twice<") == 1
    assert as_svg([derivation]).count(">look twice<") == 1


def test_long_tokens_are_cut():
    word, action = "w" * 256, "A" * 256
    program = Program.build(
        words={word: True},
        nodes=[("$", "$", 0, True)],
        rules=[((word,), (action,) * 10, 0), (("$x", "$y"), ("$X", "$Y") * 5, 0)],
        limits=Limits(max_words=100, max_actions=100_000),
    )
    derivation = Translator(ProgramBackend(program)).explain(f"{word} {word} {word}")
    for shown in (as_svg([derivation]), as_html([derivation])):
        assert len(shown) < 20_000
        assert "A..." in shown
    ElementTree.fromstring(as_svg([derivation]))
