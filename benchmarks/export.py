"""Speed of the exported files: in batches of 2048 and one at a time, by length and by vocabulary.

Run it on an idle machine, after `lane-export model.pt`:

    python benchmarks/export.py model.pt [--json results/export.json] [--out FOLDER]

The files are expected beside the checkpoint. One thread; times are the best of several rounds, as wall time
and as CPU time, which depends less on other load; the load is recorded. Without a model, the tables and the
plot are made from an earlier --json.
"""

import argparse
import json
import math
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

from lane.base.files import write_atomically
from lane.base.vocabulary import Vocabulary
from lane.data import scan_pairs
from lane.experiments.oracle import Oracle
from lane.export import export
from lane.export.batches import numbers
from lane.export.kinds import EXPORTED, SUFFIXES
from lane.export.probe import Translate, open_file
from lane.models import checkpoint as checkpoints
from lane.models.checkpoint import Checkpoint, load
from lane.models.config import ModelConfig
from lane.models.model import LaneModel
from lane.trainer.canvas import INK, new_figure, save

BATCH = 2048  # as in the equivalence benchmark, its largest
SINGLE = 50  # commands translated one at a time: the oracle takes a second for them
TOGETHER = 32  # commands of one length: also those of 1,000 words fit into one batch (symbols.CELLS)
LENGTHS = (10, 30, 60, 100, 300, 1000)  # words
VOCABULARIES = (13, 50, 200, 1000, 5000)  # words; SCAN has 13
ROUNDS = 3  # of which the best counts
ORACLE = "oracle, one at a time"
NUMBERS = "torchscript, numbers"
# The palette of Okabe and Ito, for the colour-blind; markers differ too.
LOOKS = {"torchscript": ("#d55e00", "o"), "onnx": ("#0072b2", "s"), "program": ("#009e73", "^")}

Times = tuple[float, float]  # wall and CPU seconds
Figures = dict[str, Any]


def best(works: Sequence[Callable[[], object]]) -> Times:
    """The shortest of several times, after a warm-up call."""
    works[0]()
    times = []
    for work in works[1:]:
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(wall for wall, _ in times), min(cpu for _, cpu in times)


def again(rounds: int, work: Callable[[], object]) -> Times:
    """The shortest of several times of the same work."""
    return best([work] * (rounds + 1))


def rates(
    files: dict[str, Translate], archive: Path, checkpoint: Checkpoint, commands: list[str]
) -> dict[str, dict[str, float]]:
    """Distinct commands of SCAN: in a batch of 2048, and one at a time, also by the oracle."""
    batch, few = commands[:BATCH], commands[:SINGLE]
    found = {}
    for kind, translate in files.items():
        found[kind] = _rate(BATCH, again(7, partial(translate, batch)))
        single = sum(again(3, partial(translate, [command]))[0] for command in few)
        found[kind]["batch_1_ms"] = single / len(few) * 1e3
    module = torch.jit.load(str(archive))  # type: ignore[no-untyped-call]
    rows = [numbers(command, checkpoint.source) for command in batch]
    words = torch.tensor([row + [0] * (max(map(len, rows)) - len(row)) for row in rows])
    found[NUMBERS] = _rate(BATCH, again(7, lambda: module.translate_ids(words)))
    oracle = Oracle(checkpoint.model())
    found[ORACLE] = _rate(SINGLE, again(1, lambda: [oracle.derive(row) for row in rows[:SINGLE]]))
    for of in found.values():
        of["times_oracle"] = of["cpu"] / found[ORACLE]["cpu"]
    return found


def _rate(count: int, times: Times) -> dict[str, float]:
    return {"wall": count / times[0], "cpu": count / times[1]}  # commands a second


def by_length(files: dict[str, Translate], commands: list[str]) -> dict[str, list[float]]:
    """CPU milliseconds per command of phrases joined by `and`, different ones in every round.

    The program caches shapes: the same texts again would measure its cache.
    """
    found: dict[str, list[float]] = {}
    for kind, translate in files.items():
        found[kind] = []
        for length in LENGTHS:
            rounds = [
                [_joined(commands, length, f"{number}/{row}") for row in range(TOGETHER)]
                for number in range(ROUNDS + 1)
            ]
            _, cpu = best([partial(translate, texts) for texts in rounds])
            found[kind].append(cpu / TOGETHER * 1e3)
    return found


def _joined(commands: Sequence[str], length: int, seed: str) -> str:
    draw = random.Random(seed)
    words: list[str] = []
    while len(words) < length:
        words += [*draw.choice(commands).split(), "and"]
    return " ".join(words[:length])


def by_vocabulary() -> dict[str, list[float]]:
    """CPU milliseconds per command of 10 words, in batches of 256, for models with random weights."""
    found: dict[str, list[float]] = {kind: [] for kind in EXPORTED}
    for size in VOCABULARIES:
        words = [f"w{i:04}" for i in range(size)]
        texts = [" ".join(random.Random(i).choices(words, k=10)) for i in range(256)]
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "model.pt"
            checkpoints.save(_random_checkpoint(words), path)
            # The closure is too large for a full table: the program holds the nodes of these commands only.
            done = export(path, pairs=texts, random=0, budget=50_000)
            for written in done.files:
                _, cpu = again(ROUNDS, partial(open_file(written.path), texts))
                found[written.kind].append(cpu / len(texts) * 1e3)
    return found


