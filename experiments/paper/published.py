"""The published method by the preset `paper`: its tasks, its ablations, its rates, and each behaviour alone.

What the code does beyond the paper is a behaviour; taken back, the preset has the paper's words or torch's
usual ways instead. Runs are bounded by updates, not by time: they are the same on every machine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lane.experiments.paper.findings import Record
from lane.experiments.trial import Trial, trial_of

PRESET = "paper"
SEEDS = 5  # as in the paper
TASKS = ("limit", "addjump", "simple", "length", "extend", "mcd1", "mcd2", "mcd3", "around_right")
MOST_UPDATES = 30_000  # more than twice what the released weights are estimated to have taken
_MOST = f"most_updates={MOST_UPDATES}"

ABLATED_TASKS = ("simple", "addjump", "length", "around_right", "mcd1", "mcd2", "mcd3")
ABLATION_SEEDS = 3
# AdaDelta's rates: the paper has 0.1 for the Composer and 1.0 for the Solver, and prints no other numbers.
RATES = tuple((composer, solver) for composer in (0.01, 0.1, 1.0) for solver in (0.01, 0.1, 1.0))

BEHAVIOUR_TASKS = ("limit", "addjump")
BEHAVIOUR_SEEDS = 3


@dataclass(frozen=True)
class Behaviour:
    """Something that the code does and the paper does not say, or says otherwise."""

    name: str
    settings: tuple[str, ...]  # that take it back

    def trials(self) -> list[Trial]:
        """The runs without it."""
        return [
            trial(task, seed, *self.settings)
            for seed in range(1, BEHAVIOUR_SEEDS + 1)
            for task in BEHAVIOUR_TASKS
        ]


BEHAVIOURS = (
    Behaviour("simplicity counts only where the output is right", ("simple_if_right=false",)),
    Behaviour("a derivation without merged expressions is not simple", ("simple_alone=true",)),
    Behaviour("the first lesson has all commands of up to three words", ("first_lesson=1",)),
    Behaviour("names of variables are shuffled", ("shuffled=false",)),
    Behaviour("a lesson ends at 99 %, or after some epochs", ("epochs=1000", "enough=1")),
    Behaviour("entropies are relative, and averaged by kind", ("even_entropy=false",)),
    Behaviour("the root's own check must fire", ("strict=false", "whole=false")),
    Behaviour("decisions count on average", ("mean_decisions=false",)),
    Behaviour("one baseline for an update", ("baseline=example",)),
    Behaviour("four examples in an update", ("examples=64",)),
    Behaviour("forced spans count", ("count_forced=false",)),
    Behaviour("weights decay", ("weight_decay=0",)),
    Behaviour("the largest entry of a gradient is clipped", ("clip=1", "clip_by=norm")),
    Behaviour("trees begin with orthogonal weights and even merges", ("orthogonal=false",)),
    Behaviour("a tanh bounds leaves and cells", ("bounded=false",)),
    Behaviour("a mark ends a span", ("end_mark=false",)),
    Behaviour("the state alone scores the next token", ("state_only=false",)),
    Behaviour("the decoder's embeddings are dropped at random", ("dropout=0",)),
    Behaviour("pairs are held out", ("development=0",)),
    Behaviour("put in, not taken back: last expressions may follow the gold", ("follow=0.2",)),
)


def trial(task: str, seed: int, *settings: str) -> Trial:
    """A run of the preset, with other settings."""
    return Trial(task, seed, (*settings, _MOST), PRESET)


def tasks(seeds: int = SEEDS) -> list[Trial]:
    """The nine tasks, seed after seed."""
    return [trial(task, seed) for seed in range(1, seeds + 1) for task in TASKS]


def ablations(settings: Iterable[str]) -> list[Trial]:
    """One part left out at a time, on the tasks of the paper's table."""
    return [
        trial(task, seed, setting)
        for seed in range(1, ABLATION_SEEDS + 1)
        for setting in settings
        for task in ABLATED_TASKS
    ]


def rates() -> list[Trial]:
    """The differential update: a grid of AdaDelta's rates around the paper's, on addjump."""
    return [trial("addjump", 1, f"composer_rate={c}", f"solver_rate={s}") for c, s in RATES]


def behaviours() -> list[Trial]:
    """The preset without each behaviour, seed after seed."""
    every = [behaviour.trials() for behaviour in BEHAVIOURS]
    return [one for number in range(len(every[0])) for one in (trials[number] for trials in every)]


def without(behaviour: Behaviour, records: Sequence[Record]) -> list[Record]:
    """The runs without it that were done."""
    wanted = set(behaviour.trials())
    return [record for record in records if trial_of(record) in wanted]


def count(records: Sequence[Record]) -> str:
    """`3/5`: runs that are right on the whole test, bold if one is not; nothing where no run was done."""
    right = sum(record["accuracy"]["test"] == 1.0 for record in records)
    mark = "" if right == len(records) else "**"
    return f"{mark}{right}/{len(records)}{mark}" if records else ""
