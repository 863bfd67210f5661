"""Two checkouts side by side: speed of the runtime and of training, measured in turn in one run.

Run it on an idle machine, after `make setup` in both checkouts:

    python benchmarks/versus.py ../other [--rounds 5] [--json versus.json]

Each checkout uses its own environment and its own bundled model. The speed of a training is that of its
derivations, since another recipe may need fewer of them. Figures are medians over the rounds; a ratio above 1
says that this checkout is faster than the other.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from lane.data import scan_pairs

HERE = Path(__file__).parents[1]
LINES = 200_000  # of the stream, some tenths of a second
TRAINING = "--task limit --seed 3"  # to its end, some seconds
CALLS = """
import sys, time
from lane.runtime import load
commands = sys.stdin.read().splitlines()
with load() as translator:
    begin = time.perf_counter()
    translator.translate_batch(commands)
    batch = time.perf_counter()
    for command in 5 * commands:
        translator.translate(command)
    print(len(commands) / (batch - begin), 5 * len(commands) / (time.perf_counter() - batch))
"""


class Checkout:
    """The commands of a checkout, run in its own environment."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder.resolve(), folder.resolve() / ".venv" / "bin"
        if not (self.bin / "lane-train").exists() or not list(folder.glob("runtime/_core*.so")):
            sys.exit(f"error: {folder}: has no environment or no compiled core; run `make setup` there")

    def run(self, command: str, *arguments: str, data: str = "") -> str:
        """What a command prints. Nothing is imported from the working directory."""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            [self.bin / command, *arguments],
            input=data, capture_output=True, text=True, check=False, env=environment, cwd=self.bin,
        )  # fmt: skip
        # An unconverged training has an exit code of its own, and its speed counts.
        if done.returncode != 0 and command != "lane-train":
            sys.exit(f"error: {self.folder}: {command}: {done.stderr.strip()[-500:]}")
        return done.stdout + done.stderr

    def measure(self, commands: list[str], training: list[str], place: Path) -> dict[str, float]:
        """One round: rates, so that more is better."""
        lines = place / "lines.txt"
        rows = (commands[number % len(commands)] for number in range(LINES))
        lines.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        begin = time.perf_counter()
        self.run("lane-run", data="jump\n")
        started = time.perf_counter()
        self.run("lane-run", str(lines))
        streamed = time.perf_counter()
        batch, single = map(float, self.run("python", "-c", CALLS, data="\n".join(commands)).split())
        said = self.run("lane-train", *training, "--out", str(place / "model.pt"))
        found = re.search(r"([\d.]+) s, .* ([\d,]+) derivations", said)
        if not found:
            sys.exit(f"error: {self.folder}: lane-train: {said.strip()[-500:]}")
        return {
            "starts of lane-run": 1 / (started - begin),
            "lines of lane-run": LINES / (streamed - started),
            "commands in a batch": batch,
            "commands one by one": single,
            "derivations in training": float(found[2].replace(",", "")) / float(found[1]),
        }


def measure(here: Checkout, there: Checkout, rounds: int, training: list[str]) -> dict[str, Any]:
    """The medians of both and their ratio; who begins a round alternates."""
    commands, load = [" ".join(pair.source) for pair in scan_pairs()], os.getloadavg()[0]
    found: defaultdict[str, dict[Checkout, list[float]]] = defaultdict(lambda: {here: [], there: []})
    with tempfile.TemporaryDirectory() as place:
        for number in range(rounds):
            for checkout in (here, there) if number % 2 else (there, here):
                for name, rate in checkout.measure(commands, training, Path(place)).items():
                    found[name][checkout].append(rate)
    rates = {name: (median(each[here]), median(each[there])) for name, each in found.items()}
    return {
        "load_before": round(load, 2),
        "rounds": rounds,
        "a second": {
            name: {"this": this, "other": other, "ratio": this / other}
            for name, (this, other) in rates.items()
        },
    }


def main() -> None:
    """Print the table, and write the figures if a file is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each (5)")
    parser.add_argument("--training", default=TRAINING, help="options of lane-train that both know")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    both = Checkout(HERE), Checkout(options.other)
    figures = measure(*both, options.rounds, options.training.split())
    print(f"{'a second':26}{'this':>12}{'other':>12}{'ratio':>8}")
    for name, row in figures["a second"].items():
        print(f"{name:26}{row['this']:12,.1f}{row['other']:12,.1f}{row['ratio']:8.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
