"""Ray against one machine: lines, trainings and memory on clusters of processes on loopback, nodes killed.

    python benchmarks/scale.py [--json results/scale.json] [--lines 50000000] [--gigabytes 5] [--trainings 20]

It needs the extra `ray` and lane-experiments, an idle machine, and 30 GB of disk in `--work`. Each step is
recorded as it ends, and the same command continues after an interrupt; the files of a step are deleted when
it ends. All nodes of a cluster are on this machine, with one core each: the figures are the overhead of the
engine and no gain.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lane.base.files import write_atomically
from lane.data import scan_pairs
from lane.experiments.sweep import read_results
from lane.models.checkpoint import load

BIN = Path(sys.executable).parent
STORE = 200_000_000  # bytes of a node's object store: only counts and checkpoints go through it
QUICK = ("candidates=1", "rounds=1", "attempts=1", "stall=1", "evaluate_every=1")
BLOCKS = (16, 64, 256)  # MiB
IDLE = 0.5  # busy cores: times of a busy machine are recorded, but not shown


def write_commands(path: Path, most_lines: float, most_bytes: float, terse: bool = False) -> None:
    """Random commands of SCAN, or those with the shortest answers; every thousandth has an unknown word."""
    pairs = [(" ".join(pair.source).encode(), len(" ".join(pair.target))) for pair in scan_pairs()]
    if terse:  # so that the answers to a large file fit the disk too
        pairs = sorted(pairs, key=lambda pair: pair[1] / len(pair[0]))[: len(pairs) // 10]
    commands = [command for command, _ in pairs]
    draw = random.Random(0)
    # A block of lines is drawn once and repeated: drawing each would take longer than translating it.
    drawn = [draw.choice(commands) if i % 1000 else b"jump wolk" for i in range(100_000)]
    block = b"\n".join(drawn) + b"\n"
    with path.open("wb") as file:
        lines = 0
        while lines + len(drawn) <= most_lines and file.tell() + len(block) <= most_bytes:
            file.write(block)
            lines += len(drawn)


def checksum(paths: list[Path]) -> str:
    """SHA-256 of the files one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while chunk := file.read(2**22):
                digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def nodes(count: int) -> Iterator[Any]:
    """A Ray cluster of so many nodes with a core each, and a head without any."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    try:
        for _ in range(count):
            cluster.add_node(num_cpus=1, object_store_memory=STORE)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


def run(command: list[Any], code: int = 0, during: Callable[[], None] = lambda: None) -> tuple[float, str]:
    """Run a command, with something done during it; seconds and what it said at last."""
    begin = time.perf_counter()
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        helper = threading.Thread(target=during, daemon=True)
        helper.start()
        assert process.stderr is not None
        said = process.stderr.read().decode()
    seconds = time.perf_counter() - begin
    assert process.returncode == code, said
    return seconds, said.strip().rpartition("\n")[2]


def counted(said: str) -> str:
    """The counts of `--stats`, without the time."""
    return said.partition(" lines in ")[0] + ":" + said.partition(" lines/s,")[2]


def kill_one(cluster: Any, progress: Callable[[], int], least: int, seen: list[int]) -> Callable[[], None]:
    """Kill a node, without a warning, at this progress; the progress right after it is noted."""

    def during() -> None:
        while progress() < least:
            time.sleep(0.05)
        cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
        seen.append(progress())

    return during


def _count(path: Path) -> int:
    """The lines of a file."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(2**22), b""))


