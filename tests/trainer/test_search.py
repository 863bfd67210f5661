"""The choice among candidates."""

import pytest

from lane.trainer.attempt import Attempt
from lane.trainer.candidate import Candidate, Fit, derived_seed
from lane.trainer.search import judge


def fit(number, fitted=True, wrong=0, simplicity=1.0, rules=5):
    return Fit(number, 1, False, fitted, tuple(range(wrong)), simplicity, rules, 1, 1, 1, {})


class Agreed:
    """An agreement that is known beforehand, by numbers."""

    def __init__(self, shares=None, alone=1.0):
        self.shares, self.alone = shares or {}, alone

    def between(self, one, other):
        return self.shares.get(tuple(sorted((one.number, other.number))), 0.0)

    def with_itself(self, fit):
        return self.alone


def test_two_that_agree():
    found = judge([fit(0), fit(1)], Agreed({(0, 1): 1.0}))
    assert (found.fit.number, found.converged, found.agreement) == (0, True, 1.0)
    assert "agree on 100.00%" in found.reason


def test_the_better_of_those_that_agree_is_taken():
    found = judge([fit(0, rules=9), fit(1, simplicity=0.5), fit(2)], Agreed({(0, 2): 1.0, (0, 1): 1.0}))
    assert (found.fit.number, found.converged) == (2, True)


def test_the_best_is_passed_over_if_only_others_agree():
    found = judge([fit(0, rules=9), fit(1, rules=9), fit(2)], Agreed({(0, 1): 1.0, (0, 2): 0.7}))
    assert (found.fit.number, found.converged, found.agreement) == (0, True, 1.0)


def test_where_none_agrees_the_best_is_kept_and_not_taken_as_found():
    found = judge([fit(0, rules=9), fit(1)], Agreed({(0, 1): 0.42}))
    assert (found.fit.number, found.converged, found.agreement) == (1, False, 0.42)
    assert "agree on 42.00% of new commands only" in found.reason


def test_one_that_fits_has_none_to_confirm_it():
    found = judge([fit(0), fit(1, fitted=False, wrong=3)], Agreed({(0, 1): 1.0}))
    assert (found.fit.number, found.converged) == (0, False)
    assert "only one candidate fits" in found.reason


@pytest.mark.parametrize(("alone", "converged"), [(1.0, True), (0.9, False)])
def test_a_single_candidate_must_be_consistent_with_itself(alone, converged):
    found = judge([fit(0)], Agreed(alone=alone))
    assert (found.converged, found.agreement) == (converged, alone)


def test_where_none_fits_the_fewest_wrong_are_kept():
    found = judge([fit(0, False, 5), fit(1, False, 2), fit(2, False, 2, simplicity=0.1)], Agreed())
    assert (found.fit.number, found.converged, found.agreement) == (1, False, 0.0)
    assert found.reason == "no candidate fits: the best gets 2 of the pairs wrong"


def test_a_candidate_without_errors_that_was_stopped_is_not_said_to_misfit():
    found = judge([fit(0, False, 0), fit(1, False, 2)], Agreed())
    assert (found.fit.number, found.converged) == (0, False)
    assert found.reason == "no candidate was finished, though the best gets every pair right"


def test_merit_goes_by_fit_then_wrong_pairs_then_simplicity_then_rules():
    worst_first = [fit(4, False), fit(3, wrong=1), fit(2, simplicity=0.9, rules=1), fit(1, rules=6), fit(0)]
    assert sorted(worst_first, key=lambda one: one.merit) == worst_first[::-1]


def test_seeds_are_the_same_everywhere_and_distinct():
    seeds = {
        derived_seed(seed, number, tried) for seed in range(5) for number in range(5) for tried in range(5)
    }
    assert len(seeds) == 125
    assert derived_seed(1, 0, 0) == 118036293908925, "models of earlier releases could not be made again"


@pytest.mark.parametrize(
    ("constants", "tried"),
    [
        ("never", [False] * 4),
        ("always", [True] * 4),
        ("if-needed", [False, False, False, True]),
    ],
)
def test_constants_are_tried_as_the_config_says(dataset, tiny_config, constants, tried, monkeypatch):
    monkeypatch.setattr(type(dataset), "not_alone", lambda self: (3,))
    config = tiny_config.model_copy(update={"constants": constants, "stall": 1, "attempts": 4})
    assert constants_tried(Candidate(0, dataset, config, 1, "cpu")) == tried


def test_once_an_attempt_ends_for_the_lack_of_constants_none_goes_without(dataset, tiny_config, monkeypatch):
    monkeypatch.setattr(type(dataset), "not_alone", lambda self: (3,))
    monkeypatch.setattr(Attempt, "_lacks_constants", lambda self, evaluation, verdict: not self.constants)
    config = tiny_config.model_copy(update={"stall": 1, "attempts": 4})
    candidate = Candidate(0, dataset, config, 1, "cpu")
    assert constants_tried(candidate) == [False, (3,), (3,), True]


def constants_tried(candidate):
    attempts = [candidate.attempt]
    while not candidate.done:
        candidate.stride()
        if candidate.attempt is not attempts[-1]:
            attempts.append(candidate.attempt)
    assert candidate.fit.attempts <= len(attempts)
    return [attempt.constants for attempt in attempts]
