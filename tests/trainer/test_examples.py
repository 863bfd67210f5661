"""Pairs as tensors."""

import random

import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.examples import Examples, padded

TEXTS = {"run twice": "R R", "jump": "J", "walk and run": "W R", "walk": "W", "run": "R"}
PAIRS = [Pair.of(source, target) for source, target in TEXTS.items()]
SOURCE = Vocabulary.of(pair.source for pair in PAIRS)
TARGET = Vocabulary.of(pair.target for pair in PAIRS)


def test_shortest_first_whatever_the_order_of_the_file():
    examples = Examples(PAIRS, SOURCE, TARGET)
    texts = [" ".join(pair.source) for pair in examples.pairs]
    assert texts == ["jump", "run", "walk", "run twice", "walk and run"]
    assert examples.length.tolist() == [1, 1, 1, 2, 3]
    assert examples.gold_length.tolist() == [1, 1, 1, 2, 2]
    for seed in range(5):
        again = PAIRS * 3
        random.Random(seed).shuffle(again)
        other = Examples(again, SOURCE, TARGET)
        assert other.pairs == examples.pairs
        assert torch.equal(other.words, examples.words)
        assert torch.equal(other.gold, examples.gold)


def test_the_same_command_with_two_outputs_is_two_examples():
    assert len(Examples([Pair.of("run", "R"), Pair.of("run", "W"), Pair.of("run", "R")], SOURCE, TARGET)) == 2


def test_numbers_and_no_wider_than_need_be():
    examples = Examples(PAIRS, SOURCE, TARGET)
    index = torch.tensor([3, 0])
    words, gold = examples.words_of(index), examples.gold_of(index)
    assert [[SOURCE.word(n) for n in row if n] for row in words.tolist()] == [["run", "twice"], ["jump"]]
    assert [[TARGET.word(n) for n in row if n] for row in gold.tolist()] == [["R", "R"], ["J"]]
    assert words.shape == gold.shape == (2, 2)


def test_known_commands():
    known = Examples(PAIRS, SOURCE, TARGET).known()
    words = tuple(SOURCE.number(word) for word in ("walk", "and", "run"))
    assert known[words] == tuple(TARGET.number(action) for action in ("W", "R"))
    assert len(known) == len(PAIRS)


def test_a_word_seen_in_phrases_needs_no_check_of_its_own():
    examples = Examples(PAIRS, SOURCE, TARGET)
    must = {
        " ".join(pair.source): bool(m) for pair, m in zip(examples.pairs, examples.must_be_whole, strict=True)
    }
    assert must == {"jump": True, "run": False, "walk": False, "run twice": True, "walk and run": True}


def test_nothing_at_all():
    assert padded([]).shape == (0, 0)
    assert padded([[], []]).shape == (2, 0)
    assert len(Examples([], SOURCE, TARGET)) == 0


def test_actions_that_no_word_alone_leads_to():
    pairs = [Pair(("a",), ("A", "B")), Pair(("b", "a"), ("B", "C", "A")), Pair(("b", "b"), ("D", "C"))]
    target = Vocabulary(("A", "B", "C", "D"))
    assert Examples(pairs, Vocabulary(("a", "b")), target).not_alone() == (3, 4)
