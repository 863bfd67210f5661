"""Workers: candidates in parallel, one process each, that can be stopped, killed and resumed."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, Self

import torch

from lane.base.errors import LaneError
from lane.base.interruption import delayed
from lane.trainer.attempt import Report
from lane.trainer.candidate import Fit, train_candidate
from lane.trainer.training import Halted, OnReport, Run

Problem = LaneError | MemoryError
Message = Report | Fit | Problem | None  # None: it ended without a result
Messages = queue.SimpleQueue[tuple[int, Message]]
STOP = b"s"
IGNORED = (signal.SIGINT, signal.SIGTERM)  # by workers: their parent stops them


class Spares:
    """Processes that are started before there is work: they import torch while the rules are read off."""

    def __init__(self, count: int) -> None:
        self._idle = [_started() for _ in range(count)] if count > 1 else []

    def take(self) -> "subprocess.Popen[bytes]":
        """One of them, or a new one."""
        return self._idle.pop() if self._idle else _started()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self._idle:
            process.kill()
            process.communicate()


def _started() -> "subprocess.Popen[bytes]":
    """A process that waits for a run."""
    path = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
    # A signal would kill a worker that is started but has no session of its own yet.
    with delayed():
        return subprocess.Popen(
            # -P: nothing is imported from the working directory, unless the parent does.
            [sys.executable, "-P", "-m", "lane.trainer.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C reaches only the parent, which stops its workers
        )


def train_candidates(
    run: Run,
    numbers: Sequence[int],
    workers: int,
    on_report: OnReport,
    halted: Halted,
    spares: Spares | None = None,
) -> list[Fit]:
    """Train candidates, at most `workers` at a time; the result does not depend on that number."""
    if workers == 1:
        with _unchanged_torch(run.device):
            return _train_here(run, numbers, on_report, halted)
    fits: dict[int, Fit] = {}
    waiting = list(numbers)
    running: dict[int, _Worker] = {}
    messages: Messages = queue.SimpleQueue()
    packed, spares = pickle.dumps(run), spares or Spares(0)
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                number = waiting.pop(0)
                running[number] = _Worker(packed, number, messages, spares.take())
            if halted():
                waiting.clear()
                for worker in running.values():
                    worker.stop()
            with suppress(queue.Empty):
                number, message = messages.get(timeout=0.2)
                if isinstance(message, Report):
                    on_report(message)
                else:
                    fits[number] = running.pop(number).result(message)
    finally:
        # No process is left behind, whatever happens, and each keeps its state.
        for worker in running.values():
            worker.stop()
        for worker in running.values():
            worker.end()
    return [fits[number] for number in numbers if number in fits]


def _train_here(run: Run, numbers: Sequence[int], on_report: OnReport, halted: Halted) -> list[Fit]:
    fits: list[Fit] = []
    for number in numbers:
        if not (fits and halted()):
            fits.append(train_candidate(run, number, on_report, halted))
    return fits


@contextmanager
def _unchanged_torch(device: str) -> Iterator[None]:
    """Give this process its random numbers and its number of threads back."""
    threads = torch.get_num_threads()
    try:
        with torch.random.fork_rng(devices=[] if device == "cpu" else None):
            yield
    finally:
        torch.set_num_threads(threads)


class _Worker:
    """A candidate in a fresh interpreter; a thread passes its messages on.

    `multiprocessing` would run the user's script again in every process.
    """

    def __init__(
        self, packed: bytes, number: int, messages: Messages, process: "subprocess.Popen[bytes]"
    ) -> None:
        self.number, self.process = number, process
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has died, and `result` says so
            self.process.stdin.write(pickle.dumps(number) + packed)
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
        """The fit that is the last message; anything else is an error."""
        self.end()
        if isinstance(message, Fit):
            return message
        if isinstance(message, Problem):
            raise message
        raise LaneError(
            f"candidate {self.number + 1} ended without a result (exit code {self.process.returncode}); "
            "its last state is in the run directory: resume the run"
        )

    def end(self) -> None:
        """Wait for the process to end; kill it if it does not."""
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
    """The body of a worker process: a run comes in on standard input, reports go out on standard output."""
    for signum in IGNORED:
        signal.signal(signum, signal.SIG_IGN)
    # What a library prints must not mix with the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        number, run = pickle.load(sys.stdin.buffer), pickle.load(sys.stdin.buffer)
    except EOFError:
        raise SystemExit(1) from None  # there is no work for it
    asked: list[bytes] = []
    threading.Thread(target=lambda: asked.append(sys.stdin.buffer.read(1)), daemon=True).start()

    def send(message: Message) -> None:
        pickle.dump(message, out)
        out.flush()

    def halted() -> bool:
        if asked and asked[0] != STOP:
            raise SystemExit(1)  # the parent was killed; the last state on disk stays
        return bool(asked)

    try:
        send(train_candidate(run, number, send, halted))
    except (LaneError, MemoryError) as error:
        send(error)
    except BrokenPipeError:
        raise SystemExit(1) from None


def process() -> NoReturn:
    """`main` and the end of its process; an ordinary exit could abort, as a thread still reads its input."""
    code = 1
    try:
        main()
        code = 0
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    # By its full name, so that messages are of the same classes on both sides.
    from lane.trainer import worker

    worker.process()
