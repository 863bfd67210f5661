"""`lane-train sweep`, `calibrate` and `reproduce`, in processes of their own; see also tests/experiments."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lane.experiments.calibration import trials

LANE_TRAIN = Path(sys.executable).with_name("lane-train")


def lane_train(*arguments: object, code: int = 0) -> tuple[str, str]:
    command = [LANE_TRAIN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=240)
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def test_a_finished_study_of_calibration_is_a_table_and_a_diagram(tmp_path):
    figures = {"agreement": 1.0, "accuracy": {"train": 1.0, "test": 0.5}, "open_readings": 1, "seconds": 1}
    every = [trial for trial in trials(1) if not trial.task.startswith("mcd")]
    lines = [json.dumps({**trial.head, **figures}) for trial in every]
    (tmp_path / "out.jsonl").write_text("\n".join(lines), encoding="utf-8")
    diagram = tmp_path / "diagram.svg"
    said = lane_train("calibrate", "--out", tmp_path / "out.jsonl", "--diagram", diagram)[0].splitlines()
    assert said[-1] == f"| at least 99.9 % | {len(every)} | {len(every)} | {len(every)} | 50.0% |"
    assert diagram.read_text(encoding="utf-8").count("<use") >= len(every)


def test_the_report_alone(tmp_path):
    results = Path(__file__).parents[2] / "results" / "paper"
    (tmp_path / "found").mkdir()
    for path in results.glob("*.json*"):
        (tmp_path / "found" / path.name).write_bytes(path.read_bytes())
    report = tmp_path / "report.md"
    command = ["reproduce", "--only", "report", "--out", tmp_path / "found", "--report", report]
    said = lane_train(*command)[0].splitlines()
    assert said[-2:] == [str(report), str(report.with_suffix(".html"))]
    assert report.read_text(encoding="utf-8").startswith("# Results: the paper's experiments\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [(["--only", "tsks"], "the experiments are tasks"), (["--report", "x.html"], "the name of a .md file")],
)
def test_wrong_arguments_of_reproduce_are_errors_of_usage(arguments, problem):
    assert problem in " ".join(lane_train("reproduce", *arguments, code=2)[1].split())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--tasks", "limit,addjmp"], "no task 'addjmp'; did you mean 'addjump'?"),
        (["--set", "sampels=3"], "no setting 'sampels'; did you mean 'samples'?"),
        (["--preset", "fats"], "the presets are fast, unaided, paper"),
        (["--corrupt", "0.9"], "--corrupt"),
        (["--engine", "dask"], "the engines are local and ray"),
        (["--address", "localhost:1"], "it needs --engine ray"),
    ],
)
def test_wrong_arguments_of_sweep_are_errors_of_usage(arguments, problem, tmp_path):
    out = tmp_path / "sweep.jsonl"
    assert problem in " ".join(lane_train("sweep", "--out", out, *arguments, code=2)[1].split())
    assert not out.exists()
