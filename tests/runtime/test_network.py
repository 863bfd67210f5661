"""What all networks share, with a network of a few lines."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.scheme import Schemes
from lane.runtime import ModelError, network
from lane.runtime.model_file import ModelFile
from lane.runtime.network import NetworkBackend, _portions, first_line, needs
from lane.runtime.network_card import NetworkCard

CARD = NetworkCard(
    version=2,
    kind="onnx",
    sha256="ab",
    words=("a", "b"),
    actions=("A", "B"),
    statuses=("ok", "too-many-actions"),
    max_words=5,
    max_actions=4,
    margin=None,
    agreement=None,
    provenance={},
    rules=(),
)


def echo(rows):
    """Every word is its action; five words are too many actions."""
    lengths = [sum(map(bool, row)) for row in rows]
    fit = [length if length < 5 else 0 for length in lengths]
    actions = [number for row, size in zip(rows, fit, strict=True) for number in row[:size]]
    return actions, fit, [int(length == 5) for length in lengths]


def backend(call=echo):
    return NetworkBackend(ModelFile("m.onnx", b"", False), CARD, 1, call)


def test_answers_are_in_order_whatever_their_lengths():
    texts = ["a b a", "", "b", "c", "a a a a a", "b a", "a " * 6]
    answers = backend().translate_batch(texts)
    assert [answer.text for answer in answers] == ["A B A", "", "B", "", "", "B A", ""]
    codes = [answer.error and answer.error.code for answer in answers]
    assert codes == [None, "empty", None, "unknown-word", "too-many-actions", None, "too-many-words"]
    assert backend().translate_batch([]) == []


def test_slots_are_left_to_the_program():
    card = replace(CARD, words=("a", "b", "{n}"), actions=("A", "B", "{n}"), schemes=Schemes(slots=("n",)))
    network = NetworkBackend(ModelFile("m.onnx", b"", False), card, 1, echo)
    answers = network.translate_batch(["a {n}", "a 5", "b"])
    hint = "slots are filled by the program (.lane) of a model alone"
    assert [answer.error and answer.error.message for answer in answers] == [
        f"unknown word '{{n}}' (word 2); {hint}",
        f"unknown word '5' (word 2); {hint}",
        None,
    ]


@pytest.mark.parametrize(
    "reply",
    [
        ([1], [1], []),
        ([1], [2], [0]),
        ([1], [-1], [0]),
        ([3], [1], [0]),
        ([0], [1], [0]),
        ([1], [1], [2]),
        ([1], [1], [-1]),
    ],
)
def test_numbers_without_meaning_are_refused(reply):
    with pytest.raises(
        ModelError, match=r"m\.onnx: the network answers with numbers that its card does not define"
    ):
        backend(lambda rows: reply).translate_batch(["a"])


def test_a_network_that_fails():
    def fail(rows):
        raise RuntimeError("no memory\nand a stack trace")

    with pytest.raises(ModelError, match=r"failed on a batch of commands: no memory$"):
        backend(fail).translate_batch(["a"])
    closed = backend()
    closed.close()
    with pytest.raises(ModelError, match="the translator is closed"):
        closed.translate_batch(["a"])
    with pytest.raises(ModelError, match="cannot explain its translations"):
        backend().explain("a")


@given(st.lists(st.integers(1, 20)), st.integers(1, 60))
def test_portions_are_complete_and_bounded(lengths, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "_CELLS", cells)
        portions = list(_portions(dict(enumerate(lengths))))
    assert sorted(place for portion in portions for place in portion) == list(range(len(lengths)))
    for portion in portions:
        width = max(lengths[place] for place in portion)
        assert len(portion) == 1 or len(portion) * width <= cells
        assert lengths[portion[-1]] == width, "the last is the longest"


def test_a_missing_package():
    def imports():
        raise ImportError("No module named 'x'")

    with pytest.raises(ModelError, match=r"to use it x is needed .*pip install \"lane-expressions\[y\]\""):
        needs(ModelFile("m", b"", False), "x", "y", imports)


def test_the_first_line_of_a_foreign_message():
    assert first_line(ValueError("one\ntwo")) == "one"
    assert first_line(ValueError("")) == "ValueError"
    assert len(first_line(ValueError("x" * 1000))) == 300
