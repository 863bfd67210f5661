"""Training from Python: `train` takes pairs and gives a model; it prints nothing and leaves no process."""

import math
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.placeholder import placeholder
from lane.base.scheme import Schemes
from lane.data import checksum
from lane.data.choice import choose
from lane.data.finding import find
from lane.data.pair import Pair, checked_pair
from lane.models import checkpoint
from lane.models.card import ModelCard, TrainingData
from lane.trainer.ambiguity import open_readings
from lane.trainer.automaton import read_off
from lane.trainer.candidate import Fit
from lane.trainer.config import TrainConfig, build_config
from lane.trainer.dataset import Dataset
from lane.trainer.diagnosis import Stall, diagnose
from lane.trainer.epochs import curriculum_of
from lane.trainer.footprint import PeakMemory
from lane.trainer.induction import Induced, induce
from lane.trainer.induction.suspicion import set_aside
from lane.trainer.label import write_label
from lane.trainer.measurement import measure, misfits, used_rules, wrong_examples
from lane.trainer.result import Result
from lane.trainer.search import Found, agreement_of, search
from lane.trainer.training import DISTRIBUTION, Journal, OnReport, Run, check_writable, locked
from lane.trainer.worker import Spares

PairLike = Pair | tuple[str | Sequence[str], str | Sequence[str]]


