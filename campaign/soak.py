"""Mixed load on `lane-run serve` and on `lane-run`, with models replaced and workers killed now and then.

    python campaign/soak.py --minutes 60 --json results/soak.json

Every answer is compared with the right one, that of the model which it names. A stream whose worker was
killed must end with exit code 3 and a prefix of the right output. The memory of the service, and the peak of
each stream, must not grow.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO

from lane.base.files import write_atomically
from lane.runtime import load

CLIENTS = 2
SAMPLES = 10  # of the memory, evenly over the time
SLACK_MB = 2  # besides a tenth: the allocator returns pages when it likes
STREAM_LINES = 40_000  # some seconds: long enough to kill a worker in the middle
CUT_SHORT = 3
NEW = ["hop", "skip"]  # each is known to one of two models that take turns in the service
REPLACED = 5.0  # seconds until a model is replaced, in the mean
WORDS = [
    "jump",
    "walk",
    "run",
    "look",
    "turn",
    "left",
    "right",
    "around",
    "opposite",
    "twice",
    "thrice",
    "and",
    "after",
]


class Load:
    """Counts and peaks that all threads share, and the end."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.counts: Counter[str] = Counter()
        self.peaks: list[int] = []  # MB of each stream
        self._lock = threading.Lock()

    def add(self, **counts: int) -> None:
        """Count."""
        with self._lock:
            self.counts.update(counts)

    @property
    def goes_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.end


def commands(draw: random.Random, many: int) -> list[str]:
    """Words in any order; the first command has some that are new, of any length."""
    made = [" ".join(draw.choices([*WORDS, *NEW], k=draw.randint(1, 9))) for _ in range(many)]
    made[0] = f"{draw.random()} " + "x" * draw.randint(1, 10_000)
    return made


def grown(word: str, folder: Path) -> Path:
    """The bundled model with another word."""
    words, model = folder / "words", folder / f"{word}.lane"
    words.write_text(f"{word} like look = I_{word.upper()}\n", encoding="utf-8")
    command = [sys.executable, "-m", "lane.cli.run", "grow", str(words), "--out", str(model)]
    subprocess.run(command, check=True)
    return model


def replace_models(load_: Load, served: Path, models: list[Path]) -> None:
    """Each model in turn, put in place as a whole; now and then a part of it, written over the file."""
    draw = random.Random(8)
    for number in count(1):
        time.sleep(draw.uniform(0, 2 * REPLACED))
        if not load_.goes_on:
            return
        data = models[number % len(models)].read_bytes()
        if draw.random() < 0.25:
            served.write_bytes(data[: draw.randrange(len(data))])
            load_.add(models_broken=1)
        else:
            write_atomically(served, data)
            load_.add(models_replaced=1)


def ask(load_: Load, port: int, seed: int, models: list[Path]) -> None:
    """A client: many requests on one connection, then on another."""
    draw = random.Random(seed)
    translators = {translator.info.file_sha256: translator for translator in map(load, models)}
    while load_.goes_on:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(50):
            texts = commands(draw, draw.randint(1, 50))
            try:
                connection.request("POST", "/translate", json.dumps({"commands": texts}))
                answer = json.loads(connection.getresponse().read())
                answers, translator = answer["translations"], translators[answer["sha256"]]
            except (OSError, http.client.HTTPException, ValueError, LookupError):
                load_.add(requests=1, failed_requests=1)
                break
            right = [
                list(answer.actions) if answer.ok else None for answer in map(translator.translate, texts)
            ]
            load_.add(requests=1, wrong_answers=int([entry.get("actions") for entry in answers] != right))
            if draw.random() < 0.1:  # a client that leaves in the middle
                connection.putrequest("POST", "/translate")
                connection.putheader("Content-Length", "100")
                connection.endheaders(b"{")
                load_.add(clients_left=1)
                break
        connection.close()


def stream(load_: Load, folder: Path) -> None:
    """`lane-run` with two workers, of which every second time one is killed."""
    draw, translator = random.Random(7), load()
    while load_.goes_on:
        texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 12))) for _ in range(STREAM_LINES)]
        right = "".join(
            f"{answer.text if answer.error is None else f'<error:{answer.error.code}>'}\n"
            for answer in map(translator.translate, texts)
        ).encode()
        (folder / "lines").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        with (folder / "lines").open("rb") as lines, (folder / "out").open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "lane.cli.run", "--workers", "2", "--batch-size", "500"],
                stdin=lines,
                stdout=out,
                stderr=subprocess.DEVNULL,
            )
            if draw.random() < 0.5:
                load_.add(workers_killed=int(kill_a_child(process, draw)))
            peak = 0
            while process.poll() is None:
                with suppress(OSError, StopIteration):  # it may have ended meanwhile
                    peak = memory(process.pid, "VmHWM")
                time.sleep(0.02)
        load_.peaks.append(peak)
        check_output(load_, process.returncode, (folder / "out").read_bytes(), right)


