"""Training from Python: `train` takes pairs and gives a model; it prints nothing and leaves no process."""

import math
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.data.pair import Pair, checked_pair
from lane.data.task import Task
from lane.trainer.attempt import Report
from lane.trainer.config import TrainConfig, build_config
from lane.trainer.result import Result
from lane.trainer.run import Plan, run

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
    test: Iterable[PairLike] = (),
    evaluate: Mapping[str, Iterable[PairLike]] | None = None,
    name: str = "pairs",
    device: str = "auto",
    workers: int | None = None,
    run_dir: str | Path | None = None,
    resume: bool = False,
    force: bool = False,
    on_report: Callable[[Report], object] | None = None,
    stop: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> Result:
    """Learn a translator from pairs and write it to `out`.

    A pair is two texts, two lists of words, or a Pair. Settings are given by keyword or as a `config`.
    `held_out` is the share of distinct inputs to report on instead of learning from them.

    An unconverged model never replaces a converged one at `out` unless `force` is set: it is written beside
    it as NAME.unconverged.pt, and `Result.model` says where. `on_report` is called with every evaluation.
    `stop` is asked between evaluations: once it is true, as after `minutes`, the best model so far is the
    result. Without `run_dir` the run lives in a temporary folder, which is removed unless there is something
    to resume: after a stop (`Result.run_dir`) and after an exception (its note).
    """
    if config is not None and (settings or preset != "fast"):
        raise LaneError("give config= or settings by keyword, not both")
    config = config or build_config(preset, settings)
    train_pairs, evaluated = _held_out(as_pairs(pairs, "pair"), held_out, seed)
    evaluated |= {key: as_pairs(value, f"{key} pair") for key, value in (evaluate or {}).items()}
    device = _device(device)
    folder = Path(run_dir) if run_dir else Path(tempfile.mkdtemp(prefix="lane-train-"))
    plan = Plan(
        task=Task(name, train_pairs, as_pairs(test, "test pair")),
        config=config,
        seed=seed,
        out=Path(out),
        run_dir=folder,
        device=device,
        workers=min(config.candidates, _cores()) if workers is None else workers,
        resume=resume,
        force=force,
        evaluate=tuple(evaluated.items()),
    )
    deadline = math.inf if minutes is None else time.monotonic() + 60 * minutes
    try:
        result = run(plan, on_report, lambda: stop() or time.monotonic() > deadline)
    except BaseException as error:
        if (folder / "run.json").exists():
            error.add_note(
                f"resume with train(..., run_dir={str(folder)!r}, resume=True) and the same arguments"
            )
        elif not run_dir:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if run_dir or result.stopped:
        return result
    shutil.rmtree(folder, ignore_errors=True)
    return replace(result, run_dir=None)


def as_pairs(pairs: Iterable[PairLike], what: str) -> tuple[Pair, ...]:
    """Pairs in any of their forms, checked; an error names the number of the pair."""
    found = []
    for number, pair in enumerate(pairs, start=1):
        try:
            source, target = (pair.source, pair.target) if isinstance(pair, Pair) else pair
            found.append(checked_pair(_words(source), _words(target)))
        except (TypeError, ValueError, AttributeError) as error:
            raise LaneError(f"{what} {number}: {error}; a pair is two texts or two lists of words") from None
    if not found and what == "pair":
        raise LaneError("there are no pairs to learn from")
    return tuple(found)


def _words(side: str | Sequence[str]) -> Sequence[str]:
    return side.split() if isinstance(side, str) else side


def _held_out(
    pairs: tuple[Pair, ...], share: float, seed: int
) -> tuple[tuple[Pair, ...], dict[str, tuple[Pair, ...]]]:
    """Some distinct commands leave the training pairs, with all their repetitions."""
    if not 0 <= share < 1:
        raise LaneError(f"held_out {share}: a share from 0 to below 1")
    distinct = sorted({pair.source for pair in pairs})
    random.Random(seed).shuffle(distinct)
    away = set(distinct[: round(len(distinct) * share)])
    kept = tuple(pair for pair in pairs if pair.source not in away)
    if not kept:
        raise LaneError(f"a held-out share of {share} leaves no pair to learn from; give a smaller one")
    return kept, {"dev": tuple(pair for pair in pairs if pair.source in away)} if away else {}


def _device(name: str) -> str:
    if name not in ("auto", "cpu", "cuda"):
        raise LaneError(f"device {name!r}: auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise LaneError("device cuda: torch sees no GPU here; use cpu or auto")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
