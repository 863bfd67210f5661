"""Worker processes of `lane-run`: each loads the model once and answers batches."""

import gc
import multiprocessing
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor

from lane.cli.answers import Answerer, Options
from lane.cli.lines import Answer, Batch
from lane.runtime import load

_answerer: Answerer | None = None  # of a worker process


class Workers:
    """An engine of several processes."""

    def __init__(self, count: int, model: str, backend: str, options: Options) -> None:
        # A fork is ready at once, and is safe as long as this process has a single thread.
        method = "fork" if sys.platform == "linux" else "spawn"
        self._pool = ProcessPoolExecutor(
            count, multiprocessing.get_context(method), _start, (model, backend, options)
        )

    def submit(self, batch: Batch) -> Future[Answer]:
        """Hand a batch to whichever process is free."""
        return self._pool.submit(_answer, batch)

    def close(self) -> None:
        """Drop what is not begun; end the processes."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _start(model: str, backend: str, options: Options) -> None:
    global _answerer
    # Ctrl-C reaches all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # as in the parent
    _answerer = Answerer(load(model, backend), options)


def _answer(batch: Batch) -> Answer:
    assert _answerer is not None, "the pool starts every worker by _start"
    return _answerer.submit(batch)