def check_output(load_: Load, code: int, output: bytes, right: bytes) -> None:
    """All lines under 0 and 1, a prefix of them under 3; anything else is a loss that was not reported."""
    whole = output == right and code in (0, 1)
    told = right.startswith(output) and code == CUT_SHORT
    load_.add(
        lines=output.count(b"\n"),
        streams=1,
        streams_cut_short=int(told),
        unreported_losses=int(not (whole or told)),
    )


def kill_a_child(parent: subprocess.Popen[bytes], draw: random.Random) -> bool:
    """Kill one of the workers with SIGKILL at a random moment, if there is one before the end."""
    children: list[str] = []
    while parent.poll() is None and not children:
        time.sleep(draw.uniform(0.1, 0.5))
        with suppress(OSError):
            listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text(encoding="ascii")
            children = listed.split()
    with suppress(OSError, IndexError):
        os.kill(int(draw.choice(children)), signal.SIGKILL)
        return True
    return False


def memory(process: int, kind: str = "VmRSS") -> int:
    """Resident MB of a process; `VmHWM` is its peak."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) // 1024


def grows(samples: list[int]) -> bool:
    """Whether the last sample is above the first by more than a tenth; the first is taken after a warm-up."""
    return samples[-1] > 1.1 * samples[0] + SLACK_MB


def count_lines(load_: Load, errors: IO[str]) -> None:
    """The service tells of each file that it loads or refuses; nothing may raise."""
    for line in errors:
        load_.add(
            tracebacks=int(line.startswith("Traceback")),
            models_loaded=int(": loaded " in line),
            models_refused=int("the old model goes on answering" in line),
        )


COUNTS = (
    "requests",
    "failed_requests",
    "wrong_answers",
    "clients_left",
    "tracebacks",
    "models_replaced",
    "models_loaded",
    "models_broken",
    "models_refused",
    "streams",
    "lines",
    "workers_killed",
    "streams_cut_short",
    "unreported_losses",
)


def soak(seconds: float) -> dict[str, object]:
    """The figures of a load."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [grown(word, folder) for word in NEW]
        served = folder / "served.lane"
        write_atomically(served, models[0].read_bytes())
        return _soak(seconds, folder, served, models)


def _soak(seconds: float, folder: Path, served: Path, models: list[Path]) -> dict[str, object]:
    command = [sys.executable, "-m", "lane.cli.run", "serve", str(served), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        assert service.stderr is not None
        port = int(service.stdout.readline().rpartition(":")[2])
        load_ = Load(time.monotonic() + seconds)
        log = threading.Thread(target=count_lines, args=(load_, service.stderr))
        threads = [threading.Thread(target=ask, args=(load_, port, seed, models)) for seed in range(CLIENTS)]
        threads.append(threading.Thread(target=stream, args=(load_, folder)))
        threads.append(threading.Thread(target=replace_models, args=(load_, served, models)))
        for thread in [log, *threads]:
            thread.start()
        samples = []
        for _ in range(SAMPLES):
            time.sleep(seconds / SAMPLES)
            samples.append(memory(service.pid))
        for thread in threads:
            thread.join()
        service.terminate()
        log.join()
    tenth = max(1, len(load_.peaks) // SAMPLES)
    peaks = [max(load_.peaks[at : at + tenth]) for at in range(0, len(load_.peaks) - tenth + 1, tenth)]
    return {
        "seconds": round(seconds),
        **{name: load_.counts[name] for name in COUNTS},
        "service_mb": samples,
        "stream_mb": peaks,
        "grows": grows(samples) or grows(peaks),
    }


WRONG = ("failed_requests", "wrong_answers", "tracebacks", "unreported_losses", "grows")


def main() -> int:
    """1 if an answer was wrong, a loss was not reported, or the memory grew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="(5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    figures = soak(options.minutes * 60)
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return int(any(figures[name] for name in WRONG))


if __name__ == "__main__":
    sys.exit(main())
