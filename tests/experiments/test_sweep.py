"""Many trials to one file: resumable, in a table, failures included."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.experiments import sweep as module
from lane.experiments.sweep import read_results, solved, sweep, table
from lane.experiments.trial import Trial

RECORD = {
    "accuracy": {"train": 1.0, "test": 1.0},
    "rules": 7,
    "trajectories": 1000,
    "peak_mb": 100.0,
    "misfits": 0,
    "seconds": 10.0,
}


@pytest.fixture
def executed(monkeypatch):
    done = []

    def execute(trial, workers, data_dir, keep):
        done.append((trial.task, trial.seed, workers, data_dir, keep))
        return {**trial.head, **RECORD}, b"model"

    monkeypatch.setattr(module, "execute", execute)
    return done


def test_what_is_done_is_not_done_again_even_after_a_cut(executed, tmp_path):
    out, told = tmp_path / "deep" / "results.jsonl", []
    trials = [Trial("limit", 1), Trial("limit", 2), Trial("limit", 1, corrupt=0.1)]
    sweep(trials[:2], 1, out, told.append, Path("here"))
    assert [seed for _, seed, *_ in executed] == [1, 2]
    assert executed[0][2:] == (2, Path("here"), False), "alone, a trial has both workers"
    whole = out.read_text()
    out.write_text(whole + '{"task": "limit", "se')  # a kill in the middle of a line
    records = sweep(trials, 2, out, told.append)
    assert len(executed) == 3, "only the trial with other arguments is new"
    assert executed[2][2] == 1, "side by side, each has one worker"
    assert [record["arguments"] for record in told] == [[], [], ["--corrupt=0.1"]]
    assert records == read_results(out)
    assert "here" not in out.read_text(), "paths of this machine are not recorded"


def test_a_cut_line_takes_no_other_with_it(executed, tmp_path):
    out = tmp_path / "results.jsonl"
    out.write_text('{"task": "limit", "se')
    sweep([Trial("limit", 1)], 1, out, lambda record: None)
    assert [record["seed"] for record in read_results(out)] == [1]


def test_a_failed_trial_does_not_end_the_others(monkeypatch, tmp_path):
    def execute(trial, workers, data_dir, keep):
        if trial.seed == 2:
            raise LaneError("no such file")
        return {**trial.head, **RECORD}, b"model %d" % trial.seed

    monkeypatch.setattr(module, "execute", execute)
    out, models = tmp_path / "results.jsonl", tmp_path / "models"
    with pytest.raises(LaneError, match=r"^limit, seed 2: no such file$"):
        sweep([Trial("limit", seed) for seed in (1, 2, 3)], 1, out, lambda record: None, None, models)
    assert [record["seed"] for record in read_results(out)] == [1, 3]
    assert {path.name: path.read_bytes() for path in models.iterdir()} == {
        "limit-1.pt": b"model 1",
        "limit-3.pt": b"model 3",
    }


def test_the_table_counts_failures():
    half = {**RECORD, "accuracy": {"test": 1.0, "language": 0.99}, "seconds": 30.0, "rules": 9, "misfits": 3}
    records = [
        {"task": "limit", "seed": 1, "arguments": [], **RECORD},
        {"task": "limit", "seed": 2, "arguments": [], **half},
    ]
    assert [solved(record) for record in records] == [True, False]
    head, line = table(records)
    assert head.split()[:3] == ["task", "solved", "test"]
    assert len(head) == len(line)
    assert line.split() == ["limit", "1/2", "100.0%", "20.0", "30.0", "7-9", "1,000", "100", "3"]


def test_the_command_trains_and_records(tmp_path):
    out, models = tmp_path / "results.jsonl", tmp_path / "models"
    quick = [
        "candidates=1",
        "rounds=1",
        "attempts=1",
        "stall=1",
        "evaluate_every=1",
        "embedding=8",
        "hidden=8",
    ]
    command = [sys.executable, "-m", "lane.cli.train", "sweep", "--tasks", "limit", "--seeds", "1"]
    command += ["--out", str(out), "--models", str(models), *(f"--set={one}" for one in quick)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "limit seed 1: NOT SOLVED" in done.stderr
    (record,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert (record["task"], record["seed"], record["converged"]) == ("limit", 1, False)
    assert record["arguments"] == [f"--set={one}" for one in quick]
    assert "0/1" in done.stdout
    assert (models / "limit-1.pt").exists()


def test_wrong_use_is_found_before_anything_is_trained(tmp_path):
    command = [sys.executable, "-m", "lane.cli.train", "sweep", "--out", str(tmp_path / "new" / "out.jsonl")]
    for arguments, problem in (
        (["--set", "gamma"], "key=value"),
        (["--set", "gama=1"], "gamma"),
        (["--tasks", "limt"], "limit"),
    ):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert problem in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_failed_trial_is_no_result(tmp_path):
    out = tmp_path / "results.jsonl"
    with pytest.raises(LaneError, match=r"mcd1 --minutes=1\.00, seed 3: .*lane-data fetch"):
        sweep([Trial("mcd1", 3, minutes=1)], 1, out, lambda record: None, tmp_path)
    assert not out.exists()


@pytest.mark.parametrize("code", [1, 2, 130, -15])
def test_an_interrupted_trial_is_no_result(monkeypatch, code):
    def run(command, **_):
        return subprocess.CompletedProcess(command, code, json.dumps(RECORD), "interrupted")

    monkeypatch.setattr(module.subprocess, "run", run)
    with pytest.raises(LaneError, match="interrupted"):
        module.execute(Trial("limit", 1), 2, None, False)
