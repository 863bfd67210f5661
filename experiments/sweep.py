"""A sweep: many trials, each trained in a process of its own, recorded in one result file; resumable."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.experiments.trial import TEMPORARY, Job, Trial, trial_of
from lane.runtime.pool import LocalPool, Pool


def read_results(path: Path) -> list[dict[str, Any]]:
    """The records of a result file; a line truncated by a kill is skipped."""
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
    """Append a record, on a new line even where a kill has truncated the last one."""
    with path.open("ab+") as stream:
        if stream.tell():
            stream.seek(-1, 2)
            if stream.read(1) != b"\n":
                stream.write(b"\n")
        stream.write(json.dumps(record).encode() + b"\n")


def not_done(trials: Sequence[Trial], out: Path) -> list[Trial]:
    """The trials that a result file does not have yet."""
    done = {trial_of(record) for record in read_results(out)}
    return [trial for trial in trials if trial not in done]


def sweep(
    trials: Sequence[Trial],
    jobs: int,
    out: Path,
    tell: Callable[[dict[str, Any]], None],
    data_dir: Path | None = None,
    models: Path | None = None,
    pool: Pool | None = None,
) -> list[dict[str, Any]]:
    """Train what `out` does not have yet and give all records of `out`.

    Trials are trained in `pool`, or `jobs` at a time on this machine. Each record is appended and passed to
    `tell` as soon as its trial ends. With `models`, the model of each trial is kept there as TASK-SEED.pt.
    Trials that fail do not end the others, and are named by the error at the end.
    """
    missing = not_done(trials, out)
    for folder in (out.parent, *([models] if models else [])):
        folder.mkdir(parents=True, exist_ok=True)
    workers = 2 if jobs == 1 and pool is None else 1  # the recipe trains two candidates
    work = partial(execute, workers=workers, data_dir=data_dir, keep=models is not None)
    problems = []
    with ThreadPoolExecutor(jobs) as executor:
        for outcome in (pool or LocalPool(executor)).map(work, missing):
            if outcome.result is None:
                problems.append(f"{outcome.item.name}, seed {outcome.item.seed}: {outcome.error}")
                continue
            record, model = outcome.result
            if models:
                write_atomically(models / model_name(outcome.item), model)
            append_result(out, record)
            tell(record)
    if problems:
        raise LaneError("\n".join(problems))
    return read_results(out)


def model_name(trial: Trial) -> str:
    """The file of its model."""
    return f"{trial.task.replace(':', '')}-{trial.seed}.pt"


def execute(trial: Trial, workers: int, data_dir: Path | None, keep: bool) -> tuple[dict[str, Any], bytes]:
    """The record of one trial, trained in a new process, and its model if it is to be kept.

    The time is that of the whole process.
    """
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder:
        job = Job(trial, Path(folder), workers, data_dir.absolute() if data_dir else None)
        # -P: a module in the current folder must not hide one of the library.
        command = [sys.executable, "-P", "-m", "lane.experiments.trial"]
        started = time.monotonic()
        ended = subprocess.run(command, input=job.as_json(), capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
        if ended.returncode:  # a trial that does not converge is a result, an interrupted one is not
            raise LaneError(ended.stderr.strip() or "no result")
        record = json.loads(ended.stdout)
        model = job.model.read_bytes() if keep else b""
    return {**trial.head, "workers": workers, **record, "seconds": round(seconds, 1)}, model


def solved(record: dict[str, Any]) -> bool:
    """Whether it is 100 % right on the test pairs and, where the whole language is known, on that too."""
    accuracy = record["accuracy"]
    return all(accuracy.get(name, 1.0) == 1.0 for name in ("test", "language"))


def table(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One line per task and arguments: solved trials, mean test accuracy, and the resources they took."""
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
