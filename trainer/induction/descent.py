"""The search: which words are variables, and which rules are for parts, so that the whole is shortest.

The measure is a description length: the tokens of the rules, the words that are guessed to be variables,
and all that stays unexplained. From two starts, one move after the other is kept if it pays.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lane.models import symbols
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.inducer import Rule, induce_rules
from lane.trainer.induction.inversion import inverted
from lane.trainer.induction.lexicon import Lexicon
from lane.trainer.induction.parts import part_rules
from lane.trainer.induction.ruleset import Left, Right, RuleSet
from lane.trainer.induction.shape import Command, Shape, shapes_of
from lane.trainer.induction.wordclass import word_classes

SAMPLE = 400  # commands that moves are judged by: half of them the shortest
MOST_SHAPES = 600  # that the final rules are induced from
GUESS = 4  # what a guessed variable costs beside its value: words in rules tell the Composer more
LOST = 2  # what a token costs that is not explained
OFTEN = 10  # commands of one shape that count when it is lost
GAIN = 8  # tokens that a rule for a part must save: less is chance
KEEP = 4  # tokens that it must still save in the end
STEPS = 12_000_000  # of the whole search: some ten seconds where a language needs them all


@dataclass(frozen=True)
class Hypothesis:
    """A choice of variables and of rules for parts, and what it comes to."""

    variables: frozenset[int]
    parts: Mapping[Left, Right] = field(default_factory=dict)
    banned: frozenset[Rule] = frozenset()
    length: int = 0
    shapes: Sequence[Shape] = ()
    grammar: RuleSet = field(default_factory=lambda: RuleSet({}))
    lost: Sequence[Shape] = ()


class Descent:
    """Moves from trial to trial, each with a shorter description."""

    def __init__(self, commands: Sequence[Command], outputs: Sequence[str]) -> None:
        self.commands, self.outputs = commands, outputs
        self.budget = Budget(STEPS)
        self.lexicon = Lexicon(commands, outputs)
        self.kinds = word_classes(commands, self.lexicon)
        self.sample = _sample(commands)
        self.best = self._start()

    def run(self) -> Hypothesis:
        """The best trial, on all commands."""
        self._toggle()
        while self._add_parts() and self._toggle() and not self.budget.is_over:
            pass
        self._ban()
        self.budget = Budget(STEPS)
        return self._tried(self.best, range(len(self.commands)), MOST_SHAPES)

    def _start(self) -> Hypothesis:
        """Variables are the words that are examples and most of their kind; or every kind with choices."""
        known = {word for word in self.lexicon.alone if self.lexicon.is_free(word)}
        free = {word for word in self.lexicon.value if self.lexicon.is_free(word)}
        narrow, wide = set(known), set(known)
        for kind in self.kinds:
            if 2 * len(known.intersection(kind)) >= len(kind):
                narrow |= free.intersection(kind)
            if len({self.lexicon.value[word] for word in kind}) > 1:
                wide |= free.intersection(kind)
        # What a move may change: the words that no example of one word speaks for.
        open_kinds = ([word for word in kind if word not in known] for kind in self.kinds)
        self.open_kinds = sorted(
            filter(None, open_kinds), key=lambda kind: -sum(len(self.lexicon.where[word]) for word in kind)
        )
        trials = [self._tried(Hypothesis(frozenset(words))) for words in (narrow, narrow | wide)]
        return min(trials, key=lambda trial: trial.length)

    def _tried(
        self, trial: Hypothesis, sample: Iterable[int] | None = None, most: int | None = None
    ) -> Hypothesis:
        """The trial with its grammar and its length."""
        numbers = self.sample if sample is None else list(sample)
        lexicon = {word: self.lexicon.value[word] for word in trial.variables}
        shapes = shapes_of([self.commands[n] for n in numbers], [self.outputs[n] for n in numbers], lexicon)
        if most is not None:
            shapes = _thinned(shapes, most)
        grammar, lost = induce_rules(shapes, trial.parts, trial.banned, self.budget)
        present = {word for n in numbers for word in self.commands[n]} - set(self.lexicon.alone)
        guessed = sum(GUESS + len(lexicon[word]) for word in present if word in lexicon)
        unexplained = sum(
            min(shape.commands, OFTEN) * (len(shape.tokens) + len(shape.outputs[0])) for shape in lost
        )
        length = grammar.size + guessed + LOST * unexplained
        return replace(trial, length=length, shapes=shapes, grammar=grammar, lost=lost)

    def _toggle(self) -> bool:
        """Make each kind variables or words, whichever it is not."""
        changed = False
        for kind in self.open_kinds:
            if self.budget.is_over:
                break
            trial = self._tried(replace(self.best, variables=self.best.variables ^ set(kind)))
            if trial.length < self.best.length:
                self.best, changed = trial, True
        return changed

    def _add_parts(self) -> bool:
        """Add the rules for parts that save most, until none saves enough; drop those that no longer do."""
        changed, useless = False, set[frozenset[Rule]]()
        while self._add_best(useless):
            changed = True
        for left in self.best.parts:
            if not self.budget.is_over:
                parts = {other: right for other, right in self.best.parts.items() if other != left}
                trial = self._tried(replace(self.best, parts=parts))
                if trial.length < self.best.length + (KEEP if symbols.VARIABLE in left else 0):
                    self.best = trial
        return changed

    def _add_best(self, useless: set[frozenset[Rule]]) -> bool:
        """Add the best move of the first sort that has one that pays; `useless` are those that did not.

        What two rules say of a part need not save much; what is only guessed must.
        """
        best = self.best
        known: Sequence[Rule] = inverted(best.grammar.rules)
        for gain in (1, GAIN):
            rules = known if gain == 1 else part_rules(best.shapes, best.grammar, best.parts, best.lost, GAIN)
            for moves in ([[rule] for rule in rules], _families(rules)):
                paying = []
                for move in moves:
                    if frozenset(move) not in useless and not self.budget.is_over:
                        trial = self._tried(replace(best, parts={**best.parts, **dict(move)}))
                        if trial.length <= best.length - gain:
                            paying.append(trial)
                        else:
                            useless.add(frozenset(move))
                if paying:
                    self.best = min(paying, key=lambda trial: trial.length)
                    return True
        return False

    def _ban(self) -> None:
        """Do without each rule in turn: the first choice may have been in the way of a better one."""
        for rule in list(self.best.grammar.rules.items()):
            if rule[0] not in self.best.parts and not self.budget.is_over:
                trial = self._tried(replace(self.best, banned=self.best.banned | {rule}))
                if trial.length < self.best.length:
                    self.best = trial


def _families(rules: Iterable[Rule]) -> list[list[Rule]]:
    """Rules that differ in words and constants only: one of them alone may not pay."""
    families: dict[tuple[object, ...], dict[Left, Right]] = defaultdict(dict)
    for left, right in rules:
        form = tuple(token == symbols.VARIABLE for token in left), tuple(max(token, 0) for token in right)
        families[form].setdefault(left, right)
    return [list(family.items()) for family in families.values() if len(family) > 1]


def _sample(commands: Sequence[Command]) -> list[int]:
    """Commands by number: half of them the shortest, the rest at random."""
    order = sorted(range(len(commands)), key=lambda n: (len(commands[n]), commands[n]))
    half = SAMPLE // 2
    rest = order[half:]
    return order[:half] + sorted(random.Random(0).sample(rest, min(half, len(rest))))


def _thinned(shapes: list[Shape], most: int) -> list[Shape]:
    """At most so many shapes: half of them the shortest, the rest at random, in their order."""
    if len(shapes) <= most:
        return shapes
    rest: Collection[int] = range(most // 2, len(shapes))
    chosen = sorted(random.Random(0).sample(list(rest), most - most // 2))
    return shapes[: most // 2] + [shapes[n] for n in chosen]
