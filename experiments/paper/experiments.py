"""The experiments of the paper as runs of the real command: each to a result file of its own, resumable."""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.data.scan import join_and, scan_phrases
from lane.experiments.paper.departures import runs as runs_of_departures
from lane.experiments.sweep import Run, append_result, not_done, read_results, sweep

SCAN = ("simple", "addjump", "around_right", "length", "mcd1", "mcd2", "mcd3")
TASKS = (*SCAN, "limit", "extend")
ABLATIONS = {
    "without Composer": "composer=false",
    "without curriculum": "curriculum=false",
    "without simplicity": "gamma=0",
}
ABLATION_SEEDS = 3
CAP = 3  # times the full model's median time
RATES = tuple((composer, solver) for composer in (1e-4, 1e-3, 1e-2) for solver in (2e-4, 2e-3, 2e-2))
BASELINE_TASKS = ("simple", "addjump", "length", "limit")
LEFT_OUT = ("dax blicket zup", "wif kiki zup")  # items of MiniSCAN's test that the paper does not have
TREES = {
    "addjump": "jump around left thrice after walk opposite right twice",
    "mcd1": "turn around right twice and look thrice",
    "limit": "zup blicket wif kiki dax fep",
}
ANDS = (10, 20, 50, 100)
LONG_COMMANDS = 50  # of each number of `and`

Say = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """What to do, and where its results go."""

    out: Path  # result files
    models: Path  # checkpoints of the full model
    seeds: int
    data_dir: Path | None
    say: Say

    def file(self, name: str) -> Path:
        """The result file of an experiment."""
        return self.out / name

    @property
    def places(self) -> tuple[str, ...]:
        """Arguments that are of this machine only."""
        return ("--data-dir", str(self.data_dir)) if self.data_dir else ()


def tasks(study: Study) -> None:
    """The full model on every task, with every seed; its models are kept."""
    runs = [Run(task, seed) for seed in range(1, study.seeds + 1) for task in TASKS]
    _sweep(study, runs, "tasks.jsonl", study.models)


def ablations(study: Study) -> None:
    """Without one part each, on the seven tasks of SCAN, for at most three times as long as with it."""
    runs = [
        _changed(study, task, seed, setting)
        for seed in range(1, ABLATION_SEEDS + 1)
        for setting in ABLATIONS.values()
        for task in SCAN
    ]
    _sweep(study, runs, "ablations.jsonl")


def departures(study: Study) -> None:
    """Single attempts, as the recipe has them and with each departure from the paper taken back."""
    _sweep(study, runs_of_departures(), "departures.jsonl", jobs=2)


def rates(study: Study) -> None:
    """The differential update: learning rates of Composer and Solver that differ, and that do not."""
    runs = [
        _changed(study, "addjump", 1, f"composer_rate={composer}", f"solver_rate={solver}")
        for composer, solver in RATES
    ]
    _sweep(study, runs, "rates.jsonl")


def baselines(study: Study) -> None:
    """An LSTM and a Transformer on four of the tasks, one after the other."""
    from lane.data import load_task
    from lane.experiments.baseline import KINDS, measure

    out = study.file("baselines.jsonl")
    done = {(record["task"], record["kind"], record["seed"]) for record in read_results(out)}
    for task in BASELINE_TASKS:
        for kind in KINDS:
            if (task, kind, 1) not in done:
                record = measure(load_task(task, study.data_dir), kind, 1)
                append_result(out, record)
                study.say(f"{kind} on {task}: {record['accuracy']}")


def productivity(study: Study) -> None:
    """The models of SCAN-ext by the length of a command, and far beyond what the paper tests."""
    from lane.data import load_task

    test = load_task("extend").test
    lengths = sorted({len(pair.source) for pair in test})
    phrases, draw = scan_phrases(), random.Random("beyond")
    beyond = {
        ands: tuple(reduce(join_and, draw.choices(phrases, k=ands + 1)) for _ in range(LONG_COMMANDS))
        for ands in ANDS
    }
    path = study.file("productivity.json")
    figures: dict[str, Any] = {
        "test": {length: sum(len(pair.source) == length for pair in test) for length in lengths},
        "train": _lengths(pair.source for pair in load_task("extend").train),
        "accuracy": {},
        "beyond": {},
    }
    if path.exists():
        figures = json.loads(path.read_text(encoding="utf-8"))
    for seed in map(str, range(1, study.seeds + 1)):
        if seed in figures["beyond"]:
            continue
        right = _measurer(study, "extend", int(seed))
        figures["accuracy"][seed] = {
            length: right(tuple(pair for pair in test if len(pair.source) == length)) for length in lengths
        }
        figures["beyond"][seed] = {ands: right(pairs) for ands, pairs in beyond.items()}
        study.say(f"extend, seed {seed}: {figures['beyond'][seed]} by number of `and`")
        _write(path, figures)


