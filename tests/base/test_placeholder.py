"""Slots as words, and the tokens of their texts."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.placeholder import (
    begins_like_slot,
    checked_skips,
    checked_slots,
    common_slots,
    filled,
    parsed,
    placeholder,
    replaced,
    slot_of,
    slots_in,
    without_slots,
)


def test_a_slot_is_a_word_in_braces():
    assert slot_of(placeholder("room")) == "room"
    for token in ("room", "{Room}", "{}", "{room", "{room}s", "{5}", "{a b}", "{" + "a" * 33 + "}"):
        assert slot_of(token) is None
    assert slots_in("go({number}, {room}) {Room}") == {"number", "room"}
    assert without_slots("{room}! {5}") == "room! {5}"
    assert replaced("{n} {m} {N} {n}", {"n": "{m}"}) == "{m} {m} {N} {m}"
    assert common_slots([("go {n} {m}", "GO {n}"), ("x", "{k}")]) == ("n",)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_the_token_of_a_text_gives_it_back_and_is_no_action(text):
    token = filled("room", text)
    assert parsed(token) == ("room", text)
    assert unquote(token[6:-1]) == text
    assert token.isascii()
    assert token.split() == [token]
    assert begins_like_slot(token)
    assert sum(map(token.count, "{}")) == 2
    assert slot_of(token) is None


@pytest.mark.parametrize(
    "action", ["{room}", "{room:}", "{room:a b}", "{room:%zz}", "room:a", "{room:a}}", "GO"]
)
def test_other_actions_are_no_texts(action):
    assert parsed(action) is None


@pytest.mark.parametrize(
    "names", [None, ["Room"], ["b", "a"], ["a", "a"], [1], ["a"] * 101, ["a" * 33], "ab"]
)
def test_malformed_names_are_refused(names):
    with pytest.raises(LaneError, match="slots: "):
        checked_slots(names)


@pytest.mark.parametrize("words", [None, ["a b"], [""], ["b", "a"], ["x" * 257], [1]])
def test_malformed_skips_are_refused(words):
    with pytest.raises(LaneError, match="skips: "):
        checked_skips(words)
