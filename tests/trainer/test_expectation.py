"""What pairs leave open, counted by hand."""

import pytest

from lane.trainer.expectation import TELLING, Expectation
from lane.trainer.slot import ROOT, Place

WALK, JUMP, TWICE = (1,), (2,), (0, 3)
UNDER = Place(TWICE, 0)


def expectation(alone: int, twice: int, twice_alone: int = 0) -> Expectation:
    """Over so many commands `walk`, `walk twice`, and one `jump`; all rules are of one class."""
    derivations = {
        frozenset({(WALK, ROOT)}): alone,
        frozenset({(WALK, UNDER), (TWICE, ROOT)}): twice,
        frozenset({(JUMP, ROOT)}): 1,
    }
    met = {WALK: {ROOT, UNDER}, JUMP: {ROOT}, TWICE: {ROOT}}
    everywhere = {ROOT, UNDER}
    return Expectation(derivations, met, dict.fromkeys(met, everywhere))


def test_few_pairs_leave_open_what_many_decide():
    # `twice` would have been met under itself 20 * 20 / 41 times, then 200 * 200 / 401 times.
    assert 20 * 20 / 41 < TELLING < 200 * 200 / 401
    assert expectation(alone=20, twice=20).leaves_open(TWICE, UNDER)
    assert not expectation(alone=200, twice=200).leaves_open(TWICE, UNDER)


@pytest.mark.parametrize("pairs", [1, 100_000])
def test_a_word_may_do_what_words_do_that_were_met_wherever_it_was(pairs):
    assert expectation(pairs, pairs).leaves_open(JUMP, UNDER)


def test_a_rare_word_is_judged_with_the_others():
    """`jump` alone is too rare to tell anything; no word of its kind is ever met there."""
    other = Place((0, 4), 0)
    derivations = {
        frozenset({(WALK, ROOT)}): 500,
        frozenset({(JUMP, ROOT)}): 1,
        frozenset({(TWICE, other), ((0, 4), ROOT)}): 500,
    }
    met = {WALK: {ROOT}, JUMP: {ROOT}, TWICE: {other}, (0, 4): {ROOT}}
    everywhere = {ROOT, other}
    found = Expectation(derivations, met, dict.fromkeys(met, everywhere))
    assert not found.leaves_open(JUMP, other)
