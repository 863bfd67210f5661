"""Pairs as tensors."""

import random

import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.dataset import Dataset, padded

TEXTS = {"run twice": "R R", "jump": "J", "walk and run": "W R", "walk": "W", "run": "R"}
PAIRS = [Pair.of(source, target) for source, target in TEXTS.items()]
SOURCE = Vocabulary.of(pair.source for pair in PAIRS)
TARGET = Vocabulary.of(pair.target for pair in PAIRS)


def test_shortest_first_whatever_the_order_of_the_file():
    dataset = Dataset(PAIRS, SOURCE, TARGET)
    texts = [" ".join(pair.source) for pair in dataset.pairs]
    assert texts == ["jump", "run", "walk", "run twice", "walk and run"]
    assert dataset.length.tolist() == [1, 1, 1, 2, 3]
    assert dataset.gold_length.tolist() == [1, 1, 1, 2, 2]
    for seed in range(5):
        again = PAIRS * 3
        random.Random(seed).shuffle(again)
        other = Dataset(again, SOURCE, TARGET)
        assert other.pairs == dataset.pairs
        assert torch.equal(other.words, dataset.words)
        assert torch.equal(other.gold, dataset.gold)


def test_the_same_command_with_two_outputs_is_two_examples():
    assert len(Dataset([Pair.of("run", "R"), Pair.of("run", "W"), Pair.of("run", "R")], SOURCE, TARGET)) == 2


def test_numbers_and_no_wider_than_need_be():
    dataset = Dataset(PAIRS, SOURCE, TARGET)
    index = torch.tensor([3, 0])
    words, gold = dataset.words_of(index), dataset.gold_of(index)
    assert [[SOURCE.word(n) for n in row if n] for row in words.tolist()] == [["run", "twice"], ["jump"]]
    assert [[TARGET.word(n) for n in row if n] for row in gold.tolist()] == [["R", "R"], ["J"]]
    assert words.shape == gold.shape == (2, 2)


def test_known_commands():
    known = Dataset(PAIRS, SOURCE, TARGET).known()
    words = tuple(SOURCE.number(word) for word in ("walk", "and", "run"))
    assert known[words] == tuple(TARGET.number(action) for action in ("W", "R"))
    assert len(known) == len(PAIRS)


def test_a_word_seen_in_phrases_needs_no_check_of_its_own():
    dataset = Dataset(PAIRS, SOURCE, TARGET)
    must = {
        " ".join(pair.source): bool(m) for pair, m in zip(dataset.pairs, dataset.must_be_whole, strict=True)
    }
    assert must == {"jump": True, "run": False, "walk": False, "run twice": True, "walk and run": True}


def test_nothing_at_all():
    assert padded([]).shape == (0, 0)
    assert padded([[], []]).shape == (2, 0)
    assert len(Dataset([], SOURCE, TARGET)) == 0


def test_actions_that_no_word_alone_leads_to():
    pairs = [Pair(("a",), ("A", "B")), Pair(("b", "a"), ("B", "C", "A")), Pair(("b", "b"), ("D", "C"))]
    target = Vocabulary(("A", "B", "C", "D"))
    assert Dataset(pairs, Vocabulary(("a", "b")), target).not_alone() == (3, 4)


def test_other_pairs_keep_the_vocabularies():
    dataset = Dataset(PAIRS, SOURCE, TARGET)
    other = dataset.like([Pair.of("jump and jump", "J J")])
    assert (other.source, other.target) == (dataset.source, dataset.target)
    assert other.words.tolist() == [[SOURCE.number(word) for word in ("jump", "and", "jump")]]
