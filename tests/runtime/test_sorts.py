"""Sorts: words of one kind share their shapes, words of two kinds do not."""

from lane.runtime import load
from lane.runtime.sorts import Sorts


def bundled(lenient: bool) -> Sorts:
    program = load()._backend.program
    return Sorts(program.tables, program.kinds, lenient)


def test_recognised_words_are_sorted_by_kind():
    of_word = bundled(lenient=False).of_word
    assert of_word["jump"] == of_word["walk"] != of_word["left"] == of_word["right"]
    assert of_word["and"] != of_word["after"]


def test_the_composer_sees_leaves():
    sorts = bundled(lenient=False)
    shape = [sorts.of_word[word] for word in ("jump", "and", "left")]
    assert sorts.leaves(shape) == [0, sorts.tables.leaf_of["and"], 0]


def test_a_lenient_sort_is_the_leaf():
    sorts = bundled(lenient=True)
    assert sorts.of_word == sorts.tables.leaf_of
    assert not sorts.refuses
