"""How fast the program backend is: through the API, by length of command, pipe to pipe, and to start.

Run it on an idle machine: `python benchmarks/runtime.py [--model FILE]`. Rates are the best of several
rounds; the load of the machine is printed, since figures from a busy one say little.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lane.runtime import Translator, load
from lane.trainer.data import scan_pairs

RUN = [sys.executable, "-c", "import sys; from lane.cli.run import main; sys.exit(main())"]


def best(rounds: int, work: Callable[[], object]) -> float:
    """The shortest of several times, in seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def api(path: str | None, commands: list[str]) -> None:
    """Distinct commands in one batch: first by a fresh translator, then by one that knows the shapes."""
    fresh = min(_first_batch(load(path), commands) for _ in range(5))
    translator = load(path)
    warm = best(15, lambda: translator.translate_batch(commands))
    single = best(5, lambda: [translator.translate(command) for command in commands])
    words = sum(len(command.split()) for command in commands) / len(commands)
    print(f"distinct commands of {words:.1f} words on average: {len(commands):,}")
    print(f"  one batch, fresh translator   {len(commands) / fresh:12,.0f} commands/s")
    print(f"  one batch, shapes known       {len(commands) / warm:12,.0f} commands/s")
    print(f"  one command a call            {len(commands) / single:12,.0f} commands/s")


def _first_batch(translator: Translator, commands: list[str]) -> float:
    return best(1, lambda: translator.translate_batch(commands))


def growth(translator: Translator, commands: list[str]) -> None:
    """Random commands joined by `and` and cut to length: their shapes never repeat."""
    print("time a word by length of command (no shape met before)")
    for length in (10, 100, 1000, 10_000):
        if length > translator.info.max_words:
            print(f"  {length:6,} words: more than the model takes")
            continue
        texts = [_long_command(commands, length, seed) for seed in range(max(3, 2000 // length))]
        # Outputs of random joins may be refused for their length; the work up to there is what counts.
        seconds = _first_batch(translator, texts)
        print(f"  {length:6,} words: {seconds / len(texts) / length * 1e6:8.2f} us a word")


def _long_command(commands: list[str], length: int, seed: int) -> str:
    parts = random.Random(f"{length} {seed}").choices(commands, k=length // 4 + 2)
    words = " and ".join(part.replace("after", "and") for part in parts).split()[:length]
    return " ".join(words)


def pipe(model: str, commands: list[str]) -> None:
    """`cat | lane-run | cat` without the cat: from a pipe into a pipe."""
    text = "".join(f"{command}\n" for command in commands).encode() * 20
    lines = text.count(b"\n")
    with tempfile.TemporaryFile() as file:
        file.write(text)
        for workers in (1, 2):
            command = [*RUN, "--model", model, "--workers", str(workers)]
            rate = lines / min(_pipe_once(file.fileno(), command) for _ in range(3))
            print(f"  {lines:,} lines pipe to pipe, {workers} worker(s) {rate:12,.0f} lines/s with start-up")


def _pipe_once(handle: int, command: list[str]) -> float:
    os.lseek(handle, 0, os.SEEK_SET)
    begin = time.perf_counter()
    with (
        subprocess.Popen(["cat"], stdin=handle, stdout=subprocess.PIPE) as source,
        subprocess.Popen(command, stdin=source.stdout, stdout=subprocess.PIPE) as runner,
    ):
        assert source.stdout is not None
        assert runner.stdout is not None
        source.stdout.close()
        while runner.stdout.read1(2**20):  # type: ignore[attr-defined]
            pass
    return time.perf_counter() - begin


def start_up(model: str) -> None:
    """From nothing to the first translation, and the peak memory of it."""
    script = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], input=b'jump\\n', stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [*RUN, "--model", model]
    seconds = best(
        10, lambda: subprocess.run(command, input=b"jump\n", stdout=subprocess.DEVNULL, check=False)
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], capture_output=True, text=True, check=True
    )
    print(f"  lane-run, one command         {seconds * 1000:10.0f} ms, {int(done.stdout) / 1024:.0f} MB")


def main() -> None:
    """All of it, in one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a SCAN program (the bundled one)")
    path = parser.parse_args().model
    commands = [" ".join(pair.source) for pair in scan_pairs()]
    random.Random(0).shuffle(commands)
    print(f"load average before: {os.getloadavg()[0]:.2f}, on {os.cpu_count()} cores")
    translator = load(path)
    model = str(Path(translator.info.path))
    api(path, commands)
    growth(translator, commands)
    print("the command, as a process")
    pipe(model, commands)
    start_up(model)
    print(f"load average after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