def _random_checkpoint(words: Sequence[str]) -> Checkpoint:
    config = ModelConfig(max_actions=200)
    torch.manual_seed(len(words))
    model = LaneModel(len(words), 6, config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
        # As in most languages, most words are recognised by themselves.
        model.composer.check.bias.fill_(1.0)
    return Checkpoint(config, Vocabulary(words), Vocabulary("ABCDEF"), model.state_dict())


def steepest(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The largest exponent of growth from one size to the next: 2 is quadratic."""
    points = list(zip(sizes, values, strict=True))
    return max(
        math.log(after / before) / math.log(large / small)
        for (small, before), (large, after) in pairwise(points)
    )


def seconds_of_export(model: Path, commands: Sequence[str]) -> float:
    """Seconds to write and verify all three files."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        export(model, out=place, pairs=commands)
    return time.perf_counter() - begin


def measure(model: Path, with_export: bool) -> Figures:
    """All measurements in one record."""
    torch.set_num_threads(1)
    paths = {kind: model.with_suffix(suffix) for kind, suffix in SUFFIXES.items()}
    files = {kind: open_file(path) for kind, path in paths.items()}
    commands = sorted({" ".join(pair.source) for pair in scan_pairs()})
    random.Random(1).shuffle(commands)
    load_before = os.getloadavg()[0]
    with torch.no_grad():
        figures: Figures = {
            "rates": rates(files, paths["torchscript"], load(model), commands),
            "lengths": {"words": LENGTHS, "ms": by_length(files, commands)},
            "vocabularies": {"words": VOCABULARIES, "ms": by_vocabulary()},
        }
    figures["bytes"] = {kind: path.stat().st_size for kind, path in paths.items()}
    if with_export:
        figures["export_seconds"] = seconds_of_export(model, commands)
    figures["machine"] = {
        "load": [round(load_before, 2), round(os.getloadavg()[0], 2)],
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("lane-expressions", "torch", "onnxruntime", "numpy")},
    }
    return figures


def tables(figures: Figures) -> Iterator[list[str]]:
    """The figures as Markdown: speed, growth by length, growth by vocabulary."""
    lines = ["| one thread | commands/s | by CPU time | times the oracle | batch 1, ms | file, kB |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for kind, of in figures["rates"].items():
        single = f"{of['batch_1_ms']:.3f}" if "batch_1_ms" in of else ""
        size = f"{figures['bytes'][kind] / 1e3:,.0f}" if kind in figures["bytes"] else ""
        speed = f"{of['wall']:,.0f} | {of['cpu']:,.0f} | {of['times_oracle']:,.0f}"
        lines.append(f"| {kind} | {speed} | {single} | {size} |")
    yield lines
    for what, head in (("lengths", "words of the command"), ("vocabularies", "words of the vocabulary")):
        sizes, times = figures[what]["words"], figures[what]["ms"]
        lines = [f"| {head} | {' | '.join(f'{size:,}' for size in sizes)} | steepest |"]
        lines.append(f"|---|{'---:|' * (len(sizes) + 1)}")
        for kind, values in times.items():
            cells = " | ".join(f"{value:.3f}" for value in values)
            lines.append(f"| {kind}, ms | {cells} | n^{max(0.0, steepest(sizes, values)):.1f} |")
        yield lines


def plot(figures: Figures, path: Path) -> None:
    """A plot of both growths."""
    figure = new_figure(10, 4)
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (what, label) in zip(
        axes, (("lengths", "command"), ("vocabularies", "vocabulary")), strict=True
    ):
        sizes = figures[what]["words"]
        for kind, values in figures[what]["ms"].items():
            color, mark = LOOKS[kind]
            axis.plot(sizes, values, marker=mark, color=color, label=kind)
        axis.set(xscale="log", yscale="log", xlabel=f"words of the {label}")
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("CPU ms a command")
    axes[0].legend(labelcolor=INK, framealpha=0)
    save(figure, path)


def main() -> None:
    """Print all tables; write the figures and the plot if files are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "model", type=Path, nargs="?", help="checkpoint of a SCAN model, with its files beside it"
    )
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--out", type=Path, help="folder for the plot, export.svg")
    parser.add_argument("--export", action="store_true", help="also time an export with its verification")
    options = parser.parse_args()
    if options.model:
        figures = measure(options.model, options.export)
        if options.json:
            text = json.dumps(figures, indent=1) + "\n"
            write_atomically(options.json, text.encode())
    elif options.json:
        figures = json.loads(options.json.read_text(encoding="utf-8"))
    else:
        parser.error("give a checkpoint, or --json FILE to show its tables")
    machine = figures["machine"]
    print(f"load {machine['load'][0]} before, {machine['load'][1]} after, on {machine['cores']} cores")
    for lines in tables(figures):
        print("", *lines, sep="\n")
    if "export_seconds" in figures:
        print(f"\nexport with verification: {figures['export_seconds']:.1f} s")
    if options.out:
        plot(figures, options.out / "export.svg")
        print(f"\n{options.out / 'export.svg'}")


if __name__ == "__main__":
    main()
