"""New commands as examples, and the examples that they are made from."""

import pytest

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.grammar import TreeGrammar
from lane.trainer.recombine import recombined, representative


@pytest.fixture
def grammar(hand_made, walking):
    met = TreeGrammar(2)
    met.add(hand_made(walking.rules, walking.trees))
    return met


def test_new_commands_as_examples(grammar, walking):
    source = Vocabulary(["walk", "run", "twice", "thrice", "and"])
    target = Vocabulary(["W", "R"])
    dataset = Dataset([Pair.of("walk and run twice", "W R R")], source, target)
    made = recombined(grammar, dataset, 10, seed=3)
    assert len(made.commands) == 10
    assert not made.placed, "everything stands where it was observed"
    for pair in made.commands.pairs:
        words = [source.number(word) for word in pair.source]
        assert [target.number(action) for action in pair.target] == walking.by_hand(words)


def test_examples_show_every_word():
    texts = [f"{one} and {two}" for one in ("walk", "run", "look") for two in ("walk", "run", "look")]
    dataset = Dataset.of([Pair.of(text, "W") for text in [*texts, "jump", "walk"]])
    order = list(range(len(dataset) - 1, -1, -1))  # the words by themselves are last
    chosen = [dataset.pairs[i].source for i in representative(dataset, order, 5).tolist()]
    assert {("jump",), ("walk",)} <= set(chosen)
    assert {word for source in chosen for word in source} == {"walk", "run", "look", "and", "jump"}
    assert len(representative(dataset, order, 100)) == len(dataset)


def test_training_commands_are_left_out_unless_asked_for(grammar):
    source, target = Vocabulary(["walk", "run", "twice", "thrice", "and"]), Vocabulary(["W", "R"])
    dataset = Dataset([Pair.of("walk twice", "W W"), Pair.of("walk and run twice", "W R R")], source, target)
    new = recombined(grammar, dataset, 100, seed=3).commands
    every = recombined(grammar, dataset, 100, seed=3, only_new=False).commands
    assert set(every.pairs) - set(new.pairs) == set(dataset.pairs)
