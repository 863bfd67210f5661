"""Worker processes of `lane-run`: each loads the model once and answers every n-th batch.

Workers write to standard output themselves, in the order of their batches: passing the answers through the
parent would copy every byte four more times. The turn to write is a byte passed round in pipes.
"""

import gc
import multiprocessing
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Lock, Thread
from typing import Any, NamedTuple

from lane.cli.lines import Answer, Batch, StreamError, WorkerError, widen_pipe
from lane.cli.output import write_all
from lane.cli.rendering import Answerer, Options
from lane.runtime import ModelError, Translator

_MOST_MADE = 4  # answers that a worker holds until its turn
_PATIENCE = 5.0  # seconds for a worker to end after an error: it may be blocked on a pipe that nobody reads
_WRITE, _NEVER = b"w", b"n"  # turns: to write, and to discard


class _Ends(NamedTuple):
    """The ends of pipes of a worker."""

    batches: Connection
    accounts: Connection
    turn: Connection
    next_turn: Connection


class _Worker(NamedTuple):
    """A worker as the parent sees it."""

    process: BaseProcess
    batches: Connection
    accounts: "_Accounts"


class Workers:
    """An engine of several processes; used as a context."""

    def __init__(self, count: int, translator: Translator, options: Options) -> None:
        # A fork is ready at once, but safe only in a process of a single thread: the libraries of the other
        # backends start threads.
        forks = sys.platform == "linux" and translator.info.backend == "program"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        # After an interrupt, queued batches are dropped. Without a lock, which a dying worker might hold.
        self._dropped = context.RawValue("b", 0)
        self._submitted = 0
        batches, accounts, turns = ([context.Pipe(duplex=False) for _ in range(count)] for _ in range(3))
        for _, writer in batches:
            widen_pipe(writer.fileno())  # so that the next batch is ready for a worker
        # Each worker opens its own copy, a fork too: copy-on-write would copy shared pages one by one.
        model = pickle.dumps(translator)
        processes = []
        for i in range(count):
            ends = _Ends(batches[i][0], accounts[i][1], turns[i][0], turns[(i + 1) % count][1])
            # A fork inherits every end of every pipe; it closes those of others, or EOF would never arrive.
            others = [end for pipe in (*batches, *accounts, *turns) for end in pipe if end not in ends]
            arguments = (model, options, ends, self._dropped, others if forks else [])
            processes.append(context.Process(target=_work, args=arguments, daemon=True))
        for process in processes:
            process.start()
        turns[0][1].send_bytes(_WRITE)
        _close(reader for reader, _ in batches)
        _close(writer for _, writer in accounts)
        _close(end for pipe in turns for end in pipe)
        self._workers = [
            _Worker(process, batches[i][1], _Accounts(accounts[i][0])) for i, process in enumerate(processes)
        ]

    def submit(self, batch: Batch) -> Iterator[Answer]:
        """Send a batch to the next worker; blocks while its queue is full."""
        worker = self._workers[self._submitted % len(self._workers)]
        self._submitted += 1
        future = worker.accounts.next()
        try:
            # The lines as raw bytes, since a pickle would copy them twice more.
            worker.batches.send((batch.source, batch.first))
            worker.batches.send_bytes(batch.block)
        except OSError:
            raise _dead() from None
        return (awaited.result() for awaited in [future])

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the processes; after an error, drop the queued batches."""
        if kind is not None:
            self._dropped.value = 1
        for worker in self._workers:
            worker.batches.close()
        if kind is not None and issubclass(kind, WorkerError):
            for worker in self._workers:  # the others wait for a turn that never comes
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(None if kind is None else _PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.accounts.join()


def _dead() -> WorkerError:
    return WorkerError("a worker process died; the output is cut short")


def _close(ends: Iterable[Connection]) -> None:
    for end in ends:
        end.close()


class _Accounts:
    """The futures of a worker's batches, resolved in order by a thread that receives its accounts."""

    def __init__(self, connection: Connection) -> None:
        self._awaited: deque[Future[Answer]] = deque()
        self._lock = Lock()
        self._ended = False
        self._thread = Thread(target=self._listen, args=(connection,), daemon=True)
        self._thread.start()
        self.join = self._thread.join

    def next(self) -> Future[Answer]:
        """The future of the next batch."""
        with self._lock:
            if self._ended:
                raise _dead()
            self._awaited.append(Future())
            return self._awaited[-1]

    def _listen(self, connection: Connection) -> None:
        with connection, suppress(EOFError, OSError):
            while True:
                answer = connection.recv()
                future = self._awaited.popleft()
                if isinstance(answer, Answer):
                    future.set_result(answer)
                else:
                    future.set_exception(answer)
        with self._lock:
            self._ended = True
            for future in self._awaited:
                future.set_exception(_dead())


