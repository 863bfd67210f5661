"""Pools: every item has one outcome, also where work fails and nodes are lost."""

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from lane.base.errors import LaneError
from lane.runtime.pool import LocalPool, cluster, processes


def reciprocal(number):
    return 1 / number


def outcomes(pool, work, items):
    return sorted((one.item, one.result, type(one.error)) for one in pool.map(work, items))


EXPECTED = [(0, None, ZeroDivisionError), (1, 1.0, type(None)), (4, 0.25, type(None))]


def test_a_failed_item_is_an_outcome():
    with ThreadPoolExecutor(2) as executor:
        found = [
            (one.item, one.result, type(one.error)) for one in LocalPool(executor).map(reciprocal, [4, 0, 1])
        ]
    assert sorted(found, key=lambda one: one[0]) == EXPECTED


def test_what_has_not_begun_is_dropped_when_the_caller_stops():
    stopped, done = Event(), []

    def work(item):
        if item:
            assert stopped.wait(60)
        done.append(item)

    with ThreadPoolExecutor(1) as executor:
        stream = LocalPool(executor).map(work, range(1000))
        next(stream)
        stream.close()
        stopped.set()
    assert done in ([0], [0, 1])  # the second had begun, or not


def test_without_ray_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(LaneError, match=r"pip install 'lane-expressions\[ray\]'"), cluster():
        pass


# In a process of its own: Ray starts threads and changes signal handlers.
ON_RAY = """
import os, signal, sys, time
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from lane.base.errors import LaneError
from lane.runtime import BatchMapper
from lane.runtime.pool import RayPool, cluster

place = Path(sys.argv[1])
# A lost node is noticed after a second and a half, instead of a quarter of a minute.
checks = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
head = {"num_cpus": 0, "object_store_memory": 80_000_000, "_system_config": checks}
nodes = Cluster(initialize_head=True, head_node_args=head)
first, second = (nodes.add_node(num_cpus=1, object_store_memory=80_000_000) for _ in range(2))
nodes.wait_for_nodes()

def work(item):
    (place / f"{item}-{time.monotonic_ns()}").touch()
    if item == 3:
        raise LaneError("three")
    if item == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return item * item

try:
    with cluster(nodes.address):
        found = {}
        for outcome in RayPool().map(work, range(60)):
            assert outcome.item not in found, "an item has one outcome"
            found[outcome.item] = outcome
            if len(found) == 10:
                nodes.remove_node(second, allow_graceful=False)
        assert set(found) == set(range(60))
        wrong = {item for item, outcome in found.items() if outcome.error}
        assert wrong == {3, 5}, wrong
        assert str(found[3].error) == "three"
        assert "lost 3 times" in str(found[5].error)
        assert all(found[item].result == item * item for item in found if item not in wrong)
        counts = {item: len(list(place.glob(f"{item}-*"))) for item in found}
        assert counts[5] == 3, counts
        mapper = BatchMapper()
        (answer,) = RayPool().map(lambda _: mapper({"text": ["jump"]})["output"], [0])
        assert answer.result == ["I_JUMP"], answer
        try:
            list(RayPool(cpus=5).map(work, [1]))
        except LaneError as error:
            assert "no node of the cluster has 5 cores" in str(error)
        else:
            raise AssertionError("it would wait for ever")
finally:
    nodes.shutdown()
"""


def test_a_lost_node_loses_and_doubles_nothing(tmp_path):
    pytest.importorskip("ray", reason="the extra ray is not installed")
    done = subprocess.run(
        [sys.executable, "-c", ON_RAY, tmp_path], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


PARENT = """
import sys, time
from lane.runtime.pool import processes

def work(item):
    print(item, flush=True)
    time.sleep(600)

if __name__ == "__main__":
    with processes(2) as pool:
        for outcome in pool.map(work, [1, 2, 3]):
            pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_no_process_outlives_the_one_that_started_it(number, tmp_path):
    """They are in the middle of an item; their standard output ends when the last of them does."""
    (tmp_path / "parent.py").write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, tmp_path / "parent.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as parent:
        assert sorted([parent.stdout.readline(), parent.stdout.readline()]) == [b"1\n", b"2\n"]
        parent.send_signal(getattr(signal, number))
        output, errors = parent.communicate(timeout=60)
    assert output == b"", "the third item was not begun"
    assert errors.count(b"Traceback") == (number == "SIGINT"), "only the parent tells of Ctrl-C"


def test_an_error_in_the_block_ends_the_processes(tmp_path):
    """It returns only when they have ended, and theirs would last for ever."""

    def fail():
        with processes(1) as pool:
            waiting = pool.map(wait_for_ever, [tmp_path / "begun"])
            Thread(target=lambda: list(waiting), daemon=True).start()
            while not (tmp_path / "begun").exists():
                time.sleep(0.01)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def wait_for_ever(path):
    path.touch()
    Event().wait()
