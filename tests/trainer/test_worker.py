"""Workers: processes that give the same result, pass errors on, and never outlive their parent."""

import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from lane.base.errors import LaneError, UnwrittenError
from lane.trainer import worker
from lane.trainer.training import Run
from lane.trainer.worker import Spares, train_candidates


@pytest.fixture
def run(dataset, tiny_config, tmp_path):
    return Run(dataset, tiny_config, 1, "cpu", tmp_path)


@pytest.fixture
def processes(monkeypatch):
    """All worker processes that are started."""
    started = []

    class Recorded(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(worker.subprocess, "Popen", Recorded)
    return started


def never() -> bool:
    return False


def test_the_number_of_workers_changes_nothing_but_the_order_of_reports(run, tmp_path, processes):
    alone, together = [], []
    fits = train_candidates(run, [0, 1, 2], 1, alone.append, never)
    assert not processes
    other = replace(run, folder=tmp_path / "other")
    other.folder.mkdir()
    found = train_candidates(other, [0, 1, 2], 2, together.append, never)
    assert [process.returncode for process in processes] == [0, 0, 0]
    for one, same in zip(fits, found, strict=True):
        assert (one.number, one.seed, one.updates) == (same.number, same.seed, same.updates)
        assert all(torch.equal(value, same.weights[name]) for name, value in one.weights.items())

    def key(report):
        return report.candidate, report.updates, report.seed, report.outcome

    assert sorted(map(key, alone)) == sorted(map(key, together))


def test_processes_that_are_started_early_are_used_and_the_others_end(run, processes):
    with Spares(3) as spares:
        assert len(processes) == 3
        train_candidates(run, [0, 1], 2, lambda report: None, never, spares)
        assert len(processes) == 3
    assert [process.returncode for process in processes] == [-signal.SIGKILL, 0, 0]
    with Spares(1):
        assert len(processes) == 3, "a single candidate is trained in this process"


def test_a_process_without_work_ends_in_silence():
    done = subprocess.run([sys.executable, "-m", "lane.trainer.worker"], input=b"", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_training_in_this_process_changes_neither_its_random_numbers_nor_its_threads(run):
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    state = torch.get_rng_state()
    try:
        train_candidates(run, [0], 1, lambda report: None, never)
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), state)
    finally:
        torch.set_num_threads(threads)


def test_once_halted_no_further_candidate_is_started(run):
    reports = []
    fits = train_candidates(run, [0, 1], 1, reports.append, lambda: len(reports) >= 2)
    assert [fit.number for fit in fits] == [0]
    assert train_candidates(run, [0, 1], 1, reports.append, lambda: True)[0].number == 0, "one at least"


def test_an_error_for_the_user_is_passed_on(run):
    run.state_path(1).write_bytes(b"not a state")
    with pytest.raises(LaneError, match=r"candidate-1.pt: a state that cannot be resumed"):
        train_candidates(run, [0, 1], 2, lambda report: None, never)


@pytest.mark.parametrize("error", [MemoryError("no more"), UnwrittenError("state: cannot be written")])
def test_an_error_keeps_its_kind_so_that_the_exit_code_is_right(error):
    """A worker that ends with one sends it, and prints no traceback."""
    done = subprocess.run(
        [sys.executable, "-c", FAILING, pickle.dumps(error).hex()],
        input=pickle.dumps(0) + pickle.dumps(None),
        capture_output=True,
        check=True,
    )
    sent = pickle.loads(done.stdout)
    assert (type(sent), sent.args, done.stderr) == (type(error), error.args, b"")
    with pytest.raises(type(error), match=error.args[0]):
        worker._Worker.result(Ended(), sent)


FAILING = """
import pickle, sys
from lane.trainer import worker
def fail(*_):
    raise pickle.loads(bytes.fromhex(sys.argv[1]))
worker.train_candidate = fail
worker.process()
"""


class Ended:
    number = 0

    def end(self):
        pass


def test_a_killed_worker_is_an_error_and_no_other_is_left(run, processes):
    def kill(report):
        os.kill(processes[0].pid, signal.SIGKILL)

    with pytest.raises(LaneError, match=r"candidate 1 ended without a result \(exit code -9\); .*resume"):
        train_candidates(run, [0, 1], 2, kill, never)
    assert [process.returncode for process in processes] == [-9, 0]


def test_an_exception_ends_all_workers_and_each_keeps_its_state(run, processes):
    class StoppedError(Exception):
        pass

    reported = set()

    def stop(report):
        reported.add(report.candidate)
        if reported == {0, 1}:
            raise StoppedError

    with pytest.raises(StoppedError):
        train_candidates(run, [0, 1], 2, stop, never)
    assert [process.returncode for process in processes] == [0, 0]
    assert all(run.state_path(number).exists() for number in (0, 1))


def test_halted_workers_give_the_best_so_far(run, processes):
    reports = []
    fits = train_candidates(run, [0, 1, 2], 2, reports.append, lambda: len(reports) >= 2)
    assert [fit.number for fit in fits] == [0, 1]
    assert [process.returncode for process in processes] == [0, 0], "a third is not started"


def test_a_worker_without_a_parent_ends(run):
    """Its standard input ends without the word to stop."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lane.trainer.worker"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    worker.pickle.dump((run, 0), process.stdin)
    process.stdin.close()
    assert process.wait(timeout=60) == 1
