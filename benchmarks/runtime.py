"""Speed and memory of the runtime: each backend, a CTranslate2 transformer for comparison, and streams.

Run it on an idle machine, after `lane-export model.pt` of a SCAN model:

    python benchmarks/runtime.py model.pt [--json results/runtime.json] [--stream 10000000]

The exported files are expected beside the checkpoint. One thread. Rates are the best of several rounds; the
load of the machine is recorded, since a busy one gives no usable figures. The peer is skipped if ctranslate2
is not installed (`pip install "lane-expressions[bench]"`).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from lane.data import scan_pairs
from lane.runtime import Translator, load, program_backend

RUN = [sys.executable, "-c", "import sys; from lane.cli.run import main; sys.exit(main())"]
SUFFIXES = {"program": ".lane", "onnx": ".onnx", "torchscript": ".ts"}
LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000)  # words
BATCH = 2048  # as in the equivalence benchmark, its largest


def best(rounds: int, work: Callable[[], object]) -> float:
    """The shortest of several times, in seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def open_model(path: Path) -> Translator:
    """Load a file, TorchScript included: it was exported on this machine."""
    return load(path, trust=True)


def backend(path: Path, commands: list[str]) -> dict[str, Any]:
    """One backend: start-up of `lane-run`, a batch, and one command per call."""
    translator = open_model(path)
    few = commands[:: len(commands) // 200]
    translator.translate_batch(commands[:BATCH])
    batch = best(5, lambda: translator.translate_batch(commands[:BATCH]))
    single = best(5, lambda: [translator.translate(command) for command in few])
    return {
        **start_up(path),
        "latency_ms": round(single / len(few) * 1e3, 4),
        "commands_a_second": round(BATCH / batch),
        "file_kb": round(path.stat().st_size / 1e3),
    }


def start_up(path: Path) -> dict[str, float]:
    """Time of `lane-run` to its first translation, and its peak memory."""
    script = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], input=b'jump\\n', stdout=subprocess.DEVNULL, check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [*RUN, "--model", str(path), "--trust", "yes"]
    seconds = best(7, lambda: subprocess.run(command, input=b"jump\n", stdout=subprocess.DEVNULL, check=True))
    run = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True)
    return {"start_ms": round(seconds * 1e3), "start_mb": round(int(run.stdout) / 1024)}


def api(path: Path, commands: list[str]) -> dict[str, int]:
    """Distinct commands in one batch, with an empty plan cache and with a full one.

    The last figure is that of an installation without the compiled core.
    """
    fresh = min(best(1, partial(open_model(path).translate_batch, commands)) for _ in range(5))
    translator = open_model(path)
    warm = best(15, lambda: translator.translate_batch(commands))
    single = best(5, lambda: [translator.translate(command) for command in commands])
    with mock.patch.object(program_backend, "_core", None):
        plain = open_model(path)
    pure = best(15, lambda: plain.translate_batch(commands))
    rates = {"fresh": fresh, "warm": warm, "one a call": single, "warm, nothing compiled": pure}
    return {name: round(len(commands) / seconds) for name, seconds in rates.items()}


def peer(path: Path) -> dict[str, int] | None:
    """The transformer and the program, alternating, on the same commands."""
    try:
        import ctranslate2  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        return None
    from peer import open_peer, save_peer, translate

    pairs = list(scan_pairs())
    random.Random(0).shuffle(pairs)
    words = sorted({word for pair in pairs for word in pair.source})
    actions = sorted({action for pair in pairs for action in pair.target})
    some = pairs[: 2 * BATCH]
    sources, lengths = [pair.source for pair in some], [len(pair.target) for pair in some]
    texts = [" ".join(pair.source) for pair in some]
    with tempfile.TemporaryDirectory() as folder:
        parameters = save_peer(words, actions, Path(folder))
        theirs = open_peer(Path(folder))
        ours = open_model(path)
        # Alternating, so that a temporary slowdown of the machine affects both.
        times = [
            (
                best(1, partial(translate, theirs, sources, lengths)),
                best(20, partial(ours.translate_batch, texts)),
            )
            for _ in range(5)
        ]
    their_seconds, our_seconds = (min(column) for column in zip(*times, strict=True))
    return {
        "parameters": parameters,
        "peer": round(len(some) / their_seconds),
        "program": round(len(some) / our_seconds),
        "ratio": round(their_seconds / our_seconds),
    }


