"""Plans: the derivation of a shape of command, compiled once.

After the recognised words have become variables, the leaves alone determine the derivation, and many commands
share their leaves, their shape: `jump twice` and `walk twice` are both `$ twice`. Where the model refuses,
the kinds of these words are part of the shape (sorts.py). A plan lists the word values and constants whose
concatenation is the output of a shape.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from lane.runtime.composer import compose
from lane.runtime.sorts import Sorts
from lane.runtime.substitution import Piece, evaluate, flatten

if TYPE_CHECKING:
    from lane.runtime._core import Core

MAX_SHAPE = 64  # longer commands seldom repeat their shape
SHORT = 16  # words: shorter shapes get a plan at once, longer ones when they are seen again
MAX_ONCE = 10_000  # shapes remembered as seen
MAX_PIECES = 1024
MAX_CACHED = 200_000  # pieces and leaves in one generation: some 10 MB


class Plan(NamedTuple):
    """The output is `pick` of the list of word values and constants: the items at `indices`."""

    pick: Callable[[list[str]], Sequence[str]]
    constants: list[str]
    indices: tuple[int, ...]
    weight: int


class PlanCache:
    """Plans by shape, bounded, in two generations: plans that are used again move to the young one.

    Readers take no lock. A reader that races with a writer may miss a plan; it never sees half of one.
    The compiled core, where there is one, knows the plans of the young generation.
    """

    def __init__(self, core: "Core | None" = None) -> None:
        self._core = core
        self.young: dict[tuple[int, ...], Plan] = {}
        self.old: dict[tuple[int, ...], Plan] = {}
        self._size = 0
        self._once: set[int] = set()  # hashes; a collision only makes a plan too early
        self._lock = Lock()

    def find(self, shape: tuple[int, ...]) -> Plan | None:
        """The plan of a shape that was not in the young generation, or not yet."""
        plan = self.young.get(shape) or self.old.get(shape)
        if plan is not None:
            self.add(shape, plan)
        return plan

    def is_worth_it(self, shape: tuple[int, ...]) -> bool:
        """Whether to make a plan: for a short shape, and for a longer one seen before."""
        if len(shape) <= SHORT:
            return True
        if len(shape) > MAX_SHAPE:
            return False
        with self._lock:
            known = hash(shape) in self._once
            if len(self._once) >= MAX_ONCE:
                self._once.clear()
            self._once.add(hash(shape))
        return known

    def add(self, shape: tuple[int, ...], plan: Plan) -> None:
        """Keep a plan; the least recently used generation is evicted."""
        with self._lock:
            if shape in self.young:
                return
            self._size += plan.weight
            if self._size > MAX_CACHED:
                self.old, self.young, self._size = self.young, {}, plan.weight
                if self._core is not None:
                    self._core.clear()
            self.young[shape] = plan
            if self._core is not None:
                self._core.add(shape, plan.indices, tuple(plan.constants))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without its content: plans are cheap to make again."""
        return PlanCache, ()


def make_plan(sorts: Sorts, shape: tuple[int, ...], longest: int) -> Plan | None:
    """The plan of a shape; None if it leads beyond the tables, is refused, or could overflow."""
    count, tables = len(shape), sorts.tables
    composition = compose(tables, sorts.leaves(shape))
    if composition.gap is not None or sorts.departure(composition, shape) is not None:
        return None
    values = evaluate(tables, composition, list(range(count)), [longest] * count)
    if values.overflow is not None:
        return None
    return _plan_of(values.pieces[-1], count)


def _plan_of(value: Piece, count: int) -> Plan | None:
    indices: list[int] = []
    constants: dict[str, int] = {}
    for piece in flatten(value):
        if len(indices) == MAX_PIECES:
            return None
        if isinstance(piece, str):
            piece = constants.setdefault(piece, count + len(constants))
        indices.append(piece)
    # A slice, since an itemgetter of a single index returns the item instead of a sequence.
    pick = itemgetter(*indices) if len(indices) > 1 else itemgetter(slice(indices[0], indices[0] + 1))
    return Plan(pick, list(constants), tuple(indices), count + len(indices) + len(constants))
