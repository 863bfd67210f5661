"""Kinds of words."""

from lane.trainer.induction.lexicon import Lexicon
from lane.trainer.induction.wordclass import word_classes


def classes(texts):
    words = sorted({word for text in texts for word in text.split()})
    commands = [tuple(words.index(word) + 1 for word in text.split()) for text in texts]
    found = word_classes(commands, Lexicon(commands, list(texts.values())))
    return sorted(sorted(words[word - 1] for word in kind) for kind in found)


def test_words_that_stand_for_each_other_are_of_one_kind():
    found = classes({"go a": "xA", "go b": "xB", "stop a": "yA", "stop c": "yC", "stop b": "yB"})
    assert found == [["a", "b", "c"], ["go", "stop"]]


def test_kinds_are_joined_through_a_third_word():
    """`a` and `c` share no command, but both share one with `b`."""
    texts = {"go a": "xA", "go b": "xB", "stop b": "yB", "stop c": "yC", "a": "A", "c": "C", "b": "B"}
    assert ["a", "b", "c"] in classes(texts)


def test_a_rare_word_joins_the_kind_with_its_neighbours():
    texts = {"go a now": "xAw", "go b now": "xBw", "go c now please": "xCwz", "halt d fast": "yDv"}
    found = classes(texts)
    assert ["a", "b", "c"] in found
    assert not any("d" in kind and "a" in kind for kind in found)


def test_half_of_the_neighbours_are_not_enough():
    texts = {"go a now": "xAw", "go b now": "xBw", "go c now please": "xCwz", "halt c fast": "yCv"}
    assert ["a", "b"] in classes(texts)


def test_words_without_a_value_have_no_kind():
    found = classes({"a of": "A)", "b of": "B)"})
    assert found == [["a", "b"]]


def test_every_word_with_a_value_has_one_kind(languages, named):
    dataset = languages[named].seen
    known = dataset.known()
    lexicon = Lexicon(list(known), ["".join(map(chr, gold)) for gold in known.values()])
    kinds = word_classes(list(known), lexicon)
    assert sorted(word for kind in kinds for word in kind) == sorted(lexicon.value)
