"""How fast the exported files are: at batch 2048 and one at a time, by length of command and by vocabulary.

Run it on an idle machine, after `lane-export model.pt`:

    python benchmarks/export.py model.pt [--out FOLDER]

The files are looked for beside the checkpoint. One thread; rates are the best of several rounds, in wall
time and in CPU time of the process, since wall time on a busy machine says little; the load is printed.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import torch

from lane.export.answers import Translate, open_file
from lane.export.batches import numbers
from lane.export.exporter import FORMATS, SUFFIXES, Request, export
from lane.models.config import ModelConfig
from lane.models.model import LaneModel
from lane.models.oracle import Oracle
from lane.models.vocabulary import Vocabulary
from lane.trainer.checkpoint import Checkpoint, load, save
from lane.trainer.data import scan_pairs

BATCH = 2048
LENGTHS = (10, 30, 100, 300, 1000)
VOCABULARIES = (13, 50, 200, 1000, 5000)
Times = tuple[float, float]  # wall and CPU seconds


def best(rounds: int, work: Callable[[], object]) -> Times:
    """The shortest of several times, after one call that is not counted."""
    work()
    times = []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(wall for wall, _ in times), min(cpu for _, cpu in times)


def rates(files: dict[str, Translate], archive: Path, checkpoint: Checkpoint, commands: list[str]) -> None:
    """Distinct commands of SCAN: a batch of 2048, and one at a time beside the oracle."""
    batch, few = commands[:BATCH], commands[:50]
    print(f"\n{'SCAN, one thread':24}{'batch 2048':>24}{'CPU time':>12}{'batch 1':>12}")
    for kind, translate in files.items():
        wall, cpu = best(7, partial(translate, batch))
        single = sum(best(3, partial(translate, [command]))[0] for command in few)
        rate = f"{len(batch) / wall:,.0f} commands/s"
        print(f"{kind:24}{rate:>24}{len(batch) / cpu:12,.0f}{single / len(few) * 1e3:9.2f} ms")
    module = torch.jit.load(str(archive))
    rows = [numbers(command, checkpoint.source) for command in batch]
    words = torch.tensor([row + [0] * (max(map(len, rows)) - len(row)) for row in rows])
    wall, cpu = best(7, lambda: module.translate_ids(words))
    rate = f"{len(batch) / wall:,.0f} commands/s"
    print(f"{'torchscript, numbers':24}{rate:>24}{len(batch) / cpu:12,.0f}")
    oracle = Oracle(checkpoint.model())
    wall, cpu = best(1, lambda: [oracle.derive(row) for row in rows[:50]])
    print(f"{'oracle, one at a time':24}{f'{50 / wall:,.0f} commands/s':>24}{50 / cpu:12,.0f}")


def by_length(files: dict[str, Translate], commands: list[str]) -> dict[str, list[float]]:
    """Phrases joined by `and`, in batches of 32: no two have the same shape."""
    print(f"\n{'ms a command, by words':24}" + "".join(f"{length:>10,}" for length in LENGTHS))
    found: dict[str, list[float]] = {}
    for kind, translate in files.items():
        found[kind] = []
        for length in LENGTHS:
            texts = [_joined(commands, length, seed) for seed in range(32)]
            found[kind].append(best(3, partial(translate, texts))[0] / len(texts) * 1e3)
        print(f"{kind:24}" + "".join(f"{value:10.3f}" for value in found[kind]))
    return found


def _joined(commands: Sequence[str], length: int, seed: int) -> str:
    draw = random.Random(seed)
    words: list[str] = []
    while len(words) < length:
        words += [*draw.choice(commands).split(), "and"]
    return " ".join(words[:length])


def by_vocabulary() -> dict[str, list[float]]:
    """Models with random weights: the time for 256 commands of 10 words each."""
    print(f"\n{'ms a command, by words known':30}" + "".join(f"{size:>10,}" for size in VOCABULARIES))
    found: dict[str, list[float]] = {kind: [] for kind in FORMATS}
    for size in VOCABULARIES:
        words = [f"w{i:04}" for i in range(size)]
        texts = [" ".join(random.Random(i).choices(words, k=10)) for i in range(256)]
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "model.pt"
            save(_random_checkpoint(words), path)
            # Its closure is too large for a full table: the program holds what these commands meet.
            done = export(Request(path, path.parent, data=tuple(texts), random=0, budget=50_000))
            for written in done.files:
                translate = open_file(written.path)
                wall, _ = best(3, partial(translate, texts))
                found[written.kind].append(wall / len(texts) * 1e3)
    for kind, values in found.items():
        print(f"{kind:30}" + "".join(f"{value:10.3f}" for value in values))
    return found


def _random_checkpoint(words: Sequence[str]) -> Checkpoint:
    config = ModelConfig(max_actions=200)
    torch.manual_seed(len(words))
    model = LaneModel(len(words), 6, config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
        # As in a language: most words stand for an action, and are recognised alone.
        model.composer.check.bias.fill_(1.0)
    return Checkpoint(config, Vocabulary(words), Vocabulary("ABCDEF"), model.state_dict())


def plot(length: dict[str, list[float]], vocabulary: dict[str, list[float]], path: Path) -> None:
    """Both tables as curves."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    curves = ((LENGTHS, length, "words of a command"), (VOCABULARIES, vocabulary, "words of the vocabulary"))
    for axis, (x, table, label) in zip(axes, curves, strict=True):
        for kind, values in table.items():
            axis.plot(x[: len(values)], values, marker="o", label=kind)
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel="ms a command")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"\n{path}")


def main() -> None:
    """All tables, and the plot where a folder is given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="checkpoint of a SCAN model, with its files beside it")
    parser.add_argument("--out", type=Path, help="folder for the plot")
    options = parser.parse_args()
    torch.set_num_threads(1)
    paths = {kind: options.model.with_suffix(suffix) for kind, suffix in SUFFIXES.items()}
    files = {kind: open_file(path) for kind, path in paths.items()}
    commands = sorted({" ".join(pair.source) for pair in scan_pairs()})
    random.Random(1).shuffle(commands)
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    with torch.no_grad():
        rates(files, paths["torchscript"], load(options.model), commands)
        length = by_length(files, commands)
        vocabulary = by_vocabulary()
    print(f"\nload {os.getloadavg()[0]:.2f}")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        plot(length, vocabulary, options.out / "export.png")


if __name__ == "__main__":
    main()
