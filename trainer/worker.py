"""Workers: candidates side by side, one process each, that can be stopped, killed and resumed."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.models import checkpoint
from lane.trainer.attempt import Report
from lane.trainer.candidate import Candidate, Fit
from lane.trainer.config import TrainConfig
from lane.trainer.dataset import Dataset

SAVE_EVERY = 5.0  # seconds between the states that a candidate keeps on disk


@dataclass(frozen=True)
class Job:
    """What a candidate needs to know; it is sent to another process."""

    pairs: tuple[Pair, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    config: TrainConfig
    seed: int
    device: str
    run_dir: Path

    @cached_property
    def dataset(self) -> Dataset:
        """The pairs as tensors, made once per process."""
        return Dataset(self.pairs, Vocabulary(self.source), Vocabulary(self.target))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "dataset"}

    def state_path(self, number: int) -> Path:
        """Where a candidate keeps its state: a checkpoint of its present model."""
        return self.run_dir / f"candidate-{number}.pt"


Tell = Callable[[int, Report], None]
Halted = Callable[[], bool]
Message = Report | Fit | str | None  # a str is an error for the user; None: it ended without a result
Messages = queue.SimpleQueue[tuple[int, Message]]
STOP = b"s"


def run_candidate(job: Job, number: int, tell: Tell, halted: Halted) -> Fit:
    """Train one candidate to its end, or until `halted`; its state is kept on disk and taken up again."""
    # One thread: results must not depend on how a sum is split, and the other cores have their own candidate.
    torch.set_num_threads(1)
    candidate = Candidate(number, job.dataset, job.config, job.seed, job.device)
    path = job.state_path(number)
    if path.exists():
        _take_up(candidate, path)
    saved = time.monotonic()
    while not candidate.done and not halted():
        tell(number, candidate.stride())
        if candidate.done or time.monotonic() - saved > SAVE_EVERY:
            _keep(candidate, job, path)
            saved = time.monotonic()
    if not candidate.done:
        _keep(candidate, job, path)
    return candidate.stop()


def _take_up(candidate: Candidate, path: Path) -> None:
    """Go on from the state of a file; one that is damaged or malformed is named, with the remedy."""
    try:
        candidate.restore(checkpoint.load(path).training)
    except (LaneError, AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).removeprefix(f"{path}: ").split())
        raise LaneError(
            f"{path}: a state that cannot be resumed ({reason[:200]}); delete this file and resume again: "
            "this candidate starts over, and the result is the same"
        ) from None


def _keep(candidate: Candidate, job: Job, path: Path) -> None:
    attempt = candidate.attempt
    kept = checkpoint.Checkpoint(
        config=job.config.network(attempt.constants),
        source=job.dataset.source,
        target=job.dataset.target,
        weights=attempt.model.state_dict(),
        training=candidate.state(),
    )
    checkpoint.save(kept, path)


def run_candidates(job: Job, numbers: list[int], workers: int, tell: Tell, halted: Halted) -> list[Fit]:
    """Train candidates, at most `workers` at a time; the result does not depend on how many those are."""
    if workers <= 1:
        return [run_candidate(job, number, tell, halted) for number in numbers]
    fits: dict[int, Fit] = {}
    waiting = list(numbers)
    running: dict[int, _Worker] = {}
    messages: Messages = queue.SimpleQueue()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                number = waiting.pop(0)
                running[number] = _Worker(job, number, messages)
            if halted():
                waiting.clear()
                for worker in running.values():
                    worker.stop()
            with suppress(queue.Empty):
                number, message = messages.get(timeout=0.2)
                if isinstance(message, Report):
                    tell(number, message)
                else:
                    fits[number] = running.pop(number).result(message)
    finally:
        # Whatever happens, no process is left behind, and each has kept its state.
        for worker in running.values():
            worker.stop()
        for worker in running.values():
            worker.end()
    return [fits[number] for number in numbers if number in fits]


class _Worker:
    """A candidate in a fresh interpreter; a thread passes its messages on.

    Not by `multiprocessing`, which would run the user's script again in every process.
    """

    def __init__(self, job: Job, number: int, messages: Messages) -> None:
        self.number = number
        self.process = subprocess.Popen(
            # -P: the working directory is no place to import from, unless the parent does.
            [sys.executable, "-P", "-m", "lane.trainer.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
            start_new_session=True,  # Ctrl-C reaches the parent alone, which decides
        )
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # the missing result tells
            pickle.dump((job, number), self.process.stdin)
            self.process.stdin.flush()
        self._thread = threading.Thread(target=self._pass_on, args=(messages,), daemon=True)
        self._thread.start()

    def _pass_on(self, messages: Messages) -> None:
        assert self.process.stdout is not None
        message: Message = None
        while isinstance(message, Report) or message is None:
            try:
                message = pickle.load(self.process.stdout)
            except (EOFError, pickle.UnpicklingError):
                message = None
            messages.put((self.number, message))
            if message is None:
                return

    def stop(self) -> None:
        """Ask it to keep its state and end."""
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended already, or was asked before
            self.process.stdin.write(STOP)
            self.process.stdin.close()

    def result(self, message: Message) -> Fit:
        """The last message, as what it came to."""
        self.end()
        if isinstance(message, Fit):
            return message
        raise LaneError(
            message
            if isinstance(message, str)
            else f"candidate {self.number + 1} ended without a result (exit code {self.process.returncode}); "
            "the state that it kept last is in the run directory: resume the run"
        )

    def end(self) -> None:
        """Wait for the process to end, and end it where it does not."""
        self.stop()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._thread.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


def main() -> None:
    """The body of a worker process: a job comes in on standard input, reports go out on standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Whatever a library prints must not get between the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    job, number = pickle.load(sys.stdin.buffer)
    asked: list[bytes] = []
    threading.Thread(target=lambda: asked.append(sys.stdin.buffer.read(1)), daemon=True).start()

    def send(message: Message) -> None:
        pickle.dump(message, out)
        out.flush()

    def halted() -> bool:
        if asked and asked[0] != STOP:
            raise SystemExit(1)  # the parent was killed; the state that was kept last stays
        return bool(asked)

    try:
        send(run_candidate(job, number, lambda _, report: send(report), halted))
    except LaneError as error:
        send(str(error))
    except BrokenPipeError:
        raise SystemExit(1) from None


if __name__ == "__main__":
    # By its full name, so that messages are of the same classes on both sides.
    from lane.trainer import worker

    code = 1
    try:
        worker.main()
        code = 0
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        # The thread that reads standard input would break an ordinary end of the interpreter.
        os._exit(code)
