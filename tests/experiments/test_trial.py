"""A trial: its strings in the result files, and its training in this process."""

import io
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.experiments import trial as module
from lane.experiments.sweep import read_results
from lane.experiments.trial import Job, Trial, parse, settings_of, train_job, trial_of

RESULTS = Path(__file__).parents[2] / "results"
QUICK = (
    "candidates=1",
    "rounds=1",
    "attempts=1",
    "stall=1",
    "evaluate_every=1",
    "embedding=8",
    "hidden=8",
)

TRIALS = st.builds(
    Trial,
    task=st.sampled_from(["limit", "random:5"]),
    seed=st.integers(0, 99),
    settings=st.lists(st.sampled_from(["gamma=0", "sure=0", "constants=always"])).map(tuple),
    preset=st.sampled_from(["fast", "paper"]),
    corrupt=st.floats(0, 0.5),
    minutes=st.none() | st.floats(0.01, 1e6),
    thin=st.sampled_from([0.0, 0.1, 0.03]),
)


@given(TRIALS)
def test_a_record_gives_its_trial_back(trial):
    assert trial_of(json.loads(json.dumps(trial.head))) == trial


@given(TRIALS, st.none() | st.just(Path("data")))
def test_a_job_reaches_the_other_process_whole(trial, data_dir):
    job = Job(trial, Path("folder"), 2, data_dir)
    assert Job.from_json(job.as_json()) == job


@pytest.mark.parametrize(
    "path",
    [
        RESULTS / name
        for name in (
            *("languages.jsonl", "noise.jsonl", "paper/tasks.jsonl"),
            *("paper/ablations.jsonl", "paper/rates.jsonl", "paper/departures.jsonl"),
        )
    ],
    ids=lambda path: path.name,
)
def test_the_committed_results_are_recognised(path):
    records = read_results(path)
    assert records
    assert len({trial_of(record) for record in records}) == len(records)


def test_the_strings_of_the_result_files():
    trial = Trial("limit", 1, ("gamma=0", "sure=0"), preset="paper", corrupt=0.01, minutes=1.5)
    strings = ["--preset=paper", "--set=gamma=0", "--set=sure=0", "--corrupt=0.01", "--minutes=1.50"]
    assert trial.arguments == strings
    assert trial.name == "limit " + " ".join(strings)
    assert parse("limit", 1, ["--minutes=4", "--preset=paper"]).minutes == 4.0


@pytest.mark.parametrize("argument", ["--workers=2", "--minutes", "gamma=0"])
def test_an_unknown_argument_is_refused(argument):
    with pytest.raises(LaneError, match="limit, seed 1"):
        parse("limit", 1, [argument])


def test_settings_are_key_and_value():
    assert settings_of(["gamma = 0", "constants=always"]) == {"gamma": "0", "constants": "always"}
    with pytest.raises(LaneError, match="key=value"):
        settings_of(["gamma"])


def test_a_trial_is_trained_by_the_python_interface(tmp_path):
    job = Job(Trial("limit", 1, QUICK, corrupt=0.2), tmp_path, 1)
    record = train_job(job)
    assert set(record) >= {"converged", "accuracy", "rules", "misfits", "updates", "seconds", "peak_mb"}
    assert set(record["accuracy"]) == {"train", "test"}, "MiniSCAN has no language to count"
    assert job.model.exists()


@pytest.fixture
def seen(monkeypatch):
    """What a training is given, without training."""
    from lane import trainer

    seen = {}

    def train(pairs, **options):
        seen.update(options, pairs=pairs)
        options["run_dir"].mkdir()
        record = {"comparison": {"commands": 9, "differing": ["a b"]}, "open_readings": ["x", "y"]}
        (options["run_dir"] / "result.json").write_text(json.dumps(record))
        lines = [{"updates": n, "longest": 3 + n, "accuracy": n / 3, "reward": 0.5} for n in range(3)]
        metrics = "".join(json.dumps(line) + "\n" for line in lines)
        (options["run_dir"] / "metrics.jsonl").write_text(metrics)

    monkeypatch.setattr(trainer, "train", train, raising=False)
    return seen


def test_a_thinned_trial_is_asked_for_all_of_the_language_that_it_has_the_words_of(tmp_path, seen):
    record = train_job(Job(Trial("addjump", 7, thin=0.01), tmp_path, 1))
    assert record == {"comparison": {"commands": 9}, "open_readings": 2}
    assert len(seen["pairs"]) == 132
    words = {word for pair in seen["pairs"] for word in pair.source}
    language = seen["evaluate"]["language"]
    assert {word for pair in language for word in pair.source} == words
    assert len(language) > 1000


def test_only_lessons_of_epochs_leave_their_curve(tmp_path, seen):
    record = train_job(Job(Trial("limit", 1, preset="paper"), tmp_path, 1))
    assert record["curve"] == [(0, 3, 0.0), (1, 4, 0.3333), (2, 5, 0.6667)]
    assert json.loads(json.dumps(record)) == record | {"curve": [list(point) for point in record["curve"]]}
    (tmp_path / "other").mkdir()
    assert "curve" not in train_job(Job(Trial("limit", 1), tmp_path / "other", 1))


def test_corrupted_pairs_are_those_trained_on(tmp_path, seen):
    from lane.data import load_task

    train_job(Job(Trial("addjump", 7, ("gamma=0.5",), corrupt=0.01, minutes=2), tmp_path, 2))
    clean = load_task("addjump").train
    wrong = {new.source for old, new in zip(clean, seen["pairs"], strict=True) if old != new}
    distinct = {pair.source for pair in clean}
    assert 0.005 < len(wrong) / len(distinct) <= 0.0101
    assert (seen["seed"], seen["minutes"], seen["workers"]) == (7, 2, 2)
    assert seen["config"].gamma == 0.5
    assert len(list(seen["evaluate"]["language"])) == 20_910


@pytest.mark.parametrize(("error", "code"), [(LaneError("no such file"), 1), (KeyboardInterrupt(), 130)])
def test_a_failure_has_an_exit_code_and_no_record(monkeypatch, capsys, error, code):
    def fail(job):
        raise error

    monkeypatch.setattr(module, "train_job", fail)
    monkeypatch.setattr(sys, "stdin", io.StringIO(Job(Trial("limit", 1), Path(), 1).as_json()))
    assert module.main() == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err in ("no such file\n", "interrupted\n")


@pytest.mark.parametrize(("name", "kept"), [("lane-sweep-1", False), ("mine", True)])
def test_a_trial_ends_with_its_parent(tmp_path, name, kept):
    """As when a node of a cluster is killed: neither a process is left nor its own folder."""
    folder = tmp_path / name
    folder.mkdir()
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-P', '-m', 'lane.experiments.trial'], stdin=-1)\n"
        "child.stdin.write(sys.argv[1].encode()); child.stdin.close()\n"
        "print(child.pid, flush=True); child.wait()"
    )
    job = Job(Trial("addjump", 1), folder, 1)
    with subprocess.Popen(
        [sys.executable, "-c", code, job.as_json()], stdout=subprocess.PIPE, text=True
    ) as parent:
        pid = int(parent.stdout.readline())
        wait_until((folder / "run").exists)
        parent.kill()
    wait_until(lambda: not _is_alive(pid))
    assert folder.exists() == kept


def wait_until(condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("never")


def _is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    if not stat.parent.parent.is_dir():
        pytest.skip("no /proc")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
