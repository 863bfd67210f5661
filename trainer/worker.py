"""Workers: candidates side by side, one process each, that can be stopped, killed and resumed."""

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event
from pathlib import Path

import torch

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.models import checkpoint
from lane.trainer.attempt import Report
from lane.trainer.candidate import Candidate, Fit
from lane.trainer.config import TrainConfig
from lane.trainer.examples import Examples

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

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Words and actions."""
        return Vocabulary(self.source), Vocabulary(self.target)

    def examples(self) -> Examples:
        """The pairs as tensors."""
        return Examples(self.pairs, *self.vocabularies)

    def state_path(self, number: int) -> Path:
        """Where a candidate keeps its state: a checkpoint of its present model."""
        return self.run_dir / f"candidate-{number}.pt"


Tell = Callable[[int, Report], None]
Halted = Callable[[], bool]


def run_candidate(job: Job, number: int, tell: Tell, halted: Halted) -> Fit:
    """Train one candidate to its end, or until `halted`; its state is kept on disk and taken up again."""
    # One thread: results must not depend on how a sum is split, and the other cores have their own candidate.
    torch.set_num_threads(1)
    candidate = Candidate(number, job.examples(), job.vocabularies, job.config, job.seed, job.device)
    path = job.state_path(number)
    if path.exists():
        candidate.restore(checkpoint.load(path).training)
    saved = time.monotonic()
    while not candidate.done and not halted():
        tell(number, candidate.stride())
        if candidate.done or time.monotonic() - saved > SAVE_EVERY:
            _keep(candidate, job, path)
            saved = time.monotonic()
    if not candidate.done:
        _keep(candidate, job, path)
    return candidate.stop()


def _keep(candidate: Candidate, job: Job, path: Path) -> None:
    attempt = candidate.attempt
    kept = checkpoint.Checkpoint(
        config=job.config.network(attempt.constants),
        source=job.vocabularies[0],
        target=job.vocabularies[1],
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
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    running: dict[Connection, tuple[int, multiprocessing.process.BaseProcess]] = {}
    with _ended(running, stop):
        while waiting or running:
            while waiting and len(running) < workers:
                number = waiting.pop(0)
                receive, send = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(job, number, send, stop), daemon=True)
                with _signals_held():
                    process.start()
                send.close()
                running[receive] = number, process
            if halted():
                stop.set()
                waiting.clear()
            for connection in wait(list(running), timeout=0.2):
                assert isinstance(connection, Connection)
                _receive(connection, running, fits, tell)
    return [fits[number] for number in numbers if number in fits]


@contextmanager
def _signals_held() -> Iterator[None]:
    """Ctrl-C reaches the whole group, and must not end a worker that has not yet said that it ignores it.

    A process inherits what its parent blocks; here it is delivered at the end, to the parent alone.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _receive(
    connection: Connection,
    running: dict[Connection, tuple[int, multiprocessing.process.BaseProcess]],
    fits: dict[int, Fit],
    tell: Tell,
) -> None:
    number, process = running[connection]
    try:
        message = pickle.loads(connection.recv_bytes())
    except EOFError:
        process.join()
        raise LaneError(
            f"candidate {number} ended without a result (exit code {process.exitcode}); "
            "what it had kept is in the run directory: go on with --resume"
        ) from None
    if isinstance(message, Report):
        tell(number, message)
        return
    del running[connection]
    process.join()
    if isinstance(message, str):
        raise LaneError(message)
    fits[number] = message


@contextmanager
def _ended(
    running: dict[Connection, tuple[int, multiprocessing.process.BaseProcess]], stop: Event
) -> Iterator[None]:
    """Leave no process behind, whatever happens."""
    try:
        yield
    finally:
        stop.set()
        for _, process in running.values():
            process.join(timeout=10)
            if process.is_alive():
                process.kill()


def _work(job: Job, number: int, connection: Connection, stop: Event) -> None:
    """The body of a worker process."""
    # Ctrl-C reaches the whole group; the parent decides and tells by `stop`.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent = os.getppid()

    def send(message: Report | Fit | str) -> None:
        # By value: a pipe would otherwise pass tensors by handle, and those die with the process.
        connection.send_bytes(pickle.dumps(message))

    def tell(number: int, report: Report) -> None:
        send(report)

    def halted() -> bool:
        if os.getppid() != parent:
            raise SystemExit(1)  # the parent was killed; what was kept last stays
        return stop.is_set()

    try:
        send(run_candidate(job, number, tell, halted))
    except LaneError as error:
        send(str(error))
    except BrokenPipeError:
        raise SystemExit(1) from None
