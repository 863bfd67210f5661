"""Phrases: joining tokens, and finding them again in what was typed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.phrase import BLANK, checked_phrases, first_place, join_phrases
from lane.base.scheme import Schemes

VOLT, UNIT = ("electron", "volt"), ("thermal", "unit")
BTU = ("british", f"thermal{BLANK}unit")


def test_neighbours_become_one_token():
    command = ["electron", "volt", "per", "volt", "electron", "electron", "volt"]
    joined = [f"electron{BLANK}volt", "per", "volt", "electron", f"electron{BLANK}volt"]
    assert join_phrases(command, [VOLT]) == joined
    assert join_phrases(["volt"], [VOLT]) == ["volt"]
    assert join_phrases([], [VOLT]) == []


def test_a_phrase_may_be_a_part_of_another():
    command = ["british", "thermal", "unit"]
    assert join_phrases(command, [UNIT, BTU]) == [f"british{BLANK}thermal{BLANK}unit"]
    assert join_phrases(command, [BTU, UNIT]) == ["british", f"thermal{BLANK}unit"], "in their order"


TOKENS = st.lists(st.sampled_from("abc"), max_size=8)


@given(TOKENS, st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=3))
def test_joined_tokens_are_the_same_text(tokens, phrases):
    joined = join_phrases(tokens, phrases)
    assert BLANK.join(joined).split(BLANK) == (tokens or [""])
    for position in range(1, len(joined) + 1):
        assert tokens[first_place(tokens, joined, position) - 1] == joined[position - 1].split(BLANK)[0]
    for first, second in phrases:  # nothing is left to join
        assert (first, second) not in pairwise(joined) or first == second


def test_a_line_full_of_phrases_takes_one_pass():
    """By the square of its length, this would take hours."""
    assert join_phrases(["electron"] * 300_000, [VOLT]) == ["electron"] * 300_000
    assert join_phrases([*VOLT] * 300_000, [VOLT]) == [f"electron{BLANK}volt"] * 300_000


def test_errors_name_the_word_that_was_typed():
    schemes = Schemes(phrases=(VOLT,))
    assert schemes.read("electron volt per vlt") == [f"electron{BLANK}volt", "per", "vlt"]
    assert schemes.typed("electron volt per vlt", 3) == ("vlt", 4)
    assert not schemes.is_plain


def test_a_blank_sign_that_was_typed_is_no_phrase():
    schemes = Schemes("text", phrases=(VOLT,))
    assert schemes.typed("electron␣volt electron volt ? vlt", 6) == ("vlt", 5)
    assert Schemes(phrases=(VOLT,)).typed("electron␣volt electron volt vlt", 3) == ("vlt", 4)


@pytest.mark.parametrize("phrases", [None, 3, ["ab"[:1]], [("a",)], [("a", "")], [("a b", "c")], [(1, 2)]])
def test_malformed_phrases_are_refused(phrases):
    with pytest.raises(LaneError, match="phrases: "):
        checked_phrases(phrases)


def test_phrases_of_a_file_are_lists():
    assert checked_phrases([["a", "b"]]) == (("a", "b"),)
