"""The experiments of the paper: the right runs, once each, and what comes of models that are there."""

import json
from dataclasses import replace

import pytest
import torch

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.data import load_task
from lane.experiments import baseline, sweep
from lane.experiments.paper import experiments, published
from lane.experiments.paper.departures import DEPARTURES, FOUR, RECIPE, SINGLE
from lane.experiments.paper.experiments import ABLATIONS, SCAN, TASKS, Study
from lane.experiments.trial import Job, Trial, train_job
from lane.models import checkpoint
from lane.models.card import ModelCard
from lane.models.config import ModelConfig
from lane.models.model import LaneModel
from lane.trainer.config import build_config

PRESET = f"--preset={RECIPE}"
BOUNDS = ("--set=candidates=1", "--set=rounds=1", "--set=attempts=1", "--set=most_updates=1200")


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study whose runs take no time; `done` has them."""
    said, done = [], []

    def execute(trial, workers, data_dir, keep):
        done.append((trial.task, trial.seed, tuple(trial.arguments)))
        accuracy = {"train": 1.0, "test": 1.0}
        return trial.head | {"accuracy": accuracy, "seconds": 40.0 + trial.seed}, b""

    monkeypatch.setattr(sweep, "execute", execute)
    study = Study(tmp_path / "results", tmp_path / "models", 3, None, said.append)
    study.out.mkdir()
    return study, done, said


def test_each_run_is_done_once(study):
    study, done, said = study
    experiments.reproduce(study, ["tasks"])
    assert sorted(done) == sorted((task, seed, (PRESET,)) for task in TASKS for seed in (1, 2, 3))
    assert "0 left" in said[-1]
    experiments.reproduce(study, ["tasks"])
    assert len(done) == 27, "nothing is left to do"


def test_ablations_have_three_times_the_time_of_the_full_model(study):
    study, done, _ = study
    with pytest.raises(LaneError, match="do the experiment `tasks` first"):
        experiments.reproduce(study, ["ablations"])
    experiments.reproduce(study, ["tasks", "ablations", "rates"])
    cap = f"--minutes={3 * 42 / 60:.2f}"
    wanted = {
        (t, s, (PRESET, f"--set={a}", cap)) for t in SCAN for s in (1, 2, 3) for a in ABLATIONS.values()
    }
    assert wanted <= set(done)
    assert ("addjump", 1, (PRESET, "--set=composer_rate=0.001", "--set=solver_rate=0.002", cap)) in done
    assert len(done) == 27 + 63 + 9


def test_departures_are_single_attempts_of_the_recipe_and_without_each_part(study):
    study, done, _ = study
    experiments.reproduce(study, ["departures"])
    # The recipe is run once for all departures within the same bounds.
    rows = {bounds: 1 + sum(d.bounds == bounds for d in DEPARTURES) for bounds in (SINGLE, FOUR)}
    single, four, search = 3 * 4 * rows[SINGLE], 3 * rows[FOUR], 10 * 3 + 3 * 2 * 2
    guided, noisy = 3 * 4 * (1 + 3), 3 * 2 * 3  # the second departure of the latter begins without the first
    assert len(done) == len(set(done)) == single + four + search + guided + noisy
    assert ("practical:names50:0", 2, ("--set=set_aside=0", *BOUNDS, "--corrupt=0.1")) in done
    assert ("addjump", 3, (PRESET, *BOUNDS)) in done
    assert ("mcd1", 1, (PRESET, "--set=focus=0", *BOUNDS)) in done
    assert ("random:9", 1, (PRESET,)) in done, "the search is taken back from the recipe as it is"
    assert ("random:9", 1, (PRESET, *BOUNDS[:2])) in done
    assert ("random:9", 1, (PRESET, *BOUNDS[:3])) in done


def test_the_published_method_has_runs_of_its_own_bounded_by_updates(study):
    study, done, _ = study
    names = ["published", "published-ablations", "published-rates", "published-behaviours"]
    for _ in range(2):
        experiments.reproduce(study, names)
    behaviours = len(published.BEHAVIOURS) * 3 * len(published.BEHAVIOUR_TASKS)
    assert len(done) == len(set(done)) == 9 * 5 + 7 * 3 * 3 + 9 + behaviours
    most = f"--set=most_updates={published.MOST_UPDATES}"
    assert ("mcd1", 5, ("--preset=paper", most)) in done
    assert ("length", 1, ("--preset=paper", "--set=composer=false", most)) in done
    assert (
        "addjump",
        1,
        ("--preset=paper", "--set=composer_rate=0.1", "--set=solver_rate=1.0", most),
    ) in done
    assert ("addjump", 3, ("--preset=paper", "--set=shuffled=false", most)) in done
    assert {name for name in names if not study.file(f"{name}.jsonl").exists()} == set()


@pytest.mark.parametrize("departure", DEPARTURES, ids=lambda departure: departure.name)
def test_a_departure_is_taken_back_by_its_settings_and_by_the_preset_without_it(departure):
    settings = dict(setting.split("=") for setting in departure.settings)
    config, recipe = build_config(departure.recipe, settings), build_config(departure.recipe)
    without = build_config("paper" if departure.recipe == RECIPE else RECIPE)
    for key in settings:
        assert getattr(config, key) != getattr(recipe, key), "it would show nothing"
        # The code of the paper goes further: no command has an output unless it is recognised.
        assert getattr(config, key) == getattr(without, key) or (key == "whole" and without.strict)


def test_baselines_are_measured_once(study, monkeypatch):
    study, _, _ = study
    calls = []

    def measure(task, kind, seed):
        calls.append((task.name, kind))
        return {"task": task.name, "kind": kind, "seed": seed, "accuracy": {"test": 0.5}, "stopped": True}

    monkeypatch.setattr(baseline, "measure", measure)
    old = {"task": "simple", "kind": "lstm", "seed": 1, "updates": 3000}
    study.file("baselines.jsonl").write_text(json.dumps(old) + "\n")
    for _ in range(2):
        experiments.reproduce(study, ["baselines"])
    assert len(calls) == 24, "one of a fixed number of updates does not count"
    assert len(study.file("baselines.jsonl").read_text().splitlines()) == 25


def test_kept_models_are_asked_for_long_commands_and_their_rules(study, monkeypatch):
    study = replace(study[0], seeds=1)
    monkeypatch.setattr(experiments, "TASKS", ("extend",))
    monkeypatch.setattr(experiments, "LONG_COMMANDS", 2)
    task = load_task("extend")
    source, target = (
        Vocabulary.of(getattr(pair, side) for pair in task.train) for side in ("source", "target")
    )
    config = ModelConfig(embedding=4, hidden=4)
    with pytest.raises(LaneError, match=r"extend-1\.pt: no such model"):
        experiments.reproduce(study, ["productivity"])
    study.models.mkdir()
    torch.manual_seed(1)
    model = LaneModel(len(source), len(target), config)
    kept = checkpoint.Checkpoint(
        config, source, target, model.state_dict(), ModelCard(rules=("walk -> I_WALK",))
    )
    checkpoint.save(kept, study.models / "extend-1.pt")
    experiments.reproduce(study, ["productivity", "rules"])
    figures = json.loads(study.file("productivity.json").read_text())
    assert sum(figures["test"].values()) == 4000
    assert set(figures["accuracy"]["1"]) == set(figures["test"])
    assert set(figures["beyond"]["1"]) == {"10", "20", "50", "100"}
    assert all(share < 0.5 for share in figures["accuracy"]["1"].values()), "they have learned nothing"
    assert json.loads(study.file("rules.json").read_text()) == {"extend": {"1": ["walk -> I_WALK"]}}


def test_trees_are_drawn_from_exported_models(study, monkeypatch):
    study, _, said = study
    command = "zup blicket wif"
    monkeypatch.setattr(experiments, "TREES", {"limit": command})
    with pytest.raises(LaneError, match=r"limit-1\.pt: no such model"):
        experiments.reproduce(study, ["trees"])
    quick = (
        "candidates=1",
        "rounds=1",
        "attempts=1",
        "stall=1",
        "evaluate_every=1",
        "embedding=8",
        "hidden=8",
    )
    study.models.mkdir()
    job = Job(Trial("limit", 1, quick), study.models, 1)
    train_job(job)
    job.model.rename(study.models / "limit-1.pt")
    experiments.reproduce(study, ["trees"])
    picture = study.file("tree-limit.svg").read_text()
    assert picture.startswith("<svg ")
    assert all(f">{word}<" in picture for word in command.split())
    assert said[-1].endswith(command)
