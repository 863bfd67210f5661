"""Where the recipe departs from the paper: each departure taken back alone, and what that shows.

In single attempts, since a search makes new ones until one succeeds, which hides what a part is worth; and
bounded by updates, not by time, so that a run is the same whatever else its machine does.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lane.trainer.paper.findings import Record, of_task
from lane.trainer.sweep import Run, solved

# Few short commands; a pair of words never seen together; a word seen only alone; two infix operators.
TASKS = ("mcd1", "around_right", "addjump", "random:5")
# A language with an action in a rule with variables, which an attempt is given only after one that lacked it.
CONSTANTS = "random:14"
SEEDS = 3
MOST_UPDATES = 1200
SLOWER = 1.25  # times the updates that count as a difference


@dataclass(frozen=True)
class Departure:
    """Something that the paper does otherwise."""

    name: str  # what is taken back
    settings: tuple[str, ...]
    why: str  # we depart
    base: tuple[str, ...] = ()  # settings without which there is nothing to take back
    tasks: tuple[str, ...] = TASKS
    attempts: int = 1

    def with_it(self) -> list[Run]:
        """The runs of the recipe, seed after seed."""
        return self._runs(self._arguments(()))

    def without_it(self) -> list[Run]:
        """The same with the departure taken back."""
        return self._runs(self._arguments(self.settings))

    def _runs(self, arguments: tuple[str, ...]) -> list[Run]:
        return [Run(task, seed, arguments) for seed in range(1, SEEDS + 1) for task in self.tasks]

    def _arguments(self, settings: tuple[str, ...]) -> tuple[str, ...]:
        bounds = ("candidates=1", "rounds=1", f"attempts={self.attempts}", f"most_updates={MOST_UPDATES}")
        return tuple(f"--set={setting}" for setting in (*self.base, *settings, *bounds))


DEPARTURES = (
    Departure(
        "reward added, not multiplied", ("product=false",), "a sum rewards simple rules that are wrong"
    ),
    Departure(
        "words of a rule cost nothing",
        ("word_penalty=0",),
        "`turn $x twice` is as simple as `turn $x` and `$x twice`, and recombines less",
    ),
    Departure(
        "rules that leave out variables", ("deleting=true",), "junk is put into a variable and dropped"
    ),
    Departure(
        "actions beside variables",
        ("constants=always",),
        "a rule with constants fits the training pairs and nothing else",
    ),
    Departure(
        "simplicity by whole rules, where they may hold actions",
        ("dense=false",),
        "no gradient leads from one constant left to none",
        base=("constants=always",),
    ),
    Departure(
        "simplicity by whole rules, where one must hold an action",
        ("dense=false",),
        "a rule that cannot do without a constant is worth as little as one with nothing else",
        tasks=(CONSTANTS,),
        attempts=4,
    ),
    Departure(
        "lone words count as recognised", ("whole=false",), "a word seen only alone is known nowhere else"
    ),
    Departure("advantages not divided by their spread", ("normalize=false",), "small gains drown"),
    Departure("no explorers", ("explorers=0",), "early commitments are not undone"),
    Departure("no draws by what is wrong", ("focus=0",), "what is still wrong is seen too seldom"),
    Departure(
        "lessons end without sureness",
        ("sure=0",),
        "a lesson that is right only greedily leaves too few right samples in the next",
    ),
    Departure("no consolidation", ("consolidations=0",), "neighbourhoods never seen are merged by chance"),
    Departure(
        "AdaDelta",
        ("optimizer=adadelta", "composer_rate=0.1", "solver_rate=1.0"),
        "it takes more updates for the same",
    ),
)


def runs() -> list[Run]:
    """Those of the recipe and of every departure, each once."""
    every = (run for departure in DEPARTURES for run in (*departure.with_it(), *departure.without_it()))
    return list(dict.fromkeys(every))


def records_of(runs: Iterable[Run], records: Iterable[Record]) -> list[Record]:
    """The records of these runs, as far as there are any."""
    wanted = {run.key for run in runs}
    return [r for r in records if (r["task"], r["seed"], tuple(r["arguments"])) in wanted]


def outcome(records: Sequence[Record], task: str) -> str:
    """`2/3 (425)`: solved runs of a task, and the median updates of those; bold where one is not."""
    own = of_task(records, task)
    right = [record["updates"] for record in own if solved(record)]
    updates = f" ({statistics.median(right):.0f})" if right else ""
    mark = "" if len(right) == len(own) else "**"
    return f"{mark}{len(right)}/{len(own)}{mark}{updates}" if own else ""


def verdict(departure: Departure, records: Sequence[Record]) -> str:
    """What the runs without it show, against those with it of the same tasks and seeds."""
    recipe_of = {(r["task"], r["seed"]): r for r in records_of(departure.with_it(), records)}
    changed = records_of(departure.without_it(), records)
    pairs = [(one, recipe_of[key]) for one in changed if (key := (one["task"], one["seed"])) in recipe_of]
    if not pairs:
        return ""
    lost = sum(solved(recipe) - solved(one) for one, recipe in pairs)
    if lost > 0:
        return f"**needed**: {lost} of {len(pairs)} runs are lost"
    both = [(one, recipe) for one, recipe in pairs if solved(one) and solved(recipe)]
    unsure = sum(recipe["converged"] - one["converged"] for one, recipe in both)
    if unsure > 0:
        return f"**surer**: {unsure} of {len(pairs)} runs end at odds with their own rules"
    more, least = (sum(pair[side]["updates"] for pair in both) for side in (0, 1))
    if more > SLOWER * least:
        return f"**faster**: else {more / least:.1f} times the updates"
    return "no difference here"
