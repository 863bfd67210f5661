"""Training from Python: `train` takes pairs and gives a model; it prints nothing and leaves no process."""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.data.pair import Pair, checked_pair
from lane.data.task import Task
from lane.models import checkpoint
from lane.trainer.attempt import Report
from lane.trainer.config import TrainConfig, build_config
from lane.trainer.run import Plan, Result, Watcher, run

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
    **settings: Any,
) -> Result:
    """Learn a translator from pairs and write it to `out`.

    A pair is two texts, two lists of words, or a Pair. Settings are given by keyword or as a `config`.
    `held_out` is the share of commands to report on instead of learning from them. Without `run_dir` the
    state of the run is kept in a temporary folder, which a KeyboardInterrupt leaves and names. A converged
    model at `out` is replaced by an unconverged one only with `force`.
    """
    if config is not None and (settings or preset != "fast"):
        raise LaneError("give config= or settings by keyword, not both")
    train_pairs, evaluated = _held_out(as_pairs(pairs, "pair"), held_out, seed)
    evaluated |= {key: as_pairs(value, f"{key} pair") for key, value in (evaluate or {}).items()}
    model = Path(out)
    if not force and _is_converged(model) and not resume:
        raise LaneError(f"{model}: holds a converged model; name another place, or replace it by force")
    config = config or build_config(preset, settings)
    folder = Path(run_dir) if run_dir else Path(tempfile.mkdtemp(prefix="lane-train-"))
    plan = Plan(
        task=Task(name, train_pairs, as_pairs(test, "test pair")),
        config=config,
        seed=seed,
        out=model,
        run_dir=folder,
        device=_device(device),
        workers=min(config.candidates, _cores()) if workers is None else workers,
        resume=resume,
        evaluate=tuple(evaluated.items()),
    )
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    try:
        result = run(plan, _Hook(on_report), lambda: deadline is not None and time.monotonic() > deadline)
    except KeyboardInterrupt as stop:
        stop.add_note(f"resume with train(..., run_dir={str(folder)!r}, resume=True) and the same arguments")
        raise
    except BaseException:
        _remove(folder, run_dir)
        raise
    _remove(folder, run_dir)
    return result


class _Hook(Watcher):
    """Passes reports on to the user's function."""

    def __init__(self, on_report: Callable[[Report], object] | None) -> None:
        self._on_report = on_report

    def report(self, number: int, report: Report) -> None:
        """Pass it on."""
        if self._on_report is not None:
            self._on_report(report)


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


def _is_converged(path: Path) -> bool:
    try:
        return path.is_file() and checkpoint.load(path).card.converged
    except LaneError:
        return False  # not a model at all: the run says what is wrong with the place


def _remove(folder: Path, named: str | Path | None) -> None:
    if named is None:
        shutil.rmtree(folder, ignore_errors=True)
