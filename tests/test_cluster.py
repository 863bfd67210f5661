"""The commands on a Ray cluster of two nodes, of which one is killed: the same files as on one machine."""

import subprocess
import sys
from pathlib import Path

import pytest

# In a process of its own: Ray starts threads and changes signal handlers.
SCRIPT = """
import subprocess, sys, time
from pathlib import Path
from ray.cluster_utils import Cluster

place, commands = Path(sys.argv[1]), Path(sys.executable).parent
# A lost node is noticed after a second and a half, instead of a quarter of a minute.
checks = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
head = {"num_cpus": 0, "object_store_memory": 80_000_000, "_system_config": checks}
nodes = Cluster(initialize_head=True, head_node_args=head)
try:
    first, second = (nodes.add_node(num_cpus=1, object_store_memory=80_000_000) for _ in range(2))
    nodes.wait_for_nodes()
    engine = ["--engine", "ray", "--address", nodes.address]
    run = [commands / "lane-run", "--stats", place / "in.txt", "--block", "1", "--out", place / "out"]
    with subprocess.Popen([*run, *engine], stderr=subprocess.PIPE) as translation:
        while not list((place / "out").glob("part-*")) and translation.poll() is None:
            time.sleep(0.05)
        nodes.remove_node(second, allow_graceful=False)
        said = translation.stderr.read()
    (place / "said").write_bytes(said)
    assert translation.returncode == 1, said
    quick = ["candidates=1", "rounds=1", "attempts=1", "stall=1", "evaluate_every=1"]
    sweep = [commands / "lane-train", "sweep", "--tasks", "limit", "--seeds", "2"]
    sweep += [f"--set={one}" for one in [*quick, "embedding=8", "hidden=8"]]
    sweep += ["--out", place / "sweep.jsonl", "--models", place / "models"]
    subprocess.run([*sweep, *engine], check=True)
finally:
    nodes.shutdown()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    pytest.importorskip("ray", reason="the extra ray is not installed")
    place = tmp_path_factory.mktemp("cluster")
    commands = [b"jump twice", b"walk around left thrice and run", b"wolk", b"", b"look opposite right"]
    (place / "in.txt").write_bytes(b"".join(commands[i % 5] + b"\n" for i in range(600_000)))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, place], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return place


def test_nothing_is_lost_or_doubled(place):
    lane_run = Path(sys.executable).with_name("lane-run")
    alone = subprocess.run([lane_run, "--stats", place / "in.txt"], capture_output=True, check=False)
    parts = sorted((place / "out").glob("part-*"))
    assert len(parts) == 8
    assert b"".join(path.read_bytes() for path in parts) == alone.stdout
    for said in (alone.stderr, (place / "said").read_bytes()):
        assert said.decode().splitlines()[-1].endswith("120,000 failed (unknown-word 120,000), 120,000 empty")
    assert not list((place / "out").glob(".*"))


def test_a_sweep_trains_the_same_models(place):
    torch = pytest.importorskip("torch")
    from lane.experiments.sweep import execute, read_results
    from lane.experiments.trial import trial_of
    from lane.models.checkpoint import load

    records = read_results(place / "sweep.jsonl")
    assert sorted(record["seed"] for record in records) == [1, 2]
    for record in records:
        alone, model = execute(trial_of(record), 1, None, True)
        measured = {name: alone[name] for name in ("seconds", "peak_mb")}
        assert {**record, **measured} == alone
        (place / "alone.pt").write_bytes(model)
        kept = load(place / "models" / f"limit-{record['seed']}.pt").weights
        weights = load(place / "alone.pt").weights
        assert weights.keys() == kept.keys()
        assert all(torch.equal(weights[name], kept[name]) for name in weights)
