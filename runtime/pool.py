"""Where independent pieces of work are done: in processes of this machine, or on the nodes of Ray.

Both pools have one method, `map`, which gives the outcomes as they arrive. A piece that fails is an outcome
too, and the others go on.
"""

import logging
import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from lane.base.errors import LaneError
from lane.base.interruption import delayed, unblock

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")
MOST_LOSSES = 3  # of one item, which is then taken for their cause: it may need more memory than a node has
MOST_PACKED = 16  # items of a task


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Result]):
    """The result of an item, or the error that it ended with."""

    item: Item
    result: Result | None = None
    error: Exception | None = None


class Pool(Protocol):
    """Does pieces of work somewhere."""

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Outcome[Item, Result]]:
        """The outcome of every item, in the order in which they arrive."""


class LocalPool:
    """The threads or processes of an executor; `end` ends the processes at once."""

    def __init__(self, executor: Executor, end: Callable[[], object] | None = None) -> None:
        self._executor, self._end = executor, end

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Outcome[Item, Result]]:
        """The outcome of every item; what has not ended is dropped when the caller stops."""
        futures: dict[Future[Result], Item] = {}
        try:
            for item in items:
                with delayed():  # the executor must know of every process that it has started
                    futures[self._executor.submit(work, item)] = item
            for future in as_completed(futures):
                error = future.exception()
                if error is not None and not isinstance(error, Exception):
                    raise error
                yield (
                    Outcome(futures[future], error=error)
                    if error
                    else Outcome(futures[future], future.result())
                )
        except BaseException:
            if self._end is not None:
                self._end()  # Python 3.11 stumbles over futures that were cancelled
            else:
                for future in futures:
                    future.cancel()
            raise


@contextmanager
def processes(count: int) -> Iterator[LocalPool]:
    """A pool of processes, none of which outlives this one, or an error in the block."""
    context = get_context("spawn")
    lives, alive = context.Pipe(duplex=False)  # nothing is sent: only this process has the writing end
    with lives, ProcessPoolExecutor(count, context, initializer=_live_with, initargs=(lives,)) as executor:
        try:
            yield LocalPool(executor, alive.close)
        except BaseException:
            alive.close()
            raise
    alive.close()


def _live_with(parent: Connection) -> None:
    """End with the parent, even in the middle of an item; Ctrl-C, which reaches all, is for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    unblock()

    def wait() -> None:
        with suppress(EOFError, OSError):
            parent.recv_bytes()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


class RayPool:
    """The nodes of a Ray cluster. What a lost node or a killed process had not delivered is done again.

    Items are packed into tasks, many at first and single ones at the end: short items do not wait for the
    scheduler, and long ones keep every node busy until the last. A task delivers each result at once.
    """

    def __init__(self, cpus: float = 1, memory: int = 0, most_packed: int = MOST_PACKED) -> None:
        self._resources: dict[str, Any] = {"num_cpus": cpus, **({"memory": memory} if memory else {})}
        self._cpus, self._most_packed = cpus, most_packed

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Outcome[Item, Result]]:
        """The outcome of every item; an item that was lost `MOST_LOSSES` times is an error."""
        import ray

        self._require_node(ray.nodes())
        # Retried here and not by Ray, which would repeat a whole pack, with what was delivered already.
        task = ray.remote(**self._resources, max_retries=0)(_do_all)
        shared = ray.put(work)
        waiting, losses = deque(items), Counter[Item]()
        tasks: dict[Any, deque[Item]] = {}  # what each has not delivered yet
        try:
            while waiting or tasks:
                slots = max(1, int(ray.cluster_resources().get("CPU", 1) / self._cpus))
                # One more task than can run for every slot, so that no slot waits for this process.
                while waiting and len(tasks) < 2 * slots:
                    count = max(1, min(self._most_packed, len(waiting) // (4 * slots)))
                    pack = [waiting.popleft() for _ in range(count)]
                    tasks[task.remote(shared, pack)] = deque(pack)
                (ready,), _ = ray.wait(list(tasks), fetch_local=False)
                left, problem = tasks[ready], "it ended early"
                try:
                    result, error = ray.get(next(ready))
                    yield Outcome(left.popleft(), result, error)
                    continue
                except StopIteration:  # also of a task whose node was lost
                    pass
                except ray.exceptions.RayError as lost:
                    problem = str(lost)
                del tasks[ready]
                if left:
                    waiting.extendleft(reversed(left))
                    losses[left[0]] += 1
                    if losses[left[0]] >= MOST_LOSSES:
                        error = LaneError(f"lost {MOST_LOSSES} times with its process or node: {problem}")
                        yield Outcome(waiting.popleft(), error=error)
        finally:
            for running in tasks:
                ray.cancel(running, force=True)

    def _require_node(self, nodes: list[dict[str, Any]]) -> None:
        """A task that no node can run would wait for ever."""
        cpus, memory = self._cpus, self._resources.get("memory", 0)
        alive = [node["Resources"] for node in nodes if node["Alive"]]
        if not any(node.get("CPU", 0) >= cpus and node.get("memory", 0) >= memory for node in alive):
            needs = f"{cpus:g} cores" + (f" and {memory / 2**20:.0f} MB" if memory else "")
            raise LaneError(f"no node of the cluster has {needs} for a task")


def _do_all(work: Callable[[Item], Result], pack: list[Item]) -> Iterator[tuple[Result | None, Any]]:
    """The task of `RayPool`: each result with None, or None with the error."""
    for item in pack:
        try:
            yield work(item), None
        except Exception as error:  # of this item alone: the others go on
            yield None, error


@contextmanager
def cluster(address: str | None = None) -> Iterator[None]:
    """Connect to the cluster at `address`, of RAY_ADDRESS, or to a new one on this machine."""
    try:
        import ray
    except ModuleNotFoundError:
        raise LaneError("the engine ray is not installed: pip install 'lane-expressions[ray]'") from None
    try:
        ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise LaneError(f"no Ray cluster at {address or 'this machine'}: {error}") from None
    try:
        yield
    finally:
        ray.shutdown()
