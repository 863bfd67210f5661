"""Worker processes of `lane-run`: each loads the model once and answers batches.

Workers write to standard output themselves, one after the other in the order of their batches: passing the
answers through the parent would copy every byte four times more.
"""

import gc
import multiprocessing
import os
import pickle
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext

from lane.cli.answers import Answerer, Options
from lane.cli.lines import Answer, Batch, WorkerError
from lane.runtime import ModelError, Translator

_NEVER = -1


class Workers:
    """An engine of several processes; used as a context."""

    def __init__(self, count: int, translator: Translator, options: Options) -> None:
        # A fork is ready at once, and is safe as long as this process has a single thread: the libraries of
        # the other backends have some of their own.
        forks = sys.platform == "linux" and translator.info.backend == "program"
        context = multiprocessing.get_context("fork" if forks else "spawn")
        turns, model = _Turns(context), pickle.dumps(translator)
        self._pool = ProcessPoolExecutor(count, context, _start, (model, options, turns))
        self._submitted = 0

    def submit(self, batch: Batch) -> Future[Answer]:
        """Hand a batch to whichever process is free."""
        self._submitted += 1
        return self._pool.submit(_answer, self._submitted - 1, batch)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Drop what is not begun; end the processes."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        if kind is not None and issubclass(kind, BrokenProcessPool):
            raise WorkerError("a worker process died; the output is cut short") from None


class _Turns:
    """Whose turn it is to write: the batch of this number."""

    def __init__(self, context: BaseContext) -> None:
        self._changed = context.Condition()
        self._next = context.Value("q", 0, lock=False)

    def wait(self, number: int) -> bool:
        """Wait for a turn; False if it will never come."""
        with self._changed:
            self._changed.wait_for(lambda: self._next.value in (number, _NEVER))
            return bool(self._next.value == number)

    def give(self, number: int) -> None:
        """Let the batch of this number write, or none any more."""
        with self._changed:
            self._next.value = number
            self._changed.notify_all()


_answerer: Answerer | ModelError  # of a worker process, or why there is none
_turns: _Turns


def _start(model: bytes, options: Options, turns: _Turns) -> None:
    global _answerer, _turns
    # Ctrl-C reaches all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # as in the parent
    _turns = turns
    try:
        _answerer = Answerer(pickle.loads(model), options)
    except ModelError as error:  # its file is not the same any more
        _answerer = error


def _answer(number: int, batch: Batch) -> Answer:
    """Answer a batch and write it in its turn; what is left for the parent is the account of it."""
    try:
        if isinstance(_answerer, ModelError):
            raise _answerer
        answer = _answerer.submit(batch)
    except ModelError:
        # What comes before is still written, and nobody waits for a turn that never comes.
        if _turns.wait(number):
            _turns.give(_NEVER)
        raise
    output, answer.output = memoryview(answer.output), b""
    if _turns.wait(number):
        following = _NEVER
        try:
            while output:
                output = output[os.write(sys.stdout.fileno(), output) :]
            if not answer.stop:
                following = number + 1
        finally:
            _turns.give(following)
    return answer
