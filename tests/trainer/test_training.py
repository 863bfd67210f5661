"""The run directory, its note, and the journal of reports."""

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lane.base.errors import LaneError
from lane.trainer.api import train
from lane.trainer.attempt import Report
from lane.trainer.training import Journal, Run, check_writable, locked

REPORT = Report(
    seed=1,
    constants=False,
    outcome="training",
    updates=25,
    trajectories=100,
    lesson=1,
    lessons=2,
    longest=1,
    accuracy=0.5,
    simplicity=1.0,
    reward=0.1,
    rules=3,
    seconds=0.5,
)


@pytest.fixture
def run(dataset, tiny_config, tmp_path):
    return Run(dataset, tiny_config, 1, "cpu", tmp_path / "run")


def test_another_process_gets_the_same_run(run):
    sent = pickle.dumps(run)
    found = pickle.loads(sent)
    assert (found.config, found.seed, found.device, found.folder) == (run.config, 1, "cpu", run.folder)
    assert found.dataset.pairs == run.dataset.pairs
    assert found.dataset.source == run.dataset.source
    assert torch.equal(found.dataset.gold, run.dataset.gold)


def test_a_new_run_removes_what_an_old_one_left(run):
    run.prepare("abc", resume=False)
    left = [run.state_path(3), run.folder / ".candidate-3.pt.tmp", run.folder / "metrics.jsonl"]
    for path in left:
        path.write_text("old")
    run.prepare("abc", resume=True)
    assert all(path.exists() for path in left)
    run.prepare("abc", resume=False)
    assert [path.name for path in run.folder.iterdir()] == ["run.json"]


def test_only_the_same_run_is_resumed(run):
    with pytest.raises(LaneError, match=r"run.json: no such file: there is no run to resume"):
        run.prepare("abc", resume=True)
    assert not run.folder.exists()
    run.prepare("abc", resume=False)
    run.prepare("abc", resume=True)
    others = {
        "seed": (replace(run, seed=2), "abc"),
        "settings": (replace(run, config=run.config.model_copy(update={"samples": 5})), "abc"),
        "pairs": (run, "abd"),
    }
    for what, (other, checksum) in others.items():
        with pytest.raises(LaneError, match=f"the run to resume had other {what}; give the same"):
            other.prepare(checksum, resume=True)


@pytest.mark.parametrize("content", ["{", "[]", "7", '{"seed": 1, "sha256": "0"}'])
def test_a_malformed_run_record_is_one_line_with_advice_that_works(run, content):
    run.prepare("abc", resume=False)
    (run.folder / "run.json").write_text(content)
    with pytest.raises(LaneError, match=r"run.json: .*; start again without resume$") as raised:
        run.prepare("abc", resume=True)
    assert "\n" not in str(raised.value)
    run.prepare("abc", resume=False)
    run.prepare("abc", resume=True)


def test_a_folder_that_cannot_be_written_is_an_error(run, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LaneError, match=r"file: cannot be written; name another place"):
        check_writable(tmp_path / "file")
    with pytest.raises(LaneError, match="cannot be written"):
        replace(run, folder=tmp_path / "file" / "run").prepare("abc", resume=False)


def test_two_runs_cannot_share_a_run_directory(run, pairs, tmp_path):
    with locked(run.folder, create=True):
        with pytest.raises(LaneError, match=r"run: another training runs in this directory; wait for it, or"):
            train(pairs, out=tmp_path / "model.pt", run_dir=run.folder)
        assert list(run.folder.iterdir()) == []  # the second has touched nothing
    with locked(run.folder, create=True):  # free again
        pass


def test_a_killed_run_leaves_no_lock(run):
    body = (
        "import sys; from pathlib import Path; from lane.trainer.training import locked\n"
        "with locked(Path(sys.argv[1]), create=True): print('locked', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", body, str(run.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"locked\n"
        with pytest.raises(LaneError, match="another training"), locked(run.folder, create=False):
            pass
        process.kill()
        process.wait()
        with locked(run.folder, create=False):
            pass


def test_no_directory_is_made_to_resume_in(run):
    with locked(run.folder, create=False):
        assert not run.folder.exists()


def test_reports_are_recorded_and_passed_on_and_messages_only_passed_on(tmp_path):
    passed = []
    journal = Journal(tmp_path / "metrics.jsonl", passed.append)
    journal.say("before")
    journal.report(REPORT)
    journal.say("after")
    assert passed == [Report(message="before"), REPORT, replace(REPORT, message="after")]
    assert [str(report) for report in passed][::2] == ["before", "after"]
    (line,) = (tmp_path / "metrics.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["accuracy"], record["updates"]) == (0.5, 25)
    assert "message" not in record


def test_nobody_has_to_listen(tmp_path):
    journal = Journal(tmp_path / "metrics.jsonl", None)
    journal.report(REPORT)
    journal.say("after")


def test_metrics_that_cannot_be_written_are_an_error(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "metrics.jsonl").symlink_to("/dev/full")
    with pytest.raises(LaneError, match=r"metrics.jsonl: cannot be written: No space left on device"):
        Journal(tmp_path / "metrics.jsonl", None).report(REPORT)
