"""The card: typed, plain JSON outside, and readable from older files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lane.base.errors import LaneError
from lane.models.card import Comparison, ModelCard, TrainingData

SHARE = st.floats(0, 1)
CARDS = st.builds(
    ModelCard,
    task=st.text(),
    seed=st.integers(0, 2**62),
    data=st.builds(TrainingData, pairs=st.integers(0, 10**9), sha256=st.text()),
    config=st.dictionaries(st.text(), st.integers() | st.booleans() | st.text()),
    converged=st.booleans(),
    agreement=st.none() | SHARE,
    accuracy=st.dictionaries(st.text(), SHARE),
    rules=st.lists(st.text()).map(tuple),
)


@given(CARDS)
def test_survives_json(card):
    assert ModelCard.read(json.loads(json.dumps(card.model_dump(mode="json")))) == card


def test_an_unfinished_model_says_so():
    assert ModelCard().reason == "training has not ended"
    assert not ModelCard().converged
    assert ModelCard().agreement is None


def test_the_measure_of_older_files_is_read():
    assert ModelCard.read({"trust": 0.75}) == ModelCard(agreement=0.75)
    assert "trust" not in ModelCard(agreement=0.75).model_dump(mode="json")


def test_slots_are_stated_only_where_there_are_any():
    assert "slots" not in ModelCard().model_dump(mode="json")
    card = ModelCard(slots=("room",))
    assert ModelCard.read(card.model_dump(mode="json")).schemes.slots == ("room",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "card: Input should be a valid dictionary"),
        ([], "card: Input should be a valid dictionary"),
        ({"agreement": 2}, "card: agreement: Input should be less than or equal to 1"),
        ({"agreement": float("nan")}, "card: agreement: .*finite"),
        ({"data": {"pairs": -1}}, "card: data.pairs: .*greater than or equal to 0"),
        ({"rules": [1]}, "card: rules.0: .*string"),
        ({"colour": "red"}, "card: colour: .*not permitted"),
    ],
    ids=str,
)
def test_a_malformed_card_is_an_error_of_one_sentence(content, message):
    with pytest.raises(LaneError, match=message) as raised:
        ModelCard.read(content)
    assert "\n" not in str(raised.value)


def test_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        ModelCard().converged = True


def test_a_comparison_says_how_many_commands_of_each_kind_agreed():
    compared = Comparison(commands=2000, agreed=1999, placed=10, placed_agreed=9, longer=4, longer_agreed=4)
    assert compared.share == 0.9995
    assert str(compared) == (
        "2,000 new commands, 99.95% agreed; 10 with a word or rule in a new place, 90.00%; "
        "4 longer than any pair, 100.00%"
    )
    assert Comparison().share is None
    assert "nothing was compared" in str(Comparison())