def train(
    pairs: Iterable[PairLike],
    *,
    out: str | Path = "model.pt",
    config: TrainConfig | None = None,
    preset: str = "fast",
    seed: int = 1,
    minutes: float | None = None,
    held_out: float = 0.0,
    source_scheme: str | None = None,
    target_scheme: str | None = None,
    test: Iterable[PairLike] = (),
    evaluate: Mapping[str, Iterable[PairLike]] | None = None,
    name: str = "pairs",
    device: str = "auto",
    workers: int | None = None,
    run_dir: str | Path | None = None,
    resume: bool = False,
    force: bool = False,
    on_report: OnReport | None = None,
    stop: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> Result:
    """Learn a translator from pairs and write it to `out`.

    A pair is two texts, two lists of words, or a Pair. Settings are given by keyword or as a `config`.
    `held_out` is the share of distinct inputs to report on instead of learning from them. The schemes of
    tokenisation, `whitespace`, `text` or `code`, are chosen by a look at the pairs unless they are named.

    An unconverged model never replaces a converged one at `out` unless `force` is set: it is written beside
    it as NAME.unconverged.pt, and `Result.model` says where. Commands on which candidates differ, and
    those that would decide an open reading, are written to NAME.label.tsv, to be filled in (`Result.label`).

    `on_report` is called with every evaluation. `stop` is asked between evaluations: once it is true, as
    after `minutes`, the best model so far is the result. Without `run_dir` the run lives in a temporary
    folder, which is removed unless there is something to resume: after a stop (`Result.run_dir`) and after
    an exception (its note).
    """
    started = time.monotonic()
    if config is not None and (settings or preset != "fast"):
        raise LaneError("give config= or settings by keyword, not both")
    if resume and not run_dir:
        raise LaneError("to resume a run, name its run_dir")
    for what, value in (("minutes", minutes), ("workers", workers)):
        if value is not None and value <= 0:
            raise LaneError(f"{what}={value}: a number above 0")
    deadline = math.inf if minutes is None else started + 60 * minutes
    config, device = config or build_config(preset, settings), _device(device)
    workers = workers or min(config.candidates, _cores())
    given, out = as_pairs(pairs, "pair"), Path(out)
    sets = {"test": as_pairs(test, "test pair")}
    sets |= {key: as_pairs(value, f"{key} pair") for key, value in (evaluate or {}).items()}
    _check_place(out)
    with ExitStack() as stack:
        spares = stack.enter_context(Spares(min(workers, config.candidates)))
        choice = choose(given, source_scheme, target_scheme)
        seen = [*choice.reasons, *find(enumerate(given, 1), choice.schemes, "pair")]
        learned, dev = _held_out(_split(given, choice.schemes), held_out, seed)
        sets = {key: _split(value, choice.schemes) for key, value in sets.items()} | {"dev": dev}
        given_slots = slot_pairs(learned, choice.schemes.slots)
        dataset = Dataset.of((*learned, *given_slots))
        data = TrainingData(
            pairs=len(learned), distinct=len(dataset) - len(given_slots), sha256=checksum(learned)
        )
        dataset, aside, induced = _read_off(dataset, (*learned, *given_slots), config)
        run = Run(
            dataset=dataset,
            config=_fitted(config, dataset, induced),
            seed=seed,
            device=device,
            folder=Path(run_dir) if run_dir else Path(tempfile.mkdtemp(prefix="lane-train-")),
            induced=induced,
        )
        stack.enter_context(locked(run.folder, create=not resume))
        run.prepare(data.sha256, resume)
        with _resumable(run.folder):
            with PeakMemory() as peak:
                journal = _journal(run, on_report, seen, aside)
                agreement = agreement_of(run)
                halted = lambda: stop() or time.monotonic() > deadline  # noqa: E731
                found = search(run, agreement, workers, journal, halted, spares)
            model = out if found.converged or force or not _is_converged(out) else _beside(out)
            result = _result(run, found, aside, sets, model)
            result = replace(
                result,
                label=write_label(out, result.undecided),
                spared=None if model == out else out,
                peak_mb=peak.megabytes,
                seconds=time.monotonic() - started,
            )
            made = agreement.commands(found.fit) if run.config.composer else None
            _save(result, run, found.fit, made, name, data, choice.schemes, given_slots)
        if result.stopped:
            return result
        run.clear()
        if run_dir:
            return result
        shutil.rmtree(run.folder, ignore_errors=True)
        return replace(result, run_dir=None)


def _read_off(
    dataset: Dataset, pairs: tuple[Pair, ...], config: TrainConfig
) -> tuple[Dataset, Dataset, Induced | None]:
    """The pairs to learn from, those that are set aside, and the rules that were read off the former."""
    if not (config.induction and config.composer):
        return dataset, dataset.like(()), None
    induced = induce(dataset)
    if induced.phrases:
        dataset = Dataset.of(pairs, induced.phrases)
    return set_aside(dataset, induced, config.set_aside)


def _fitted(config: TrainConfig, dataset: Dataset, induced: Induced | None) -> TrainConfig:
    """The settings, with limits as wide as the pairs ask for."""
    if induced is not None:
        return config.model_copy(update=induced.limits(config))
    fitted = config.fitted_to(dataset.words.size(1), dataset.gold.size(1))
    return fitted.model_copy(update={"induction": False})  # the card says what was trained


@contextmanager
def _resumable(folder: Path) -> Iterator[None]:
    """An exception says how to resume the run."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"resume with train(..., run_dir={str(folder)!r}, resume=True) and the same arguments")
        raise


def as_pairs(pairs: Iterable[PairLike], what: str) -> tuple[Pair, ...]:
    """Pairs in any of their forms, checked; an error names the number of the pair."""
    found = []
    for number, pair in enumerate(pairs, start=1):
        try:
            source, target = (pair.source, pair.output) if isinstance(pair, Pair) else pair
            found.append(checked_pair(source, target))
        except (TypeError, ValueError, AttributeError) as error:
            raise LaneError(f"{what} {number}: {error}; a pair is two texts or two lists of words") from None
    if not found and what == "pair":
        raise LaneError("there are no pairs to learn from")
    return tuple(found)


def _split(pairs: tuple[Pair, ...], schemes: Schemes) -> tuple[Pair, ...]:
    return tuple(pair.by(schemes) for pair in pairs)


def slot_pairs(pairs: Iterable[Pair], slots: Iterable[str]) -> tuple[Pair, ...]:
    """Each slot as a word that stands for itself, where no pair says so; LaneError if one says otherwise."""
    alone = {pair.source[0]: pair.target for pair in pairs if len(pair.source) == 1}
    found = []
    for word in map(placeholder, slots):
        target = alone.get(word, (word,))
        if target != (word,):
            raise LaneError(
                f"the slot {word} stands for itself, but a pair gives it {' '.join(target)!r}: name the word "
                "without braces, or leave out the pair"
            )
        if word not in alone:
            found.append(Pair((word,), (word,)))
    return tuple(found)


def _held_out(pairs: tuple[Pair, ...], share: float, seed: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """The pairs to learn from, and those of a share of the distinct inputs, with all their repetitions."""
    if not 0 <= share < 1:
        raise LaneError(f"held_out {share}: a share from 0 to below 1")
    distinct = sorted({pair.source for pair in pairs})
    random.Random(seed).shuffle(distinct)
    away = set(distinct[: round(len(distinct) * share)])
    kept = tuple(pair for pair in pairs if pair.source not in away)
    if not kept:
        raise LaneError(f"a held-out share of {share} leaves no pair to learn from; give a smaller one")
    return kept, tuple(pair for pair in pairs if pair.source in away)


def _device(name: str) -> str:
    if name not in ("auto", "cpu", "cuda"):
        raise LaneError(f"device {name!r}: auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise LaneError("device cuda: torch sees no GPU here; use cpu or auto")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_place(out: Path) -> None:
    """Find out before the training, which may take hours."""
    if out.exists() and not out.is_file():
        kind = "is a directory" if out.is_dir() else "not a regular file"
        raise LaneError(f"{out}: {kind}; name a file for the model")
    if not out.parent.exists():
        raise LaneError(f"{out.parent}: no such folder for the model; create it, or name another")
    check_writable(out.parent)


def _journal(run: Run, on_report: OnReport | None, seen: Iterable[str], aside: Dataset) -> Journal:
    journal = Journal(run.folder / "metrics.jsonl", on_report)
    for finding in seen:
        journal.say(finding)
    if count := run.dataset.contradictions():
        journal.say(
            f"{count} {'input has' if count == 1 else 'inputs have'} more than one output, of which "
            "at most one can be learned; `lane-data check` lists them"
        )
    if run.induced is not None:
        journal.say(str(run.induced))
    if len(aside):
        journal.say(
            f"{len(aside)} pairs contradict the rules that explain the others: they are set aside, and "
            "listed at the end"
        )
    return journal


def _is_converged(path: Path) -> bool:
    try:
        return path.is_file() and checkpoint.load(path).card.converged
    except LaneError:
        return False  # not a checkpoint


def _beside(out: Path) -> Path:
    return out.with_name(f"{out.stem}.unconverged{out.suffix}")


def _result(
    run: Run, found: Found, aside: Dataset, sets: Mapping[str, tuple[Pair, ...]], model: Path
) -> Result:
    """The found model, measured; pairs that were set aside are training pairs all the same."""
    dataset, fit = run.dataset, found.fit
    learner = fit.learner(dataset, run.config, run.device)
    wrong_aside = wrong_examples(learner, aside)
    wrong = len(fit.wrong) + len(wrong_aside)
    accuracy = {"train": 1 - wrong / (len(dataset) + len(aside))}
    accuracy |= {name: measure(learner, pairs, dataset) for name, pairs in sets.items() if pairs}
    return Result(
        converged=found.converged,
        stopped=found.stopped,
        reason=found.reason,
        agreement=found.agreement,
        comparison=found.comparison,
        open_readings=open_readings(learner, dataset),
        rules=used_rules(learner, dataset),
        misfits=(*misfits(learner, dataset, fit.wrong), *misfits(learner, aside, wrong_aside)),
        accuracy=accuracy,
        updates=sum(candidate.updates for candidate in found.candidates),
        trajectories=sum(candidate.trajectories for candidate in found.candidates),
        candidates=len(found.candidates),
        model=model,
        diagnosis=None if found.converged else diagnose(dataset, run.induced, fit.wrong, _stall(run, fit)),
        run_dir=run.folder,
    )


def _stall(run: Run, fit: Fit) -> Stall:
    lessons = curriculum_of(run.dataset, run.config).lessons
    return Stall(1 + lessons.index(fit.longest), len(lessons), fit.longest, fit.gaining)


def _save(
    result: Result,
    run: Run,
    fit: Fit,
    made: Dataset | None,
    name: str,
    data: TrainingData,
    schemes: Schemes,
    given_slots: tuple[Pair, ...],
) -> None:
    """The checkpoint of the model, with what it learned, and the result in the run directory."""
    card = ModelCard(
        task=name,
        version=version(DISTRIBUTION),
        seed=run.seed,
        data=data,
        config=run.config.model_dump(mode="json"),
        converged=result.converged,
        reason=result.reason,
        agreement=result.agreement,
        comparison=result.comparison,
        open_readings=result.open_readings,
        accuracy=dict(result.accuracy),
        rules=tuple(str(rule) for rule in result.rules),
        misfits=len(result.misfits),
        candidates=result.candidates,
        source_scheme=schemes.source,
        target_scheme=schemes.target,
        phrases=run.dataset.phrases,
        slots=schemes.slots,
    )
    done = checkpoint.Checkpoint(
        config=run.config.network(fit.constants),
        source=run.dataset.source,
        target=run.dataset.target,
        weights=fit.weights,
        card=card,
    )
    # What was added says nothing of where a slot may stand: alone it is a command if pairs show that.
    stated = [pair for pair in run.dataset.pairs if pair not in given_slots]
    examples = run.dataset.like(stated) if given_slots else run.dataset
    done = replace(done, learned=read_off(done.model(), examples, made))
    checkpoint.save(done, result.model)
    result.write(run.folder)
