"""Where the recipe departs from the paper: each departure undone alone, and the effect of that.

In single attempts, since a search makes new attempts until one succeeds, which hides the effect of a part;
and bounded by updates, not by time, so that a run does not depend on the load of its machine. The effect of
the search itself is measured without these bounds.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lane.experiments.paper.findings import Record
from lane.experiments.sweep import solved
from lane.experiments.trial import Trial, trial_of

RECIPE = "unaided"  # the study is about the method itself, without rules read off the pairs
GUIDED = "fast"  # with them
SEEDS = 3  # enough to see a part that is always needed; all runs together take hours
MOST_UPDATES = 1200  # more than twice what the recipe takes on these tasks, 450 at most
SLOWER = 1.25  # a ratio of updates that counts as a difference; a convention


class Bounds(NamedTuple):
    """The bounds of a departure's runs, with it and without."""

    recipe: str  # its name in the report
    settings: tuple[str, ...]
    seeds: int = SEEDS


# Few short commands; a pair of words never seen together; a word seen only alone; two infix operators.
TASKS = ("mcd1", "around_right", "addjump", "random:5")
# A language with an action in a rule with variables; attempts may use one only after a failure without.
CONSTANTS = "random:14"
# Few short commands; a hard random language; calls; long sentences without short ones.
GUIDED_TASKS = ("mcd1", "random:9", "practical:calls:0", "practical:home:0")
NOISY_TASKS = ("practical:arguments:0", "practical:names50:0")
WRONG = 0.1  # share of wrong pairs in these
LANGUAGES = tuple(f"random:{number}" for number in range(10))

_ALONE = ("candidates=1", "rounds=1")
_MOST = f"most_updates={MOST_UPDATES}"
SINGLE = Bounds("the recipe, a single attempt", (*_ALONE, "attempts=1", _MOST))
GUIDED_SINGLE = SINGLE._replace(recipe="the default recipe, a single attempt")
FOUR = Bounds("the recipe, up to four attempts", (*_ALONE, "attempts=4", _MOST))
SEARCH = Bounds("the recipe, with its search", ())
SEARCH_ONCE = SEARCH._replace(seeds=1)


@dataclass(frozen=True)
class Departure:
    """A difference from the paper."""

    name: str  # of the undone state
    settings: tuple[str, ...]
    why: str  # the recipe departs
    base: tuple[str, ...] = ()  # settings that the departure presupposes
    tasks: tuple[str, ...] = TASKS
    bounds: Bounds = SINGLE
    recipe: str = RECIPE
    corrupt: float = 0.0  # share of the training outputs that are replaced by wrong ones

    def with_it(self) -> list[Trial]:
        """The runs of the recipe, seed after seed."""
        return self._trials(self.base)

    def without_it(self) -> list[Trial]:
        """The same with the departure undone."""
        return self._trials((*self.base, *self.settings))

    def _trials(self, settings: tuple[str, ...]) -> list[Trial]:
        bounded = (*settings, *self.bounds.settings)
        seeds = range(1, self.bounds.seeds + 1)
        return [
            Trial(task, seed, bounded, self.recipe, self.corrupt) for seed in seeds for task in self.tasks
        ]


