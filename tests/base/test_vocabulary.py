"""Words and their numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary

words = st.text(st.characters(blacklist_categories=["Z", "C"]), min_size=1, max_size=4).filter(
    lambda word: word.split() == [word] and not word.startswith("$")
)


@given(st.lists(st.lists(words, max_size=5), max_size=5))
def test_the_order_of_the_data_does_not_matter(sentences):
    vocabulary = Vocabulary.of(sentences)
    assert vocabulary == Vocabulary.of(reversed([sentence[::-1] for sentence in sentences]))
    assert set(vocabulary) == {word for sentence in sentences for word in sentence}
    assert hash(vocabulary) == hash(Vocabulary(vocabulary.words))


@given(st.lists(words, unique=True))
def test_numbers_run_from_one(listed):
    vocabulary = Vocabulary(listed)
    assert [vocabulary.number(word) for word in listed] == list(range(1, len(listed) + 1))
    assert [vocabulary.word(i + 1) for i in range(len(listed))] == listed
    assert len(vocabulary) == len(listed)
    assert all(word in vocabulary for word in listed)


@pytest.mark.parametrize("word", ["", " ", "two words", "tab\there", "end\n", "\u00a0", "wide\u3000space"])
def test_white_space_is_in_no_word(word):
    with pytest.raises(LaneError, match=r"is not a word"):
        Vocabulary(["jump", word])


@pytest.mark.parametrize("word", ["$", "$x", "$0"])
def test_variables_are_no_words(word):
    with pytest.raises(LaneError, match=r"kept for variables"):
        Vocabulary([word])


def test_a_word_inside_may_hold_the_mark():
    assert Vocabulary(["a$"]).number("a$") == 1


def test_a_word_twice():
    with pytest.raises(LaneError, match="'jump' is listed twice"):
        Vocabulary(["walk", "jump", "run", "jump"])


@pytest.mark.parametrize("number", [0, -1, 3])
def test_no_word_has_this_number(number):
    with pytest.raises(LaneError, match=f"no word has number {number}; they run from 1 to 2"):
        Vocabulary(["jump", "walk"]).word(number)


def test_an_unknown_word():
    with pytest.raises(LaneError, match="unknown word 'fly'; the vocabulary has 1 words"):
        Vocabulary(["jump"]).number("fly")


def test_cannot_be_changed():
    vocabulary = Vocabulary(["jump"])
    with pytest.raises(AttributeError):
        vocabulary.more = 1
