"""Findings that the tests of the report share."""

import pytest

from lane.experiments.paper import published
from lane.experiments.paper.departures import DEPARTURES, RECIPE
from lane.experiments.paper.experiments import ABLATIONS, RATES, SCAN, TASKS
from lane.experiments.paper.findings import Findings


def run_record(task, seed=1, right=1.0, settings=(), seconds=30.0):
    return {
        "task": task,
        "seed": seed,
        "arguments": [f"--preset={RECIPE}", *(f"--set={setting}" for setting in settings)],
        "accuracy": {"train": right, "test": right} | ({"language": right} if task in SCAN else {}),
        "converged": right == 1.0,
        "seconds": seconds,
        "trajectories": 1000,
        "peak_mb": 500.0,
    }


def attempt_record(settings, task="mcd1", seed=1, right=1.0, updates=400):
    bounds = ["candidates=1", "rounds=1", "attempts=1", "most_updates=1200"]
    return run_record(task, seed, right, [*settings, *bounds]) | {"updates": updates}


def published_record(trial, right=1.0):
    record = run_record(trial.task, trial.seed, right)
    curve = [[0, 3, 0.0], [500, 3, 0.5], [9000, 9, right]]
    return record | {
        "arguments": trial.arguments,
        "updates": 9000,
        "trajectories": 360_000,
        "curve": curve,
    }


@pytest.fixture
def of_paper():
    """Makes a record of a trial of the preset `paper`."""
    return published_record


@pytest.fixture
def run():
    """Makes a record of a trial."""
    return run_record


@pytest.fixture
def attempt():
    """Makes a record of a single attempt, as the departures are measured."""
    return attempt_record


@pytest.fixture
def findings(tmp_path):
    """All experiments done, and all as the paper has it."""
    by_length = {"10": 1.0, "20": 1.0}
    return Findings(
        tmp_path,
        tasks=tuple(run_record(task, seed) for task in TASKS for seed in (1, 2)),
        ablations=tuple(
            run_record(task, 1, 0.0, [setting]) for task in SCAN for setting in ABLATIONS.values()
        ),
        rates=tuple(
            run_record("addjump", 1, float(c < s), [f"composer_rate={c}", f"solver_rate={s}"])
            for c, s in RATES
        ),
        baselines=tuple(
            run_record("simple", 1, 0.9) | {"kind": kind, "parameters": 5, "updates": 20_000, "stopped": True}
            for kind in ("lstm", "transformer")
        ),
        departures=tuple(attempt_record(d) for d in ((), *(d.base + d.settings for d in DEPARTURES))),
        published=tuple(map(published_record, published.tasks())),
        published_ablations=tuple(
            published_record(trial, 0.0) for trial in published.ablations(ABLATIONS.values())
        ),
        published_rates=tuple(
            published_record(trial, float(c < s))
            for trial, (c, s) in zip(published.rates(), published.RATES, strict=True)
        ),
        behaviours=tuple(published_record(trial, 0.5) for trial in published.behaviours()),
        productivity={
            "train": {"3": 4, "7": 2},
            "test": {"10": 5, "20": 5},
            "accuracy": {"1": by_length, "2": by_length},
            "beyond": {"1": {"10": 1.0, "100": 1.0}, "2": {"10": 1.0, "100": 1.0}},
        },
        limit={"1": {"8": 1.0, "10": 1.0}, "2": {"8": 1.0, "10": 1.0}},
        rules={"addjump": {"1": ["walk -> WALK", "$x twice -> $X $X"], "2": ["walk -> WALK"]}},
    )