class _UnwrittenAnswer(NamedTuple):
    """The answer to a batch: its first part, and an iterator that makes the rest when they can be written."""

    first: Answer | ModelError
    rest: Iterator[Answer]


class _Work:
    """The loop of a worker: it answers batches as they arrive, and writes each answer in turn."""

    def __init__(self, answerer: Answerer | ModelError, ends: _Ends, dropped: Any) -> None:
        self._answerer, self._ends, self._dropped = answerer, ends, dropped
        self._made: deque[_UnwrittenAnswer] = deque()  # and not written yet

    def do(self) -> None:
        """Run until the batches end, or the parent does."""
        more = True
        while (more or self._made) and not self._dropped.value:
            if self._made and (not more or self._is_due()):
                self._write(self._made.popleft())
            else:
                more = self._answer()

    def _is_due(self) -> bool:
        """Whether to write, waiting for the turn if necessary, before starting another batch."""
        ends = self._ends
        return len(self._made) == _MOST_MADE or ends.turn in wait([ends.turn, ends.batches])

    def _answer(self) -> bool:
        """Answer the next batch; False at the end of the batches."""
        try:
            source, first = self._ends.batches.recv()
            batch = Batch(source, first, self._ends.batches.recv_bytes())
        except EOFError:
            return False
        try:
            if isinstance(self._answerer, ModelError):
                raise self._answerer
            parts = self._answerer.submit(batch)
            self._made.append(_UnwrittenAnswer(next(parts), parts))
        except ModelError as error:
            self._made.append(_UnwrittenAnswer(error, iter(())))
        return True

    def _write(self, made: "_UnwrittenAnswer") -> None:
        """Write in turn, then pass the turn on; after a stop or an error, the others discard theirs."""
        account: Answer | Exception = Answer(b"")
        following = _NEVER
        if self._ends.turn.recv_bytes() == _WRITE:
            try:
                account = _written(made)
                following = _NEVER if account.stop else _WRITE
            except (BrokenPipeError, StreamError, ModelError) as error:
                account = error
        with suppress(OSError):  # the next worker has ended
            self._ends.next_turn.send_bytes(following)
        self._ends.accounts.send(account)


def _written(made: "_UnwrittenAnswer") -> Answer:
    """Write all parts of an answer; gives the account of it, for the parent."""
    account = Answer(b"")
    if isinstance(made.first, ModelError):
        raise made.first
    for part in chain([made.first], made.rest):
        write_all(part.output)
        account.problems += part.problems
        account.counts += part.counts
        account.stop = part.stop
    return account


def _end_with_parent() -> None:
    """End when the parent is killed, even while blocked on a pipe that nobody reads."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"
    wait([parent.sentinel])
    os._exit(1)


def _work(model: bytes, options: Options, ends: _Ends, dropped: Any, others: Iterable[Connection]) -> None:
    """The main function of a worker."""
    # Ctrl-C reaches all processes of a terminal; only the parent reacts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # as in the parent
    _close(others)
    Thread(target=_end_with_parent, daemon=True).start()
    answerer: Answerer | ModelError
    try:
        answerer = Answerer(pickle.loads(model), options)
    except ModelError as error:  # the file has changed
        answerer = error
    # The parent or the previous worker has ended; or memory ran out, which the parent reports as a death.
    with suppress(EOFError, OSError, MemoryError):
        _Work(answerer, ends, dropped).do()