def limit(study: Study) -> None:
    """The models of MiniSCAN on the paper's eight items, and on all ten."""
    from lane.data import load_task

    test = load_task("limit").test
    eight = tuple(pair for pair in test if " ".join(pair.source) not in LEFT_OUT)
    found = {}
    for seed in range(1, study.seeds + 1):
        right = _measurer(study, "limit", seed)
        found[seed] = {len(pairs): right(pairs) for pairs in (eight, test)}
    study.say(f"limit, by number of items: {found}")
    _write(study.file("limit.json"), found)


def trees(study: Study) -> None:
    """Pictures of derivations, drawn by the real commands from the models of the first seed."""
    for task, command in TREES.items():
        with tempfile.TemporaryDirectory(prefix="lane-trees-") as folder:
            model = _model(study, task, 1)
            _command("export", str(model), "--out", folder, "--formats", "program")
            program = str(Path(folder) / model.with_suffix(".lane").name)
            picture = _command("run", "--model", program, "--explain", "svg", said=command)
        _put(study.file(f"tree-{task}.svg"), picture)
        study.say(f"{study.file(f'tree-{task}.svg')}: {command}")


def rules(study: Study) -> None:
    """What each model of the full recipe has learned."""
    from lane.models import checkpoint

    found = {
        task: {
            seed: checkpoint.load(_model(study, task, seed)).card.rules for seed in range(1, study.seeds + 1)
        }
        for task in TASKS
    }
    _write(study.file("rules.json"), found)


EXPERIMENTS: dict[str, Callable[[Study], None]] = {
    "tasks": tasks,
    "rules": rules,
    "trees": trees,
    "limit": limit,
    "productivity": productivity,
    "ablations": ablations,
    "rates": rates,
    "baselines": baselines,
    "departures": departures,
}


def reproduce(study: Study, only: Sequence[str]) -> None:
    """Do the experiments, in an order in which each finds what it needs of the others."""
    study.out.mkdir(parents=True, exist_ok=True)
    for name, experiment in EXPERIMENTS.items():
        if name in only:
            study.say(f"== {name}")
            experiment(study)


def _sweep(study: Study, runs: Sequence[Run], name: str, models: Path | None = None, jobs: int = 1) -> None:
    """The runs that are missing, some at a time, with how many are left and how long they may take."""
    out = study.file(name)
    left = len(not_done(runs, out))
    started, count = time.monotonic(), 0

    def tell(record: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        minutes = (time.monotonic() - started) / count * (left - count) / 60
        what = " ".join([record["task"], *record["arguments"]])
        share = ", ".join(f"{name} {value:.1%}" for name, value in record["accuracy"].items())
        study.say(f"{what}, seed {record['seed']}: {share}; {left - count} left, about {minutes:.0f} min")

    sweep(runs, jobs, out, tell, study.places, models)


def _changed(study: Study, task: str, seed: int, *settings: str) -> Run:
    """A run with other settings, for at most three times as long as the full model takes."""
    changes = tuple(f"--set={setting}" for setting in settings)
    return Run(task, seed, (*changes, f"--minutes={_cap(study, task):.2f}"))


def _cap(study: Study, task: str) -> float:
    """Minutes: three times what the full model took for the task, with the same seeds."""
    # More seeds of the full model, later on, change nothing of what an ablation is.
    runs = [run for run in read_results(study.file("tasks.jsonl")) if run["seed"] <= ABLATION_SEEDS]
    seconds = [float(run["seconds"]) for run in runs if run["task"] == task]
    if not seconds:
        raise LaneError(f"{study.file('tasks.jsonl')} has no run of {task}: do the experiment `tasks` first")
    return CAP * statistics.median(seconds) / 60


def _model(study: Study, task: str, seed: int) -> Path:
    path = study.models / f"{task}-{seed}.pt"
    if not path.exists():
        raise LaneError(
            f"{path}: no such model; the experiment `tasks` makes it, if its result is not there yet"
        )
    return path


def _measurer(study: Study, task: str, seed: int) -> Callable[[Any], float]:
    """The share of pairs that a kept model translates exactly."""
    from lane.models import checkpoint
    from lane.trainer.config import build_config
    from lane.trainer.dataset import Dataset
    from lane.trainer.learner import Learner
    from lane.trainer.run import measure

    loaded = checkpoint.load(_model(study, task, seed))
    learner = Learner(loaded.model(), build_config())
    return lambda pairs: measure(learner, pairs, Dataset((), loaded.source, loaded.target))


def _lengths(commands: Iterable[Sequence[str]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for command in commands:
        counts[len(command)] = counts.get(len(command), 0) + 1
    return dict(sorted(counts.items()))


def _command(name: str, *arguments: str, said: str = "") -> str:
    """What one of our commands prints."""
    line = [sys.executable, "-m", f"lane.cli.{name}", *arguments]
    done = subprocess.run(line, input=said, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout:
        raise LaneError(f"lane-{name} {' '.join(arguments)}: {done.stderr.strip() or 'it says nothing'}")
    return done.stdout


def _write(path: Path, figures: object) -> None:
    _put(path, json.dumps(figures, indent=1) + "\n")


def _put(path: Path, text: str) -> None:
    from lane.base.files import write_atomically

    write_atomically(path, lambda stream: stream.write(text.encode()))
