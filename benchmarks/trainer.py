"""Derivations per second in training, against the oracle that draws them one at a time, in the same run.

Run it on an idle machine: `python benchmarks/trainer.py [--json results/trainer.json]`. One attempt at the
task addjump is trained until it fits. At every evaluation the oracle draws derivations of the same examples
with the same model. Both accumulate the same policy gradient, in one thread.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from lane.base.vocabulary import Vocabulary
from lane.data import load_task
from lane.experiments.oracle import Oracle
from lane.trainer.attempt import Attempt
from lane.trainer.config import build_config
from lane.trainer.dataset import Dataset

COMMANDS = 10  # derived by the oracle at each evaluation, about a tenth of a second


def new_attempt() -> Attempt:
    """An attempt at the task addjump, seed 1."""
    task = load_task("addjump")
    vocabularies = (
        Vocabulary.of(pair.source for pair in task.train),
        Vocabulary.of(pair.target for pair in task.train),
    )
    return Attempt(Dataset(task.train, *vocabularies), build_config(), 1, constants=False)


def loop(attempt: Attempt, updates: int = 5) -> float:
    """Seconds per derivation of whole updates: drawing, rewards, gradient, optimiser step."""
    config = attempt.config
    begin = time.perf_counter()
    for _ in range(updates):
        attempt.learner.update(attempt.dataset, attempt.curriculum.draw(), 0.15, explore=True)
    return (time.perf_counter() - begin) / (updates * config.examples * config.samples)


def oracle(attempt: Attempt) -> float:
    """Seconds per derivation of the oracle: drawing, and the gradient of the log-probability."""
    derive = Oracle(attempt.model, draw).derive
    index = attempt.curriculum.draw()[:: attempt.config.examples // COMMANDS]
    commands = [[word for word in row if word] for row in attempt.dataset.words[index].tolist()]
    begin = time.perf_counter()
    for command in commands:
        derive(command).log_prob.backward()  # type: ignore[no-untyped-call]
    attempt.model.zero_grad()
    return (time.perf_counter() - begin) / len(commands)


def draw(log_probs: torch.Tensor) -> int:
    """Draw an option by its probability."""
    return int(torch.multinomial(log_probs.exp(), 1))


def measure() -> dict[str, Any]:
    """Rates of both at every evaluation of an attempt; the ratio is of their harmonic means."""
    attempt, rows = new_attempt(), []
    while attempt.outcome == "training":
        rows.append(
            {
                "updates": attempt.updates,
                "words": attempt.curriculum.longest,
                "loop": 1 / loop(attempt),
                "oracle": 1 / oracle(attempt),
            }
        )
        attempt.stride()
    mean = {name: len(rows) / sum(1 / row[name] for row in rows) for name in ("loop", "oracle")}
    return {"rows": rows, **mean, "ratio": mean["loop"] / mean["oracle"]}


def table(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as Markdown: the first evaluation, the last of each lesson, and the mean."""
    yield "| after updates | words up to | derivations a second | the oracle's | ratio |"
    yield "|---:|---:|---:|---:|---:|"
    lessons = {row["words"]: row for row in figures["rows"]}  # later rows replace earlier ones
    for row in [figures["rows"][0], *lessons.values()]:
        rates = f"{row['loop']:,.0f} | {row['oracle']:,.1f} | {row['loop'] / row['oracle']:,.0f}"
        yield f"| {row['updates']} | {row['words']} | {rates} |"
    yield f"| mean | | {figures['loop']:,.0f} | {figures['oracle']:,.1f} | {figures['ratio']:,.0f} |"


def main() -> None:
    """Print the table, and write the figures if a file is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="where to write the figures")
    out: Path | None = parser.parse_args().json
    torch.set_num_threads(1)
    figures = {"cores": os.cpu_count(), "load_before": round(os.getloadavg()[0], 2), **measure()}
    print("\n".join(table(figures)))
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
