"""Cards of network files: each part is checked, and nothing in one leads to anything but a ModelError."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.runtime import ModelError, Rule
from lane.runtime.model_file import ModelFile
from lane.runtime.network_card import NetworkCard, read_card

FILE = ModelFile("model.onnx", b"", False)
CARD = {
    "lane": "onnx",
    "version": 1,
    "sha256": "ab",
    "words": ["a", "b"],
    "actions": ["A"],
    "statuses": ["ok"],
    "limits": {"max_words": 3, "max_actions": 3},
    "margin": None,
    "trust": 1,
    "provenance": {"seed": 1},
    "rules": [["$x b", "$X $X", 2], ["a", "A", 1]],
}


def test_a_card():
    card = read_card(FILE, "onnx", CARD)
    assert card.rules == (Rule(("a",), ("A",), 1), Rule(("$x", "b"), ("$X", "$X"), 2)), "in order"
    info = card.info("model.onnx", "cd")
    assert (info.backend, info.path, info.sha256, info.file_sha256) == ("onnx", "model.onnx", "ab", "cd")
    assert (info.words, info.actions, info.max_words, info.max_actions) == (("a", "b"), ("A",), 3, 3)
    assert (info.agreement, info.margin, info.provenance) == (1, None, {"seed": 1})
    assert (info.complete, info.rules, info.nodes) == (True, 2, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 3}, "format version 3, but this runtime reads versions up to 2"),
        ({"version": "x" * 10_000}, r"format version 'x{56}\.\.\., but"),
        ({"lane": "torchscript"}, "another kind of file: 'torchscript'"),
        ({"words": []}, "no 'words'"),
        ({"words": ["a", "a"]}, "no 'words'"),
        ({"words": ["a b"]}, "no 'words'"),
        ({"words": ["a\x1b[31m"]}, "no 'words'"),
        ({"actions": ["A\x9b2J"]}, "no 'actions'"),
        ({"actions": ["\x07"]}, "no 'actions'"),
        ({"actions": [1]}, "no 'actions'"),
        ({"limits": {"max_words": 3}}, "no 'limits'"),
        ({"limits": {"max_words": 3, "max_actions": 10_000_001}}, "no 'limits'"),
        ({"limits": {"max_words": 3, "max_actions": True}}, "no 'limits'"),
        ({"margin": -1}, "no 'margin'"),
        ({"margin": 10**400}, "no 'margin'"),
        ({"trust": "high"}, "no 'trust'"),
        ({"provenance": []}, "no 'provenance'"),
        ({"rules": [["a", "A"]]}, "no 'rules'"),
        ({"rules": [["a", "", 1]]}, "no 'rules'"),
        ({"rules": [["a", "A", 2**53]]}, "no 'rules'"),
        ({"rules": [["a", "\x1b[2J", 1]]}, "a rule of words or actions that it does not list"),
        ({"rules": [["c", "A", 1]]}, "a rule of words or actions that it does not list"),
        (
            {"actions": ["A" * 300], "rules": [], "limits": {"max_words": 3, "max_actions": 10_000_000}},
            "outputs of more than 67108864 bytes",
        ),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises(ModelError, match=f"model.onnx: .*{message}"):
        read_card(FILE, "onnx", CARD | change)


@pytest.mark.parametrize("part", [part for part in CARD if part not in ("lane", "version")])
def test_a_missing_part(part):
    with pytest.raises(ModelError, match=f"no {part!r} of the form"):
        read_card(FILE, "onnx", {name: value for name, value in CARD.items() if name != part})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*CARD, "max_words"]), inner),
    max_leaves=8,
)


@settings(max_examples=500, deadline=None)
@given(st.dictionaries(st.sampled_from(list(CARD)), VALUES))
def test_any_card_is_read_or_refused(changes):
    message = ""
    try:
        card = read_card(FILE, "onnx", CARD | changes)
    except ModelError as error:
        message = str(error)
    else:
        assert isinstance(card, NetworkCard)
        assert card.info("", "").backend == "onnx"
    assert "\n" not in message
    assert len(message) < 300
