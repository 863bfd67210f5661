"""A whole training run: from pairs to a checkpoint, with everything a user wants to know about it."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.base.record import read_record, write_record
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
from lane.trainer.result import Misfit, Result
from lane.trainer.search import Found, search
from lane.trainer.worker import Halted, Job

DISTRIBUTION = "lane-expressions"


@dataclass(frozen=True, kw_only=True)
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
    force: bool = False  # replace a converged model by an unconverged one
    evaluate: tuple[tuple[str, tuple[Pair, ...]], ...] = ()  # sets to report on, never to choose by


OnReport = Callable[[Report], object]


def run(plan: Plan, on_report: OnReport | None = None, halted: Halted = lambda: False) -> Result:
    """Find a model for the pairs of the plan, write it to `plan.out`, and measure it."""
    started = time.monotonic()
    job = _job(plan)
    _prepare(plan, job)
    journal = _Journal(plan.run_dir / "metrics.jsonl", on_report)
    contradictory = _contradictory(plan.task.train)
    if contradictory:
        journal.say(
            f"{contradictory} inputs have more than one output, and at most one of them can be learned; "
            "`lane-data check` lists them"
        )
    with PeakMemory() as peak:
        found = search(job, plan.workers, journal.tell, halted, journal.say)
    result = _conclude(plan, job, found, stopped=not found.converged and halted())
    result = replace(result, peak_mb=peak.megabytes, seconds=time.monotonic() - started)
    _write_down(plan, result)
    return result


class _Journal:
    """Every report to the metrics file and to the user's function, messages to that alone."""

    def __init__(self, path: Path, on_report: OnReport | None) -> None:
        self._path, self._on_report = path, on_report
        self._last: Report | None = None
        self._waiting: list[str] = []  # messages from before the first report

    def tell(self, number: int, report: Report) -> None:
        """A candidate has been evaluated."""
        self._last = report = replace(report, candidate=number)
        record = {key: value for key, value in asdict(report).items() if key != "message"}
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(record) + "\n")
        except OSError as error:
            raise LaneError(
                f"{self._path}: cannot be written: {error.strerror}; free some space and resume the run"
            ) from None
        for text in self._waiting:
            self._pass_on(replace(report, message=text))
        self._waiting.clear()
        self._pass_on(report)

    def say(self, text: str) -> None:
        """A message, with the numbers of the last report."""
        if self._last is None:
            self._waiting.append(text)
        else:
            self._pass_on(replace(self._last, message=text))

    def _pass_on(self, report: Report) -> None:
        if self._on_report is not None:
            self._on_report(report)


def _contradictory(pairs: tuple[Pair, ...]) -> int:
    """How many inputs have more than one output."""
    return sum(
        uses > 1 for uses in Counter(source for source, _ in {(p.source, p.target) for p in pairs}).values()
    )


def _write_down(plan: Plan, result: Result) -> None:
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
        "peak_mb": round(result.peak_mb, 1),
    }
    write_record(plan.run_dir / "result.json", numbers)
    lines = "".join(
        f"{' '.join(m.source)}\t{' '.join(m.target)}\t{' '.join(m.says)}\n" for m in result.misfits
    )
    write_atomically(plan.run_dir / "misfits.tsv", lines.encode())


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
    # Before the training, which may take hours.
    if plan.out.is_dir():
        raise LaneError(f"{plan.out}: is a directory; name a file for the model")
    if not plan.out.parent.exists():
        raise LaneError(f"{plan.out.parent}: no such folder for the model; create it, or name another")
    _check_writable(plan.out.parent)
    with suppress(OSError):
        plan.run_dir.mkdir(parents=True, exist_ok=True)
    _check_writable(plan.run_dir)
    if plan.resume:
        _compare(path, note)
        return
    # The temporary files too that a kill in the middle of a write leaves.
    for old in [*plan.run_dir.glob("candidate-*.pt"), *plan.run_dir.glob(".candidate-*.tmp")]:
        old.unlink()
    write_record(path, note)
    (plan.run_dir / "metrics.jsonl").unlink(missing_ok=True)


def _check_writable(folder: Path) -> None:
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise LaneError(f"{folder}: cannot be written; name another place for the model and its run")


def _compare(path: Path, note: dict[str, Any]) -> None:
    if not path.exists():
        raise LaneError(f"{path}: no such file: there is no run to resume; start without resume")
    try:
        kept = read_record(path)
    except LaneError as error:
        raise LaneError(f"{error}; start again without resume") from None
    for key, what in (("data", "pairs"), ("config", "settings"), ("seed", "seed")):
        if kept.get(key) != note[key]:
            raise LaneError(
                f"{path}: the run to resume had other {what}; give the same, or start without resume"
            )


def _conclude(plan: Plan, job: Job, found: Found, stopped: bool) -> Result:
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
    spare = not (found.converged or plan.force) and _is_converged(plan.out)
    model = plan.out.with_name(f"{plan.out.stem}.unconverged{plan.out.suffix}") if spare else plan.out
    checkpoint.save(done, model)
    if not stopped:
        for number in range(len(found.candidates)):
            job.state_path(number).unlink(missing_ok=True)
    return Result(
        converged=found.converged,
        stopped=stopped,
        reason=found.reason,
        agreement=found.agreement,
        rules=tuple(table),
        misfits=tuple(misfits),
        accuracy=accuracy,
        updates=sum(fit.updates for fit in found.candidates),
        trajectories=sum(fit.trajectories for fit in found.candidates),
        candidates=len(found.candidates),
        seconds=0.0,  # measured by the caller, to the end
        peak_mb=0.0,
        model=model,
        spared=plan.out if spare else None,
        run_dir=plan.run_dir,
    )


def _is_converged(path: Path) -> bool:
    try:
        return path.is_file() and checkpoint.load(path).card.converged
    except LaneError:
        return False  # not a checkpoint


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
