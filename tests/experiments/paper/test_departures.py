"""What a departure from the paper is worth."""

from lane.experiments.paper import departures
from lane.experiments.paper.departures import DEPARTURES


def test_a_departure_without_which_more_is_solved_is_not_needed(attempt):
    (sure,) = [departure for departure in DEPARTURES if departure.settings == ("sure=0",)]
    records = [attempt(s, seed=seed, right=float(bool(s))) for seed in (1, 2) for s in ([], sure.settings)]
    assert departures.verdict(sure, records) == "no difference here"


def test_every_trial_is_done_once():
    trials = departures.trials()
    assert len(trials) == len(set(trials))
    for departure in DEPARTURES:
        assert {*departure.with_it(), *departure.without_it()} <= set(trials)


def test_an_outcome_is_bold_where_a_trial_is_not_solved(attempt):
    good, bad = attempt([], updates=300), attempt([], seed=2, right=0.5)
    assert departures.outcome([good], ["mcd1"]) == "1/1 (300)"
    assert departures.outcome([good, bad], ["mcd1"]) == "**1/2** (300)"
    assert departures.outcome([good], ["limit"]) == ""
