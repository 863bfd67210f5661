"""The search for the shortest description: which words are variables, and which rules are for parts.

The description has the tokens of the rules, the values of words that are guessed to be variables, and all
that stays unexplained. The search is hill climbing from the better of two starts: a move is kept if it
shortens the description.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lane.models import symbols
from lane.trainer.induction.brackets import Brackets
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.inducer import Rule, induce_rules
from lane.trainer.induction.inversion import inverted
from lane.trainer.induction.lexicon import Lexicon
from lane.trainer.induction.parts import part_rules
from lane.trainer.induction.ruleset import Left, Right, RuleSet
from lane.trainer.induction.shape import Command, Shape, shapes_of
from lane.trainer.induction.wordclass import word_classes

# Heuristic weights and bounds.
SAMPLE = 400  # commands that moves are judged by, half of them the shortest: every move parses them all
MOST_SHAPES = 600  # that the final rules are induced from: a bound on the last and largest induction
GUESS = 4  # tokens that a guessed variable costs beside its value: words in rules tell the Composer more
LOST = 2  # the cost of an unexplained token: a rule for a single command is cheaper than losing it
TORN = 4  # tokens that a rule costs which opens a bracket and does not close it, or the other way round
OFTEN = 10  # commands of one shape that count when it is lost: a cap on the weight of a frequent shape
GAIN = 8  # tokens that a rule for a part must save to be added: less is chance
KEEP = 4  # tokens that it must still save after later rules were added, or it is dropped
STEPS = 12_000_000  # of the whole search: some ten seconds where a language needs them all
PATIENT = 60_000_000  # of a search that goes on because something is unexplained: about a minute


@dataclass(frozen=True)
class Hypothesis:
    """A choice of variables and of rules for parts; with its grammar and length once it is tried."""

    variables: frozenset[int]
    values: Mapping[int, str] = field(default_factory=dict)  # of words, where other than the lexicon's
    parts: Mapping[Left, Right] = field(default_factory=dict)
    banned: frozenset[Rule] = frozenset()
    length: int = 0
    shapes: Sequence[Shape] = ()
    grammar: RuleSet = field(default_factory=lambda: RuleSet({}))
    lost: Sequence[Shape] = ()


class Descent:
    """Hill climbing over hypotheses."""

    def __init__(
        self,
        commands: Sequence[Command],
        outputs: Sequence[str],
        noisy: bool = False,
        brackets: Brackets | None = None,
    ) -> None:
        """`noisy`: many pairs may be wrong."""
        self.commands, self.outputs, self.noisy = commands, outputs, noisy
        self.brackets = brackets or Brackets()
        self.budget = Budget(STEPS)
        self.lexicon = Lexicon(commands, outputs, noisy)
        self.kinds = word_classes(commands, self.lexicon)
        self.sample = _sample(commands)
        self.known = {word for word in self.lexicon.alone if self.lexicon.is_free(word)}
        self.open_kinds = self._open_kinds()
        self.best = self._start()

    def run(self, steps: int = STEPS) -> Hypothesis:
        """The best hypothesis, with rules from all commands; run again, the search goes on from there."""
        self.budget = Budget(steps)
        self._toggle()
        while self._add_parts() and self._toggle() and not self.budget.is_over:
            pass
        self._ban()
        self.budget = Budget(STEPS)
        return self._tried(self.best, range(len(self.commands)), MOST_SHAPES)

    def lexicon_of(self, trial: Hypothesis) -> dict[int, str]:
        """The values of its variables."""
        return {word: trial.values.get(word, self.lexicon.value[word]) for word in sorted(trial.variables)}

    def _open_kinds(self) -> list[list[int]]:
        """The words that moves may change, most frequent kind first: those without an example of one word."""
        kinds = ([word for word in kind if word not in self.known] for kind in self.kinds)
        return sorted(
            filter(None, kinds), key=lambda kind: -sum(len(self.lexicon.where[word]) for word in kind)
        )

    def _start(self) -> Hypothesis:
        """The shortest of four starts.

        Variables are the kinds of which half are examples; or also every kind with different values. These
        are the lexicon's, or those of minimal pairs.
        """
        free = {word for word in self.lexicon.value if self.lexicon.is_free(word)}
        narrow, wide = set(self.known), set(self.known)
        for kind in self.kinds:
            if 2 * len(self.known.intersection(kind)) >= len(kind):
                narrow |= free.intersection(kind)
            if len({self.lexicon.value[word] for word in kind}) > 1:
                wide |= free.intersection(kind)
        contrasted = {
            word: value for kind in self.kinds for word, value in self.lexicon.contrasted(kind).items()
        }
        trials = [
            self._tried(Hypothesis(frozenset(words), values))
            for values in ({}, contrasted)[: 1 + bool(contrasted)]
            for words in (narrow, narrow | wide)
        ]
        return min(trials, key=lambda trial: trial.length)

    def _tried(
        self, trial: Hypothesis, sample: Iterable[int] | None = None, most: int | None = None
    ) -> Hypothesis:
        """The hypothesis with its grammar and its length, by the sample or by other commands."""
        numbers = self.sample if sample is None else list(sample)
        lexicon = self.lexicon_of(trial)
        commands, outputs = [self.commands[n] for n in numbers], [self.outputs[n] for n in numbers]
        shapes = shapes_of(commands, outputs, lexicon, self.noisy)
        if most is not None:
            shapes = _thinned(shapes, most)
        grammar, lost = induce_rules(shapes, trial.parts, trial.banned, self.budget)
        present = {word for n in numbers for word in self.commands[n]} - set(self.lexicon.alone)
        guessed = sum(GUESS + len(lexicon[word]) for word in present if word in lexicon)
        unexplained = sum(min(shape.commands, OFTEN) * _length(shape) for shape in lost)
        unexplained += sum(shape.spared * _length(shape) for shape in shapes)
        torn = sum(not self.brackets.balanced(right) for right in grammar.rules.values())
        length = grammar.size + guessed + LOST * unexplained + TORN * torn
        return replace(trial, length=length, shapes=shapes, grammar=grammar, lost=lost)

    def _toggle(self) -> bool:
        """Turn each kind from variables into words of rules, or back, where that pays."""
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
        """Add the rules that save most: by inversion if any pays, else guessed ones; singly, else by family.

        Inverted rules follow from others and may save little. `useless` collects the moves that did not pay.
        """
        best = self.best
        known = [rule for rule in inverted(best.grammar.rules) if self.brackets.balanced(rule[1])]
        for gain in (1, GAIN):
            rules = known
            if gain == GAIN:
                given = best.grammar, best.parts, best.lost
                rules = part_rules(best.shapes, *given, GAIN, self.brackets)
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


def _length(shape: Shape) -> int:
    """The tokens of one of its pairs."""
    return len(shape.tokens) + len(shape.outputs[0])


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
    chosen = sorted(random.Random(0).sample(range(most // 2, len(shapes)), most - most // 2))
    return shapes[: most // 2] + [shapes[n] for n in chosen]