VECTORS = Departure(
    "vectors of 128",
    ("embedding=128", "hidden=128"),
    "a quarter of the weights is enough, and takes less time",
)
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
        "a rule with constants fits the training pairs and generalises to nothing else",
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
        "a rule that needs one constant is worth as little as one of constants only",
        tasks=(CONSTANTS,),
        bounds=FOUR,
    ),
    Departure(
        "lone words count as recognised",
        ("whole=false",),
        "a word seen only alone is recognised nowhere else",
    ),
    Departure(
        "advantages not divided by their spread", ("normalize=false",), "small gains are lost in noise"
    ),
    Departure("no explorers", ("explorers=0",), "early commitments are not undone"),
    Departure("no draws by deficit", ("focus=0",), "wrong examples are seen too seldom"),
    Departure(
        "lessons end on greedy accuracy alone",
        ("sure=0",),
        "a lesson that is right only greedily leaves too few right samples in the next",
    ),
    Departure(
        "no consolidation", ("consolidations=0",), "neighbours never seen together are merged by chance"
    ),
    Departure(
        "AdaDelta",
        ("optimizer=adadelta", "composer_rate=0.1", "solver_rate=1.0"),
        "it takes more updates for the same result",
    ),
    VECTORS,
    Departure("10 samples of an example", ("samples=10",), "its baseline is the mean of few"),
    Departure("half the weight of simplicity", ("gamma=0.5",), "the gain of a simpler rule is lost in noise"),
    Departure(
        "less entropy, halved from the first lesson",
        ("entropy=0.1", "entropy_lessons=1"),
        "later lessons cannot undo the commitments of the first",
    ),
    Departure(
        "no draws of the newest length", ("newest=0",), "the new examples of a lesson are seen too seldom"
    ),
    Departure(
        "a candidate alone",
        _ALONE,
        "a model that fits all pairs may be wrong elsewhere, but rarely in the same way as another",
        tasks=LANGUAGES,
        bounds=SEARCH_ONCE,
    ),
    Departure(
        "a single attempt, however it ends",
        ("attempts=1",),
        "an attempt that has stalled does not recover",
        base=_ALONE,
        tasks=LANGUAGES,
        bounds=SEARCH_ONCE,
    ),
    Departure(
        "a candidate alone, where words of a rule cost nothing",
        _ALONE,
        "as above; and of two that fit, the one with fewer rules is chosen",
        base=("word_penalty=0",),
        tasks=("mcd1", "around_right"),
        bounds=SEARCH,
    ),
    Departure(
        "nothing read off the pairs",
        ("induction=false",),
        "sampling hardly finds rules of many constants, and names that are never alone",
        tasks=GUIDED_TASKS,
        bounds=GUIDED_SINGLE,
        recipe=GUIDED,
    ),
    Departure(
        "consolidation without new places",
        ("new_places=false",),
        "a word or a rule where no pair has it is derived by chance",
        tasks=GUIDED_TASKS,
        bounds=GUIDED_SINGLE,
        recipe=GUIDED,
    ),
    Departure(
        "one confirmation ends consolidation",
        ("confirmations=1",),
        "a sample of new commands misses mistakes that another shows",
        tasks=GUIDED_TASKS,
        bounds=GUIDED_SINGLE,
        recipe=GUIDED,
    ),
    Departure(
        "wrong pairs are learned from, where a tenth are wrong",
        ("set_aside=0",),
        "lessons do not end, and rules for single pairs are learned",
        tasks=NOISY_TASKS,
        bounds=GUIDED_SINGLE,
        recipe=GUIDED,
        corrupt=WRONG,
    ),
    Departure(
        "no stragglers, where a tenth of the pairs are wrong and none set aside",
        ("stragglers=0",),
        "a lesson that some pairs keep from ending ends the attempt",
        base=("set_aside=0",),
        tasks=NOISY_TASKS,
        bounds=GUIDED_SINGLE,
        recipe=GUIDED,
        corrupt=WRONG,
    ),
)


def trials() -> list[Trial]:
    """The trials of the recipe and of every departure, each once."""
    every = (trial for departure in DEPARTURES for trial in (*departure.with_it(), *departure.without_it()))
    return list(dict.fromkeys(every))


def records_of(trials: Iterable[Trial], records: Iterable[Record]) -> list[Record]:
    """The records of those trials that were done."""
    wanted = set(trials)
    return [record for record in records if trial_of(record) in wanted]


def outcome(records: Iterable[Record], tasks: Sequence[str]) -> str:
    """`2/3 (425)`: solved runs of the tasks, and their median updates; bold if a run is unsolved."""
    own = [record for record in records if record["task"] in tasks]
    right = [record["updates"] for record in own if solved(record)]
    updates = f" ({statistics.median(right):.0f})" if right else ""
    mark = "" if len(right) == len(own) else "**"
    return f"{mark}{len(right)}/{len(own)}{mark}{updates}" if own else ""


def pairs_of(departure: Departure, records: Sequence[Record]) -> list[tuple[Record, Record]]:
    """The runs without it, each paired with the run of the same task and seed that has it."""
    recipe_of = {(r["task"], r["seed"]): r for r in records_of(departure.with_it(), records)}
    changed = records_of(departure.without_it(), records)
    return [(one, recipe_of[key]) for one in changed if (key := (one["task"], one["seed"])) in recipe_of]


def times_as_long(departure: Departure, records: Sequence[Record]) -> str:
    """The seconds of the runs without it as a multiple of those with it; only for runs of one session."""
    pairs = pairs_of(departure, records)
    changed, recipe = (sum(pair[side]["seconds"] for pair in pairs) for side in (0, 1))
    return f"{changed / recipe:.2f}" if recipe else "not yet known how many"


def verdict(departure: Departure, records: Sequence[Record]) -> str:
    """The conclusion from the runs without it and with it."""
    pairs = pairs_of(departure, records)
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
    if least > SLOWER * more:
        return f"**slower**: else {more / least:.1f} times the updates"
    return "no difference here"
