"""The choice among candidates."""

import pytest

from lane.data.pair import Pair
from lane.models.card import Comparison, Disagreement
from lane.trainer import search as searching
from lane.trainer.candidate import Fit
from lane.trainer.config import build_config
from lane.trainer.dataset import Dataset
from lane.trainer.induction import induce
from lane.trainer.search import agreement_of, judge, search
from lane.trainer.training import Journal, Run


def fit(number, fitted=True, wrong=0, simplicity=1.0, rules=5):
    return Fit(
        number=number,
        seed=1,
        constants=False,
        fitted=fitted,
        wrong=tuple(range(wrong)),
        simplicity=simplicity,
        rules=rules,
        updates=1,
        trajectories=1,
        lacks_constants=False,
        longest=1,
        gaining=False,
        weights={},
    )


def compared(share, *fits):
    """A comparison on 1000 commands, or on none."""
    if share is None:
        return Comparison()
    names = " ".join(str(fit.number) for fit in fits)
    differing = (Disagreement(command=names, outputs=("A", "B")),) if share < 1 else ()
    return Comparison(commands=1000, agreed=round(1000 * share), differing=differing)


class Agreed:
    """An agreement that is known beforehand, by numbers."""

    def __init__(self, shares=None, alone=1.0):
        self.shares, self.alone = shares or {}, alone

    def between(self, one, other):
        return compared(self.shares.get(tuple(sorted((one.number, other.number))), 0.0), one, other)

    def with_itself(self, fit):
        return compared(self.alone, fit)


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
    found = judge([fit(0)], Agreed(alone=alone), single=True)
    assert (found.converged, found.agreement) == (converged, alone)


def test_a_single_one_of_several_candidates_has_none_to_confirm_it():
    """As after a stop."""
    found = judge([fit(0)], Agreed(alone=1.0))
    assert (found.converged, found.reason) == (False, "only one candidate fits, so that none can confirm it")


def test_where_none_fits_the_fewest_wrong_are_kept():
    found = judge([fit(0, False, 5), fit(1, False, 2), fit(2, False, 2, simplicity=0.1)], Agreed())
    assert (found.fit.number, found.converged, found.agreement) == (1, False, 0.0)
    assert found.reason == "no candidate fits: the best gets 2 of the pairs wrong"


def test_a_candidate_without_errors_that_was_stopped_is_not_said_to_misfit():
    found = judge([fit(0, False, 0), fit(1, False, 2)], Agreed())
    assert (found.fit.number, found.converged) == (0, False)
    assert found.reason == "no candidate was finished, though the best gets every pair right"


def rounds(monkeypatch, folder, wrong_pair, fitted=False):
    """How many rounds are trained on three words and their repetition, and one more pair."""
    texts = {word: word.upper() for word in "abc"} | {
        f"{word} twice": f"{word} {word}".upper() for word in "abc"
    }
    texts["a twice"] = wrong_pair
    dataset = Dataset.of([Pair(tuple(x.split()), tuple(y.split())) for x, y in texts.items()])
    trained = []

    def train(run, numbers, workers, on_report, halted, spares):
        trained.append(numbers)
        return [fit(number, fitted=fitted and number == 0, wrong=1) for number in numbers]

    monkeypatch.setattr(searching, "train_candidates", train)
    run = Run(dataset, build_config("fast", {"rounds": 3}), 1, "cpu", folder, induce(dataset))
    found = search(run, agreement_of(run), 1, Journal(folder / "metrics.jsonl", None), lambda: False)
    assert not found.converged
    assert not found.stopped
    return len(trained)


def test_pairs_in_conflict_end_the_search_after_a_round_that_fits_nothing(monkeypatch, tmp_path):
    assert rounds(monkeypatch, tmp_path, "B A") == 1
    assert rounds(monkeypatch, tmp_path, "A A") == 3, "there is no conflict"
    assert rounds(monkeypatch, tmp_path, "B A", fitted=True) == 3, "another candidate may fit, too"


@pytest.mark.parametrize("single", [True, False])
def test_where_nothing_new_can_be_made_no_share_is_reported(single):
    fits = [fit(0)] if single else [fit(0), fit(1)]
    found = judge(fits, Agreed({(0, 1): None}, alone=None), single=single)
    assert (found.converged, found.agreement) == (True, None)
    assert found.reason == "no new command could be made from the pairs, so that nothing was compared"


def test_the_differences_are_those_from_all_other_candidates():
    found = judge([fit(0), fit(1), fit(2)], Agreed({(0, 1): 1.0, (0, 2): 0.5}))
    assert (found.fit.number, found.agreement) == (0, 1.0)
    assert [difference.command for difference in found.comparison.differing] == ["0 2"]
