from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.base import suggestion
from lane.base.suggestion import Suggestions, did_you_mean

KNOWN = ("walk", "look", "run", "jump", "turn", "left", "right", "around", "a")


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("Jump", "jump"),
        ("jmup", "jump"),
        ("jum", "jump"),
        ("jumps", "jump"),
        ("arownd", "around"),
        ("arond", "around"),
        ("rigth", "right"),
        ("LEFT", "left"),
        ("rum", "run"),
        ("b", None),
        ("rrr", None),
        ("somersault", None),
        ("x" * 1000, None),
    ],
)
def test_nearest(word, nearest):
    assert Suggestions(KNOWN).nearest(word) == nearest


def test_the_first_of_equally_near_words():
    assert Suggestions(("turn", "burn")).nearest("lurn") == "turn"


def plainly(word, known):
    """The same by a loop over all words, with an edit distance by definition."""
    bound = 3 if len(word) > 3 else 2
    near = [
        (edits(word.casefold(), other.casefold()), place, other)
        for place, other in enumerate(known)
        if abs(len(other.casefold()) - len(word.casefold())) < bound
    ]
    near = [entry for entry in near if entry[0] < min(bound, len(entry[2]))]
    return min(near)[2] if near else None


@cache
def edits(left, right):
    """Insertions, deletions, substitutions and swaps of neighbours."""
    if not left or not right:
        return len(left) + len(right)
    ways = [edits(left[1:], right) + 1, edits(left, right[1:]) + 1]
    ways.append(edits(left[1:], right[1:]) + (left[0] != right[0]))
    if len(left) > 1 < len(right) and left[0] == right[1] and left[1] == right[0]:
        ways.append(edits(left[2:], right[2:]) + 1)
    return min(ways)


WORDS = st.text("abcAßé", max_size=6)


@settings(deadline=None, max_examples=300)
@given(WORDS, st.lists(WORDS, max_size=8))
def test_the_search_finds_what_a_loop_over_all_words_finds(word, known):
    assert Suggestions(known).nearest(word) == plainly(word, known)


def test_very_large_vocabularies_are_not_looked_through(monkeypatch):
    known = [f"{first}{number:06}" for first in "abcdefgh" for number in range(2000)]
    compared = []

    def count(left, right, enough):
        compared.append(right)
        return edits(left, right)

    monkeypatch.setattr(suggestion, "_edits", count)
    suggestions = Suggestions(known)
    assert suggestions.nearest("c0011111") == "c001111"
    assert {word[0] for word in compared} == {"c"}
    assert len(compared) <= 2000
    monkeypatch.setattr(suggestion, "MOST_COMPARED", 50)
    compared.clear()
    suggestions.nearest("c0011111")
    assert len(compared) <= 50


def test_the_end_of_a_message():
    assert did_you_mean("jumb", KNOWN) == "; did you mean 'jump'?"
    assert did_you_mean("fly", KNOWN) == ""
    assert did_you_mean("jump", ()) == ""
