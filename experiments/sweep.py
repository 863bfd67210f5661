"""Many runs, each in a process of its own, to one result file; resumable."""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError


@dataclass(frozen=True)
class Run:
    """One line of a sweep."""

    task: str
    seed: int
    arguments: tuple[str, ...] = ()  # of lane-train, besides these two

    @property
    def key(self) -> tuple[str, int, tuple[str, ...]]:
        """By which a run is known as done."""
        return self.task, self.seed, self.arguments


def read_results(path: Path) -> list[dict[str, Any]]:
    """The records of a result file; a last line cut off by a kill is left out."""
    if not path.exists():
        return []
    records = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


def append_result(path: Path, record: dict[str, Any]) -> None:
    """One line more; behind a line that a kill cut off, which would take it with it, on a line of its own."""
    with path.open("ab+") as stream:
        if stream.tell():
            stream.seek(-1, 2)
            if stream.read(1) != b"\n":
                stream.write(b"\n")
        stream.write(json.dumps(record).encode() + b"\n")


def not_done(runs: Sequence[Run], out: Path) -> list[Run]:
    """The runs that a result file does not have yet."""
    done = {(r["task"], r["seed"], tuple(r["arguments"])) for r in read_results(out)}
    return [run for run in runs if run.key not in done]


def sweep(
    runs: Sequence[Run],
    jobs: int,
    out: Path,
    tell: Callable[[dict[str, Any]], None],
    places: Sequence[str] = (),
    models: Path | None = None,
) -> list[dict[str, Any]]:
    """Do the runs that `out` does not have yet, each told and appended as it ends; all records of `out`.

    `places` are arguments that name places of this machine, such as --data-dir; they are not recorded.
    Where `models` is given, the model of each run is kept there as TASK-SEED.pt.
    """
    missing = not_done(runs, out)
    for folder in (out.parent, *([models] if models else [])):
        folder.mkdir(parents=True, exist_ok=True)
    workers = 2 if jobs == 1 else 1
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(execute, run, workers, places, models) for run in missing]
        try:
            for future in as_completed(futures):
                append_result(out, future.result())
                tell(future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return read_results(out)


def execute(run: Run, workers: int, places: Sequence[str], models: Path | None) -> dict[str, Any]:
    """One run of the real command; the time is that of the whole process."""
    with tempfile.TemporaryDirectory(prefix="lane-sweep-") as directory:
        model = Path(directory) / "model.pt"
        command = [sys.executable, "-m", "lane.cli.train", "--task", run.task, "--seed", str(run.seed)]
        command += ["--out", str(model), "--workers", str(workers), "--quiet", *run.arguments, *places]
        started = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
        result = Path(directory) / "model.pt.run" / "result.json"
        # 1 is a run that did not converge, and counts; one that was interrupted is no result.
        if ended.returncode not in (0, 1) or not result.exists():
            raise LaneError(f"{run.task}, seed {run.seed}: {ended.stderr.strip() or 'no result'}")
        record = json.loads(result.read_text(encoding="utf-8"))
        if models:
            shutil.copyfile(model, models / f"{run.task.replace(':', '')}-{run.seed}.pt")
    head = {"task": run.task, "seed": run.seed, "arguments": list(run.arguments), "workers": workers}
    return {**head, **record, "seconds": round(seconds, 1)}


def solved(record: dict[str, Any]) -> bool:
    """100 % on the test pairs and, where it is known, on the whole language."""
    accuracy = record["accuracy"]
    return all(accuracy.get(name, 1.0) == 1.0 for name in ("test", "language"))


def table(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A line a task: how many runs were solved, their mean share of right tests, and what they needed."""
    by_task: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_task.setdefault(" ".join([record["task"], *record["arguments"]]), []).append(record)
    heads = (
        ("solved", 8),
        ("test", 8),
        ("median s", 10),
        ("worst s", 9),
        ("rules", 8),
        ("derivations", 13),
        ("peak MB", 9),
        ("misfits", 9),
    )
    width = max([24, *(len(name) + 2 for name in by_task)])
    yield f"{'task':{width}}" + "".join(f"{head:>{size}}" for head, size in heads)
    for name, runs in by_task.items():
        seconds = [run["seconds"] for run in runs]
        rules = sorted({run["rules"] for run in runs})
        span = f"{rules[0]}" if len(rules) == 1 else f"{rules[0]}-{rules[-1]}"
        test = statistics.mean(run["accuracy"]["test"] for run in runs)
        yield (
            f"{name:{width}}{sum(map(solved, runs)):>4}/{len(runs):<3}{test:>8.1%}"
            f"{statistics.median(seconds):>10.1f}{max(seconds):>9.1f}{span:>8}"
            f"{statistics.median(run['trajectories'] for run in runs):>13,.0f}"
            f"{max(run['peak_mb'] for run in runs):>9.0f}{max(run['misfits'] for run in runs):>9,}"
        )