def translate(work: Path, lines: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """One machine with two processes, then two and four nodes, then two of which one is killed."""
    source, out = work / "commands.txt", work / "parts"
    write_commands(source, lines, float("inf"))
    total = _count(source)
    with (work / "whole").open("wb") as whole:
        begin = time.perf_counter()
        alone = subprocess.run(
            [BIN / "lane-run", "--workers", "2", "--stats", source],
            stdout=whole, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - begin
    said = alone.stderr.decode().strip().rpartition("\n")[2]
    expected, counts = checksum([work / "whole"]), counted(said)
    (work / "whole").unlink()
    yield "alone", {"seconds": round(seconds, 1), "lines": total, "sha256": expected, "counts": counts}
    command = [BIN / "lane-run", "--stats", source, "--out", out]
    block = max(1, min(64, source.stat().st_size // 2**20 // 16))  # 16 parts at least
    for name, count, killed in (("two", 2, False), ("four", 4, False), ("killed", 2, True)):
        shutil.rmtree(out, ignore_errors=True)
        seen: list[int] = []
        with nodes(count) as cluster:
            ray = [*command, "--block", block, "--engine", "ray", "--address", cluster.address]
            during = (
                kill_one(cluster, lambda: len(list(out.glob("part-*"))), 4, seen) if killed else lambda: None
            )
            ray_seconds, said = run(ray, 1, during)
        parts = sorted(out.glob("part-*"))
        assert not killed or 0 < seen[0] < len(parts), "the node was not killed in the middle"
        yield (
            name,
            {
                "nodes": count,
                "parts": len(parts),
                "block_mib": block,
                "seconds": round(ray_seconds, 1),
                "ratio": round(ray_seconds / seconds, 3),
                "overhead_ns_per_line": round((ray_seconds - seconds) / total * 1e9),
                "equal": checksum(parts) == expected,
                "counted": counted(said) == counts,
            },
        )
    shutil.rmtree(out)
    source.unlink()


def memory(work: Path, gigabytes: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """The largest resident memory of a process of Ray that translates, by the size of the block."""
    source, out = work / "large.txt", work / "parts"
    write_commands(source, float("inf"), gigabytes * 1e9, terse=True)
    for block in BLOCKS:
        shutil.rmtree(out, ignore_errors=True)
        peaks: dict[int, float] = {}
        with nodes(2) as cluster:
            ended = threading.Event()
            watch = threading.Thread(target=_watch, args=(peaks, ended), daemon=True)
            watch.start()
            ray = [BIN / "lane-run", source, "--out", out, "--block", block, "--engine", "ray"]
            seconds, _ = run([*ray, "--address", cluster.address], 1)
            ended.set()
            watch.join()
        largest = {"file_gb": round(source.stat().st_size / 1e9, 2), "peak_mb": round(max(peaks.values()))}
        yield f"block {block}", {**largest, "seconds": round(seconds, 1)}
    shutil.rmtree(out)
    source.unlink()


def _watch(peaks: dict[int, float], ended: threading.Event) -> None:
    """The high-water marks of this machine's Ray workers, by process."""
    while not ended.wait(0.5):
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                if (status.parent / "cmdline").read_bytes().startswith(b"ray::"):
                    (peak,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
                    peaks[int(status.parent.name)] = int(peak.split()[1]) / 1024
            except (OSError, ValueError):  # it has ended
                continue


def train(work: Path, trainings: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Short trainings on one machine, and on two nodes of which one is killed."""
    command = [BIN / "lane-train", "sweep", "--tasks", "limit", "--seeds", trainings]
    command += [f"--set={one}" for one in QUICK]
    places = {
        name: ["--out", work / name / "sweep.jsonl", "--models", work / name] for name in ("alone", "ray")
    }
    seconds, _ = run([*command, "--jobs", 2, *places["alone"]])
    with nodes(2) as cluster:
        done, seen = work / "ray" / "sweep.jsonl", list[int]()
        during = kill_one(cluster, lambda: _count(done), trainings // 4, seen)
        engine = ["--engine", "ray", "--address", cluster.address]
        ray_seconds, _ = run([*command, *places["ray"], *engine], 0, during)
    assert 0 < seen[0] < trainings, "the node was not killed in the middle"
    records = [_records(work / name / "sweep.jsonl") for name in ("alone", "ray")]
    yield (
        "sweep",
        {
            "trainings": trainings,
            "seconds": round(seconds, 1),
            "ray_seconds": round(ray_seconds, 1),
            "records": len(records[1]),
            "equal_records": records[0] == records[1],
            "equal_models": sum(
                _equal(work / "alone" / f"limit-{seed}.pt", work / "ray" / f"limit-{seed}.pt")
                for seed in range(1, trainings + 1)
            ),
        },
    )


def _records(path: Path) -> list[dict[str, Any]]:
    """The records by seed, without what is measured: time and memory."""
    kept = [
        {name: value for name, value in record.items() if name not in ("seconds", "peak_mb")}
        for record in read_results(path)
    ]
    return sorted(kept, key=lambda record: record["seed"])


def _equal(one: Path, other: Path) -> bool:
    """Whether two models have the same weights, bit by bit."""
    import torch

    weights = [load(path).weights for path in (one, other)]
    return weights[0].keys() == weights[1].keys() and all(
        torch.equal(weights[0][name], weights[1][name]) for name in weights[0]
    )


def scheduling(work: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cost of an item that does nothing: in a task of its own, and packed."""
    from lane.runtime.pool import RayPool, cluster

    figures: dict[str, Any] = {}
    with nodes(2) as started, cluster(started.address):
        list(RayPool().map(abs, range(100)))  # the processes of the nodes are started
        for name, most in (("single", 1), ("packed", 16)):
            begin = time.perf_counter()
            done = len(list(RayPool(most_packed=most).map(abs, range(2000))))
            assert done == 2000
            figures[f"{name}_ms"] = round((time.perf_counter() - begin) / done * 1e3, 2)
    yield "scheduling", figures


def table(figures: dict[str, Any]) -> Iterator[str]:
    """The figures for docs/scale.md."""
    idle = figures["busy_cores"] < IDLE

    def timed(value: float, form: str) -> str:
        return form.format(value) if idle else "(busy)"

    alone = figures["alone"]
    seconds = timed(alone["seconds"], "{:,} s")
    yield f"{alone['lines']:,} lines; one machine with two processes: {seconds}."
    yield ""
    yield "| cluster | parts | time against one machine | more per line | same bytes | same counts |"
    yield "|---|---:|---:|---:|---|---|"
    for name, label in (("two", "2 nodes"), ("four", "4 nodes"), ("killed", "2 nodes, one killed")):
        row = figures[name]
        said = ["yes" if row[key] else "**no**" for key in ("equal", "counted")]
        yield (
            f"| {label} | {row['parts']} of {row['block_mib']} MiB | {timed(row['ratio'], '{:.2f}')} | "
            f"{timed(row['overhead_ns_per_line'], '{:,} ns')} | {' | '.join(said)} |"
        )
    yield ""
    yield "| block | file | largest process |"
    yield "|---:|---:|---:|"
    for block in BLOCKS:
        row = figures[f"block {block}"]
        yield f"| {block} MiB | {row['file_gb']:.2f} GB | {row['peak_mb']:,} MB |"
    yield ""
    row = figures["sweep"]
    verdict = "the same records" if row["equal_records"] else "**other records**"
    yield (
        f"{row['trainings']} short trainings on 2 nodes, one killed: {verdict}, and {row['equal_models']} of "
        f"{row['trainings']} models equal bit by bit; time against `--jobs 2`: "
        f"{timed(row['ray_seconds'] / row['seconds'], '{:.2f}')}."
    )
    row = figures["scheduling"]
    yield (
        f"An item that does nothing takes {timed(row['single_ms'], '{:.1f} ms')} in a task of its own, and "
        f"{timed(row['packed_ms'], '{:.1f} ms')} packed. "
        f"Busy cores at the start: {figures['busy_cores']}."
    )


def busy_cores(seconds: float = 3.0) -> float:
    """The cores that others use now; the load average would also count what has just ended."""

    def ticks() -> tuple[int, int]:
        fields = list(map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]))
        return sum(fields), fields[3] + fields[4]  # all, and those spent idle or waiting for a disk

    (all_before, idle_before), _ = ticks(), time.sleep(seconds)
    all_after, idle_after = ticks()
    busy = 1 - (idle_after - idle_before) / (all_after - all_before)
    return round(busy * (os.cpu_count() or 1), 2)


def main() -> None:
    """Do the steps that the file does not have."""
    parser = argparse.ArgumentParser(
        prog="scale.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", type=Path, default=Path("results/scale.json"))
    parser.add_argument("--work", type=Path, default=Path("build/scale"))
    parser.add_argument("--lines", type=int, default=50_000_000)
    parser.add_argument("--gigabytes", type=float, default=5.0)
    parser.add_argument("--trainings", type=int, default=20)
    options = parser.parse_args()
    work = options.work.absolute()
    sizes = {"lines": options.lines, "gigabytes": options.gigabytes, "trainings": options.trainings}
    figures: dict[str, Any] = json.loads(options.json.read_text()) if options.json.exists() else {}
    if figures.get("sizes") != sizes:  # measured at another size
        figures = {"sizes": sizes, "busy_cores": busy_cores()}
    steps: list[tuple[str, Callable[[], Iterator[tuple[str, dict[str, Any]]]]]] = [
        ("scheduling", lambda: scheduling(work)),
        ("sweep", lambda: train(work, options.trainings)),
        ("killed", lambda: translate(work, options.lines)),  # its times are ratios: all of it, or none
        (f"block {BLOCKS[-1]}", lambda: memory(work, options.gigabytes)),
    ]
    for last, step in steps:
        if last in figures:
            continue
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        found = {}
        for name, measured in step():
            print(name, measured, flush=True)
            found[name] = measured
        figures |= found
        write_atomically(options.json, (json.dumps(figures, indent=1) + "\n").encode())
    shutil.rmtree(work, ignore_errors=True)
    print("\n".join(table(figures)))


if __name__ == "__main__":
    main()
