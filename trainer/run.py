"""A whole training run: from pairs to a checkpoint, with everything a user wants to know about it."""

import json
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.base.rule import Rule
from lane.base.vocabulary import Vocabulary
from lane.data import checksum
from lane.data.pair import Pair
from lane.data.task import Task
from lane.models import checkpoint
from lane.models.card import ModelCard, TrainingData
from lane.trainer import rules
from lane.trainer.attempt import Report
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset
from lane.trainer.footprint import PeakMemory
from lane.trainer.learner import Learner
from lane.trainer.search import Found, search
from lane.trainer.worker import Halted, Job

DISTRIBUTION = "lane-expressions"


@dataclass(frozen=True)
class Misfit:
    """A training pair that the learned rules contradict."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    says: tuple[str, ...]  # what the model gives instead; nothing where its output is far too long


@dataclass(frozen=True)
class Result:
    """What a run came to."""

    converged: bool
    stopped: bool  # by the user or by the clock, before the search had ended
    reason: str
    agreement: float
    rules: tuple[Rule, ...]
    misfits: tuple[Misfit, ...]
    accuracy: dict[str, float]  # by name of the set: train, test, ...
    updates: int
    trajectories: int
    seconds: float
    candidates: int
    model: Path


@dataclass(frozen=True)
class Plan:
    """What to train on, how, and where to put it."""

    task: Task
    config: TrainConfig
    seed: int
    out: Path
    run_dir: Path
    device: str = "cpu"
    workers: int = 1
    resume: bool = False
    evaluate: tuple[tuple[str, tuple[Pair, ...]], ...] = ()  # sets to report on, never to choose by


class Watcher:
    """Told of everything that happens; the base watches in silence."""

    def begin(self, plan: Plan) -> None:
        """Training starts."""

    def report(self, number: int, report: Report) -> None:
        """A candidate has been evaluated."""

    def say(self, text: str) -> None:
        """Something worth a line."""

    def end(self) -> None:
        """Training is over, or was broken off."""


def run(plan: Plan, watcher: Watcher | None = None, halted: Halted = lambda: False) -> Result:
    """Find a model for the pairs of the plan, write it to `plan.out`, and tell what it is worth."""
    started = time.monotonic()
    watcher = watcher or Watcher()
    job = _job(plan)
    _prepare(plan, job)
    metrics = plan.run_dir / "metrics.jsonl"

    def tell(number: int, report: Report) -> None:
        report = replace(report, candidate=number)
        line = json.dumps(asdict(report))
        try:
            with metrics.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")
        except OSError as error:
            raise LaneError(
                f"{metrics}: cannot be written: {error.strerror}; free some space and go on with --resume"
            ) from None
        watcher.report(number, report)

    watcher.begin(plan)
    with PeakMemory() as peak:
        try:
            found = search(job, plan.workers, tell, halted, watcher.say)
        finally:
            watcher.end()
        result = _conclude(plan, job, found, started, stopped=not found.converged and halted())
    _write_down(plan, result, peak.megabytes)
    return result


def _write_down(plan: Plan, result: Result, peak: float) -> None:
    """The result for programs, and all misfits for people, into the run directory."""
    numbers = {
        "converged": result.converged,
        "agreement": result.agreement,
        "accuracy": result.accuracy,
        "rules": len(result.rules),
        "misfits": len(result.misfits),
        "updates": result.updates,
        "trajectories": result.trajectories,
        "candidates": result.candidates,
        "seconds": round(result.seconds, 1),
        "peak_mb": round(peak, 1),
    }
    text = json.dumps(numbers, indent=1)
    write_atomically(plan.run_dir / "result.json", lambda stream: stream.write(text.encode()))
    lines = "".join(
        f"{' '.join(m.source)}\t{' '.join(m.target)}\t{' '.join(m.says)}\n" for m in result.misfits
    )
    write_atomically(plan.run_dir / "misfits.tsv", lambda stream: stream.write(lines.encode()))


def _job(plan: Plan) -> Job:
    pairs = plan.task.train
    source = Vocabulary.of(pair.source for pair in pairs)
    target = Vocabulary.of(pair.target for pair in pairs)
    config = plan.config.fitted_to(
        max(len(pair.source) for pair in pairs), max(len(pair.target) for pair in pairs)
    )
    return Job(pairs, source.words, target.words, config, plan.seed, plan.device, plan.run_dir)


def _prepare(plan: Plan, job: Job) -> None:
    """The run directory, with a note of what the run is: a resumed run must be the same one."""
    note = {
        "data": checksum(job.pairs),
        "config": plan.config.model_dump(),
        "seed": plan.seed,
        "version": version(DISTRIBUTION),
    }
    path = plan.run_dir / "run.json"
    # A place that cannot be written is found out now, and not after the training.
    for directory in (plan.run_dir, plan.out.parent):
        with suppress(OSError):
            directory.mkdir(parents=True, exist_ok=True)
        if not directory.is_dir() or not os.access(directory, os.W_OK):
            raise LaneError(f"{directory}: cannot be written; name another place with --out and --run-dir")
    if plan.out.is_dir():
        raise LaneError(f"{plan.out}: is a directory; name a file with --out")
    if plan.resume:
        _compare(path, note)
        return
    # Also what a kill in the middle of a write has left.
    for old in [*plan.run_dir.glob("candidate-*.pt"), *plan.run_dir.glob(".candidate-*.tmp")]:
        old.unlink()
    write_atomically(path, lambda stream: stream.write(json.dumps(note, indent=1).encode()))
    (plan.run_dir / "metrics.jsonl").unlink(missing_ok=True)


def _compare(path: Path, note: dict[str, Any]) -> None:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LaneError(f"{path}: no such file: there is no run to resume; leave out --resume") from None
    except (OSError, ValueError) as error:
        raise LaneError(f"{path}: cannot be read ({error}); start anew without --resume") from None
    for key, what in (("data", "pairs"), ("config", "settings"), ("seed", "seed")):
        if kept.get(key) != note[key]:
            raise LaneError(
                f"{path}: the run to resume had other {what}; give the same, or leave out --resume"
            )


def _conclude(plan: Plan, job: Job, found: Found, started: float, stopped: bool) -> Result:
    dataset = job.dataset
    learner = found.fit.learner(dataset, job.config, plan.device)
    table = _rules(learner, dataset)
    misfits = _misfits(learner, dataset, found.fit.wrong)
    accuracy = {"train": 1 - len(found.fit.wrong) / len(dataset)}
    for name, pairs in (("test", plan.task.test), *plan.evaluate):
        if pairs:
            accuracy[name] = measure(learner, pairs, dataset)
    card = ModelCard(
        task=plan.task.name,
        version=version(DISTRIBUTION),
        seed=plan.seed,
        data=TrainingData(pairs=len(job.pairs), distinct=len(dataset), sha256=checksum(job.pairs)),
        config=job.config.model_dump(mode="json"),
        converged=found.converged,
        reason=found.reason,
        agreement=found.agreement,
        accuracy=accuracy,
        rules=tuple(str(rule) for rule in table),
        misfits=len(misfits),
        candidates=len(found.candidates),
    )
    done = checkpoint.Checkpoint(
        job.config.network(found.fit.constants), dataset.source, dataset.target, found.fit.weights, card
    )
    checkpoint.save(done, plan.out)
    if not stopped:
        for number in range(len(found.candidates)):
            job.state_path(number).unlink(missing_ok=True)
    return Result(
        found.converged,
        stopped,
        found.reason,
        found.agreement,
        tuple(table),
        tuple(misfits),
        accuracy,
        sum(fit.updates for fit in found.candidates),
        sum(fit.trajectories for fit in found.candidates),
        time.monotonic() - started,
        len(found.candidates),
        plan.out,
    )


def measure(learner: Learner, pairs: tuple[Pair, ...], trained: Dataset) -> float:
    """The share of pairs, each occurrence counted, that the model translates exactly."""
    source, target = trained.source, trained.target
    known = [
        pair
        for pair in pairs
        if all(word in source for word in pair.source) and all(word in target for word in pair.target)
    ]
    if not known:
        return 0.0
    dataset = trained.like(known)
    right: set[Pair] = set()
    for index in dataset.chunks():
        evaluation = learner.evaluate(dataset, index)
        right.update(dataset.pairs[i] for i in index[evaluation.right].tolist())
    return sum(pair in right for pair in known) / len(pairs)


def _rules(learner: Learner, dataset: Dataset) -> list[Rule]:
    """All rules that the training pairs need, with how often."""
    uses: Counter[Rule] = Counter()
    for index in dataset.chunks():
        rollout = learner.evaluate(dataset, index).rollout
        for rule in rules.extract(rollout, learner.model.solver.variables, dataset):
            uses[rule._replace(uses=0)] += rule.uses
    return rules.counted(uses)


def _misfits(learner: Learner, dataset: Dataset, wrong: tuple[int, ...]) -> list[Misfit]:
    if not wrong:
        return []
    values = learner.evaluate(dataset, torch.tensor(wrong)).rollout.values
    rows: list[Misfit] = []
    for i, row, length in zip(wrong, values.actions.tolist(), values.length.tolist(), strict=True):
        pair, says = dataset.pairs[i], tuple(dataset.target.word(a) for a in row[:length])
        # A word that is right but not recognised in phrases counts as wrong for the model, not for the data.
        if says != pair.target:
            rows.append(Misfit(pair.source, pair.target, says))
    return rows
