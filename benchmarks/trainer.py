"""Derivations a second in training, against the oracle that draws them one at a time, in the same run.

Run it on an idle machine: `python benchmarks/trainer.py [--out results/trainer_speed.json]`. Both draw
derivations of the same examples with the same model and add up the same policy gradient, in one thread.
"""

import argparse
import json
import os
import time
from pathlib import Path

import torch

from lane.models.oracle import Oracle
from lane.models.vocabulary import Vocabulary
from lane.trainer.attempt import Attempt
from lane.trainer.config import build_config
from lane.trainer.data import load_task
from lane.trainer.examples import Examples

ROUNDS = 5


def attempt_at(updates: int) -> Attempt:
    """A model on its way: freshly made, or after some updates."""
    task = load_task("addjump")
    vocabularies = (
        Vocabulary.of(pair.source for pair in task.train),
        Vocabulary.of(pair.target for pair in task.train),
    )
    attempt = Attempt(Examples(task.train, *vocabularies), vocabularies, build_config(), 1, constants=False)
    while attempt.updates < updates and attempt.outcome == "training":
        attempt.stride()
    return attempt


def fast(attempt: Attempt, index: torch.Tensor) -> float:
    """Derivations a second of whole updates: drawing, rewards, gradient, optimiser step."""
    best = 0.0
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        attempt.learner.update(attempt.examples, index, 0.01, explore=False)
        best = max(best, len(index) * attempt.config.samples / (time.perf_counter() - begin))
    return best


def slow(attempt: Attempt, index: torch.Tensor) -> float:
    """Derivations a second of the oracle: drawing, and the gradient of the log-probability."""
    oracle = Oracle(attempt.model, draw)
    commands = [[w for w in row if w] for row in attempt.examples.words[index].tolist()]
    begin = time.perf_counter()
    for command in commands:
        derivation = oracle.derive(command)
        derivation.log_prob.backward()  # type: ignore[no-untyped-call]
    return len(commands) / (time.perf_counter() - begin)


def draw(log_probs: torch.Tensor) -> int:
    """An option by its probability."""
    return int(torch.multinomial(log_probs.exp(), 1))


def main() -> None:
    """Print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where the figures go, as JSON")
    out: Path | None = parser.parse_args().out
    torch.set_num_threads(1)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, one thread")
    figures: dict[str, dict[str, float]] = {}
    for updates in (0, 150, 300):
        attempt = attempt_at(updates)
        index = torch.cat([attempt.curriculum.draw(), attempt.curriculum.draw()])[:64]
        loop, oracle = fast(attempt, index), slow(attempt, index)
        words = attempt.curriculum.longest
        print(
            f"after {attempt.updates:3} updates, up to {words} words: {loop:10,.0f} derivations/s, "
            f"oracle {oracle:6,.1f}, ratio {loop / oracle:6,.0f}"
        )
        figures[str(attempt.updates)] = {
            "words": words,
            "loop": loop,
            "oracle": oracle,
            "ratio": loop / oracle,
        }
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
