"""`lane-train sweep` and `lane-train reproduce`, in processes of their own; see also tests/experiments."""

import subprocess
import sys
from pathlib import Path

import pytest

LANE_TRAIN = Path(sys.executable).with_name("lane-train")


def lane_train(*arguments: object, code: int = 0) -> tuple[str, str]:
    command = [LANE_TRAIN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=240)
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


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
