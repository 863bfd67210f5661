"""Derivations as values: equality, laziness, and how notebooks show them."""

import pickle
from xml.etree import ElementTree

import pytest

from lane.runtime import Derivation, load
from lane.runtime.substitution import Piece


@pytest.fixture(scope="module")
def translator():
    return load()


def test_derivations_of_equal_commands_are_equal(translator):
    first, second = translator.explain("jump twice"), translator.explain("jump  twice")
    assert first == second
    assert first != translator.explain("walk twice")
    assert pickle.loads(pickle.dumps(first)) == first
    assert first.steps[-1].text == first.text == "I_JUMP I_JUMP"


def test_values_are_shared_and_written_out_when_asked_for(translator):
    def size(value: Piece, seen: set[int]) -> int:
        if id(value) in seen or not isinstance(value, tuple):
            return 1
        seen.add(id(value))
        return 1 + sum(size(part, seen) for part in value)

    last = translator.explain("jump" + " thrice" * 10).steps[-1]
    assert last.length == 3**10
    assert size(last.value, set()) < 100


def test_the_views_of_a_derivation(translator):
    derivation = translator.explain("jump twice")
    assert derivation.as_text().splitlines()[-1] == "  = I_JUMP I_JUMP"
    assert derivation.as_tree().splitlines()[1] == "$x twice -> $X $X   = I_JUMP I_JUMP"
    assert derivation.as_dict()["text"] == "I_JUMP I_JUMP"
    assert ElementTree.fromstring(derivation.as_svg()).get("class") == "lane"


def test_a_notebook_shows_the_picture(translator):
    shown = translator.explain("jump twice")._repr_html_()
    root = ElementTree.fromstring(shown)
    assert root.tag == "div"
    assert "overflow-x: auto" in root.get("style"), "a wide one scrolls"
    assert root.get("class") == "tex2jax_ignore mathjax_ignore", "no text between two $ is mathematics"
    assert root[0].tag.endswith("svg")
    failed = translator.explain("<script>")._repr_html_()
    assert "unknown word" in failed
    assert "<script>" not in failed


def test_a_derivation_of_nothing():
    assert Derivation((), (), "").as_text() == "\n  = "