def growth(path: Path, commands: list[str]) -> dict[int, float]:
    """Microseconds per word by length of command; no shape is in the plan cache yet."""
    translator, found = open_model(path), {}
    for length in LENGTHS:
        texts = [joined(commands, length, seed) for seed in range(max(10, 20_000 // length))]
        found[length] = round(
            best(1, partial(translator.translate_batch, texts)) / len(texts) / length * 1e6, 3
        )
    return found


def joined(commands: list[str], length: int, seed: int) -> str:
    """Random commands joined by `and`, cut to length."""
    draw = random.Random(f"{length} {seed}")
    words: list[str] = []
    while len(words) < length:
        words += [*draw.choice(commands).replace("after", "and").split(), "and"]
    words[length - 1] = "walk"  # a command must not end with `and`
    return " ".join(words[:length])


def stream(path: Path, commands: list[str], lines: int, workers: int) -> dict[str, Any]:
    """Many lines from pipe to pipe: rate, growth of memory after the first tenth, and the order."""
    translator = open_model(path)
    block = "".join(f"{command}\n" for command in commands).encode()
    expected = "".join(f"{one.text}\n" for one in translator.translate_batch(commands)).encode()
    blocks = -(-lines // len(commands))  # rounded up
    command = [*RUN, "--model", str(path), "--workers", str(workers)]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as runner:
        assert runner.stdin is not None
        assert runner.stdout is not None
        feeder = threading.Thread(target=_feed, args=(runner.stdin, block, blocks))
        feeder.start()
        in_order, size, early, most = True, 0, 0, 0
        while chunk := runner.stdout.read1(2**20):  # type: ignore[attr-defined]
            in_order = in_order and _follows(chunk, expected, size % len(expected))
            before, size = size, size + len(chunk)
            if size // len(expected) > before // len(expected):  # about once a block
                most = max(most, _resident(runner.pid))
                early = most if size < blocks * len(expected) // 10 else early
        feeder.join()
    seconds = time.perf_counter() - begin
    return {
        "lines": blocks * len(commands),
        "workers": workers,
        "lines_a_second": round(blocks * len(commands) / seconds),
        "growth_mb": round((most - early) / 2**20, 1),
        "most_mb": round(most / 2**20, 1),
        "in_order": in_order and size == blocks * len(expected),
    }


def _follows(chunk: bytes, block: bytes, at: int) -> bool:
    """Whether a chunk continues an endlessly repeated block from offset `at`."""
    while chunk:
        part = block[at : at + len(chunk)]
        if not chunk.startswith(part):
            return False
        chunk, at = chunk[len(part) :], 0
    return True


def scaling(path: Path, commands: list[str], lines: int) -> dict[str, float]:
    """From a file to the null device, one worker and two: only lane-run uses the cores."""
    block = "".join(f"{command}\n" for command in commands)
    rates: dict[int, float] = {}
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        for _ in range(lines // len(commands)):
            file.write(block)
        file.flush()
        for workers in (1, 2) * 3:  # alternating, as above
            command = [*RUN, "--model", str(path), "--workers", str(workers), file.name]
            seconds = best(1, partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=True))
            rate = lines // len(commands) * len(commands) / seconds
            rates[workers] = max(rate, rates.get(workers, 0.0))
    return {"one": round(rates[1]), "two": round(rates[2]), "ratio": round(rates[2] / rates[1], 2)}


def _feed(pipe: Any, block: bytes, blocks: int) -> None:
    with pipe:
        for _ in range(blocks):
            pipe.write(block)


def _resident(pid: int) -> int:
    """Resident bytes of a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in [str(pid), *children]]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def processor_times() -> tuple[int, int]:
    """Ticks of all cores since boot, and those stolen by other virtual machines (Linux)."""
    try:
        ticks = [int(part) for part in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    except OSError:
        return 0, 0
    return sum(ticks), ticks[7]


def table(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as Markdown."""
    yield "| backend | start to first answer | memory | one command | batch of 2048, one thread | file |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, row in figures["backends"].items():
        yield (
            f"| {name} | {row['start_ms']} ms | {row['start_mb']} MB | {row['latency_ms']:.3f} ms "
            f"| {row['commands_a_second']:,}/s | {row['file_kb']:,} kB |"
        )
    yield ""
    yield "| program backend | |"
    yield "|---|---:|"
    for name, rate in figures["api"].items():
        yield f"| all 20,910 commands, {name} | {rate:,}/s |"
    if figures["peer"]:
        theirs = figures["peer"]
        yield f"| the same run: CTranslate2, {theirs['parameters']:,} parameters | {theirs['peer']:,}/s |"
        yield f"| times as fast as that | {theirs['ratio']} |"
    for row in figures["stream"]:
        name = f"pipe to pipe, {row['lines']:,} lines, workers: {row['workers']}"
        yield f"| {name} | {row['lines_a_second']:,}/s, grows by {row['growth_mb']} MB |"
    both = figures["scaling"]
    rates = f"{both['one']:,}/s, {both['two']:,}/s: {both['ratio']} times"
    yield f"| file to nowhere, one worker and two | {rates} |"
    yield ""
    yield "| words of a command | " + " | ".join(f"{int(length):,}" for length in figures["growth"]) + " |"
    yield "|---" * (len(figures["growth"]) + 1) + "|"
    yield "| µs a word | " + " | ".join(f"{value:.2f}" for value in figures["growth"].values()) + " |"


def main() -> None:
    """Measure everything, print the tables, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="checkpoint of a SCAN model, with its files beside it")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--stream", type=int, default=1_000_000, help="lines to stream")
    options = parser.parse_args()
    commands = [" ".join(pair.source) for pair in scan_pairs()]
    random.Random(0).shuffle(commands)
    program = options.model.with_suffix(SUFFIXES["program"])
    load_before = round(os.getloadavg()[0], 2)
    before = processor_times()
    # The program first: once torch is loaded, garbage collection has to traverse its objects too.
    figures: dict[str, Any] = {
        "cores": os.cpu_count(),
        "load_before": load_before,
        "api": api(program, commands),
        "growth": growth(program, commands),
        "scaling": scaling(program, commands, options.stream),
        "stream": [stream(program, commands, options.stream, workers) for workers in (1, 2)],
        "peer": peer(program),
        "backends": {
            name: backend(options.model.with_suffix(suffix), commands) for name, suffix in SUFFIXES.items()
        },
    }
    total, stolen = (now - then for now, then in zip(processor_times(), before, strict=True))
    figures["stolen"] = round(stolen / max(1, total), 4)  # share of all ticks
    print("\n".join(table(figures)))
    print(f"\nload before {load_before}, stolen by other machines {figures['stolen']:.1%}")
    if not all(row["in_order"] for row in figures["stream"]):
        sys.exit("the streamed lines differ from the expected ones")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
