"""A trial: one training with its task, seed and settings.

As a program (`python -m lane.experiments.trial`) it reads a job as JSON from standard input, trains it, and
prints the record of the result as JSON.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from lane.base.errors import LaneError
from lane.base.record import read_record

OPTIONS = ("--preset", "--corrupt", "--minutes", "--thin")
TEMPORARY = "lane-sweep-"  # begins the names of folders that are removed with their trial
INTERRUPTED = 130  # as a shell reports SIGINT


@dataclass(frozen=True)
class Trial:
    """What is trained; two trials that are equal need to be trained only once."""

    task: str
    seed: int
    settings: tuple[str, ...] = ()  # key=value
    preset: str = "fast"
    corrupt: float = 0.0  # share of the training outputs that are replaced by wrong ones
    minutes: float | None = None
    thin: float = 0.0  # share of the training pairs that are kept; 0: all

    @property
    def arguments(self) -> list[str]:
        """Everything but task and seed, as the result files have it."""
        preset = [f"--preset={self.preset}"] if self.preset != "fast" else []
        settings = [f"--set={setting}" for setting in self.settings]
        corrupt = [f"--corrupt={self.corrupt}"] if self.corrupt else []
        minutes = [f"--minutes={_decimal(self.minutes)}"] if self.minutes is not None else []
        thin = [f"--thin={self.thin}"] if self.thin else []
        return [*preset, *settings, *corrupt, *minutes, *thin]

    @property
    def head(self) -> dict[str, Any]:
        """The part of a record by which `trial_of` recognises the trial."""
        return {"task": self.task, "seed": self.seed, "arguments": self.arguments}

    @property
    def name(self) -> str:
        """For tables and messages: the task and the arguments."""
        return " ".join([self.task, *self.arguments])


def trial_of(record: dict[str, Any]) -> Trial:
    """The trial of a record."""
    return parse(record["task"], record["seed"], record["arguments"])


def parse(task: str, seed: int, arguments: Sequence[str]) -> Trial:
    """The inverse of `Trial.arguments`; the order of different options does not matter."""
    settings: list[str] = []
    others: dict[str, str] = {}
    for argument in arguments:
        option, _, value = argument.partition("=")
        if option == "--set":
            settings.append(value)
        elif option in OPTIONS and value:
            others[option] = value
        else:
            raise LaneError(f"{task}, seed {seed}: {argument!r} is none of --set=, {'=, '.join(OPTIONS)}=")
    return Trial(
        task=task,
        seed=seed,
        settings=tuple(settings),
        preset=others.get("--preset", "fast"),
        corrupt=float(others.get("--corrupt", 0)),
        minutes=float(others["--minutes"]) if "--minutes" in others else None,
        thin=float(others.get("--thin", 0)),
    )


def _decimal(value: float) -> str:
    """Two digits, more only where the value has more."""
    return f"{value:.2f}" if value == round(value, 2) else repr(value)


def settings_of(texts: Sequence[str]) -> dict[str, str]:
    """`key=value` texts as a dictionary."""
    parts = [text.partition("=") for text in texts]
    for key, equals, _ in parts:
        if not equals:
            raise LaneError(f"setting {key!r}: give it as key=value")
    return {key.strip(): value.strip() for key, _, value in parts}


@dataclass(frozen=True)
class Job:
    """A trial, and where and how this machine trains it; that is not part of the record."""

    trial: Trial
    folder: Path
    workers: int
    data_dir: Path | None = None

    @property
    def model(self) -> Path:
        """Where the checkpoint goes."""
        return self.folder / "model.pt"

    def as_json(self) -> str:
        """The job for `main` in another process."""
        data_dir = str(self.data_dir) if self.data_dir else None
        places = {"folder": str(self.folder), "workers": self.workers, "data_dir": data_dir}
        return json.dumps({**self.trial.head, **places})

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """The inverse of `as_json`."""
        job = json.loads(text)
        data_dir = Path(job["data_dir"]) if job["data_dir"] else None
        return cls(trial_of(job), Path(job["folder"]), job["workers"], data_dir)


def train_job(job: Job) -> dict[str, Any]:
    """Train in this process; the figures of the result."""
    from lane.data import load_task, scan_pairs
    from lane.data.registry import is_scan
    from lane.experiments.corruption import corrupted
    from lane.experiments.thinning import sayable, thinned
    from lane.trainer import build_config, train

    trial = job.trial
    config = build_config(trial.preset, settings_of(trial.settings))
    task = load_task(trial.task, job.data_dir)
    if trial.corrupt:
        task = corrupted(task, trial.corrupt, trial.seed)
    evaluate = {"language": tuple(scan_pairs())} if is_scan(trial.task) else {}
    if trial.thin:
        whole, task = task, thinned(task, trial.thin, trial.seed)
        language = evaluate.get("language", (*whole.train, *whole.test))
        evaluate = {"language": sayable(language, task.train)}
    train(
        task.train,
        out=job.model,
        config=config,
        seed=trial.seed,
        minutes=trial.minutes,
        test=task.test,
        evaluate=evaluate,
        name=task.name,
        workers=job.workers,
        run_dir=job.folder / "run",
    )
    record = read_record(job.folder / "run" / "result.json")
    # Numbers only: the texts of what is open or differs would fill the result files.
    record["comparison"].pop("differing")
    record["open_readings"] = len(record["open_readings"])
    if config.epochs:  # lessons that may end unlearned: how far each came
        record["curve"] = curve(job.folder / "run" / "metrics.jsonl")
    return record


def curve(path: Path) -> list[tuple[int, int, float]]:
    """Updates, longest command and accuracy of the lesson, at each evaluation of a run."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(line["updates"], line["longest"], round(line["accuracy"], 4)) for line in lines]


def _end_with_parent(job: Job, parent: int) -> None:
    """When the parent is killed, as with its node, nobody waits for the result or removes the folder.

    Only a folder that was made for the trial is removed: another may be the user's.
    """
    while os.getppid() == parent:
        time.sleep(1)
    if job.folder.name.startswith(TEMPORARY):
        shutil.rmtree(job.folder, ignore_errors=True)
    os._exit(INTERRUPTED)


def main() -> int:
    """Train the job on standard input; the record goes to standard output."""
    try:
        job = Job.from_json(sys.stdin.read())
        Thread(target=_end_with_parent, args=(job, os.getppid()), daemon=True).start()
        record = train_job(job)
    except LaneError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    print(json.dumps(record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
