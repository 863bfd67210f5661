"""The runs of the published method."""

import pytest

from lane.experiments.paper import published
from lane.experiments.paper.experiments import TASKS
from lane.experiments.trial import settings_of, trial_of
from lane.trainer.config import build_config


def test_all_nine_tasks_are_run_with_five_seeds():
    trials = published.tasks()
    assert {(trial.task, trial.seed) for trial in trials} == {(t, s) for t in TASKS for s in range(1, 6)}
    assert all(trial.preset == "paper" for trial in trials)


def test_the_rates_of_the_paper_are_in_the_grid():
    paper = build_config("paper")
    assert (paper.composer_rate, paper.solver_rate) in published.RATES
    assert any(composer > solver for composer, solver in published.RATES)


@pytest.mark.parametrize("behaviour", published.BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_a_behaviour_can_be_taken_back(behaviour):
    paper, without = build_config("paper"), build_config("paper", settings_of(behaviour.settings))
    assert paper != without
    for name in settings_of(behaviour.settings):
        assert getattr(paper, name) != getattr(without, name), "it would show nothing"


def test_behaviours_are_run_seed_after_seed_and_found_again(run):
    trials = published.behaviours()
    assert len(trials) == len(set(trials))
    assert [trial.seed for trial in trials] == sorted(trial.seed for trial in trials)
    one = published.BEHAVIOURS[3]
    records = [run("addjump") | trial.head for trial in trials]
    found = published.without(one, records)
    assert {trial_of(record) for record in found} == set(one.trials())


def test_a_count_is_bold_where_a_run_is_not_right(run):
    assert published.count([]) == ""
    assert published.count([run("limit")]) == "1/1"
    assert published.count([run("limit"), run("limit", 2, 0.9)]) == "**1/2**"
    by_test = run("addjump")
    by_test["accuracy"]["language"] = 0.99
    assert published.count([by_test]) == "1/1", "the paper has the test only"
