"""Wrong pairs among right ones: which are set aside, and which never are."""

import random
from dataclasses import replace
from itertools import product

import pytest

from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.induction import induce
from lane.trainer.induction.suspicion import set_aside, suspects

THINGS = {name: name.upper() for name in ("cup", "plate", "book", "lamp", "chair", "box")}
PLACES = {name: name.upper() for name in ("kitchen", "hall", "attic", "cellar")}


def right_pairs():
    pairs = [Pair.of(f"drop {thing}", f"drop ( {THINGS[thing]} )") for thing in THINGS]
    pairs += [
        Pair.of(f"bring {thing} to {place}", f"put ( {THINGS[thing]} , {PLACES[place]} )")
        for thing, place in product(THINGS, PLACES)
    ]
    return pairs + [
        Pair.of(
            f"move {thing} from {one} to {two}", f"move ( {THINGS[thing]} , {PLACES[one]} , {PLACES[two]} )"
        )
        for thing, one, two in product(THINGS, PLACES, PLACES)
        if one != two
    ]


def corrupted(share, seed=1):
    """The pairs, of which a share has the output of another, and these."""
    rng, pairs = random.Random(seed), right_pairs()
    chosen = rng.sample(range(len(pairs)), round(share * len(pairs)))
    wrong = {n: Pair(pairs[n].source, rng.choice(pairs).target) for n in chosen}
    wrong = {n: pair for n, pair in wrong.items() if pair != pairs[n]}
    return [wrong.get(n, pair) for n, pair in enumerate(pairs)], set(wrong.values())


@pytest.fixture(scope="module", params=[0.04, 0.1])
def noisy(request):
    pairs, wrong = corrupted(request.param)
    dataset = Dataset.of(pairs)
    return dataset, induce(dataset), wrong


def test_the_wrong_pairs_are_set_aside_and_no_others(noisy):
    dataset, induced, wrong = noisy
    assert induced.noisy
    kept, aside, reading = set_aside(dataset, induced, 0.25)
    assert set(aside.pairs) == wrong
    assert len(kept) + len(aside) == len(dataset)
    assert (reading.lost, len(reading.rules)) == (0, 3)
    assert set(reading.lexicon) == {dataset.source.number(word) for word in (*THINGS, *PLACES)}


def test_more_than_the_share_are_not_set_aside(noisy):
    dataset, induced, wrong = noisy
    assert suspects(dataset, induced, (len(wrong) - 1) / len(dataset)) == []
    assert len(suspects(dataset, induced, len(wrong) / len(dataset))) == len(wrong)


def test_right_pairs_are_not_noisy(languages, induced, named):
    assert not induced[named].noisy
    kept, aside, reading = set_aside(languages[named].seen, induced[named], 0.25)
    assert kept.pairs == languages[named].seen.pairs
    assert len(aside) == 0
    assert reading == induced[named]


def test_a_word_that_the_rules_mostly_get_wrong_keeps_its_pairs(noisy):
    """Then its value is wrong, and not the pairs."""
    dataset, induced, wrong = noisy
    cup, plate = map(dataset.source.number, ("cup", "plate"))
    swapped = replace(induced, lexicon={**induced.lexicon, cup: induced.lexicon[plate]})
    found = {dataset.pairs[n] for n in suspects(dataset, swapped, 0.25)}
    assert found
    assert found <= {pair for pair in wrong if "cup" not in pair.source}


def test_a_command_that_nothing_explains_is_set_aside_where_it_is_the_only_one_of_its_kind(noisy):
    dataset, induced, wrong = noisy
    alone = Pair.of("drop drop cup", "put ( HALL )")
    other = Dataset([*dataset.pairs, alone], dataset.source, dataset.target)
    assert {other.pairs[n] for n in suspects(other, induced, 0.25)} == {*wrong, alone}
    two = [Pair.of(f"drop drop {thing}", "put ( HALL )") for thing in ("cup", "box")]
    other = Dataset([*dataset.pairs, *two], dataset.source, dataset.target)
    assert {other.pairs[n] for n in suspects(other, induced, 0.25)} == wrong
