"""Many runs to one file: resumable, in a table, none hidden."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.experiments import sweep as module
from lane.experiments.sweep import Run, read_results, solved, sweep, table

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

    def execute(run, workers, places, models):
        done.append((run.task, run.seed, workers, tuple(places), models))
        return {"task": run.task, "seed": run.seed, "arguments": list(run.arguments), **RECORD}

    monkeypatch.setattr(module, "execute", execute)
    return done


def test_what_is_done_is_not_done_again_even_after_a_cut(executed, tmp_path):
    out, told = tmp_path / "deep" / "results.jsonl", []
    runs = [Run("limit", 1), Run("limit", 2), Run("limit", 1, ("--corrupt=0.1",))]
    sweep(runs[:2], 1, out, told.append, ("--data-dir", "here"))
    assert [seed for _, seed, *_ in executed] == [1, 2]
    assert executed[0][2:] == (2, ("--data-dir", "here"), None), "alone, a run has both workers"
    whole = out.read_text()
    out.write_text(whole + '{"task": "limit", "se')  # a kill in the middle of a line
    records = sweep(runs, 2, out, told.append)
    assert len(executed) == 3, "only the run with other arguments is new"
    assert executed[2][2] == 1, "side by side, each has one worker"
    assert [record["arguments"] for record in told] == [[], [], ["--corrupt=0.1"]]
    assert records == read_results(out)
    assert "--data-dir" not in out.read_text(), "a place of this machine is nobody else's business"


def test_a_cut_line_takes_no_other_with_it(executed, tmp_path):
    out = tmp_path / "results.jsonl"
    out.write_text('{"task": "limit", "se')
    sweep([Run("limit", 1)], 1, out, lambda record: None)
    assert [record["seed"] for record in read_results(out)] == [1]


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


def test_the_command_runs_the_command(tmp_path):
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
    command += ["--out", str(out), "--models", str(models), *(f"--with=--set={one}" for one in quick)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "limit seed 1: NOT SOLVED" in done.stderr
    (record,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert (record["task"], record["seed"], record["converged"]) == ("limit", 1, False)
    assert record["arguments"] == [f"--set={one}" for one in quick]
    assert "0/1" in done.stdout
    assert (models / "limit-1.pt").exists()


@pytest.mark.parametrize(("code", "counts"), [(0, True), (1, True), (130, False), (143, False), (2, False)])
def test_an_interrupted_run_is_no_result(monkeypatch, tmp_path, code, counts):
    def run(command, **_):
        model = Path(command[command.index("--out") + 1])
        model.with_suffix(".pt.run").mkdir()
        (model.with_suffix(".pt.run") / "result.json").write_text(json.dumps(RECORD))
        return subprocess.CompletedProcess(command, code, "", "error: stopped by SIGINT")

    monkeypatch.setattr(module.subprocess, "run", run)
    if counts:
        assert module.execute(Run("limit", 1), 2, (), None)["rules"] == 7
    else:
        with pytest.raises(LaneError, match="limit, seed 1: error: stopped"):
            module.execute(Run("limit", 1), 2, (), None)
