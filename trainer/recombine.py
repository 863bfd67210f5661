"""New commands made from a model's own derivations, with the outputs that its rules give them.

Two sub-expressions with the same outermost rule are interchangeable: if `walk twice` was observed under
`and`, `jump around left twice` can stand there too. Which rule was observed under which is a small tree
grammar; sampling from it gives unlabelled commands on which a model is compared with itself and others.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from lane.data.pair import Pair
from lane.models import symbols
from lane.models.model import Rollout
from lane.models.template import expand
from lane.trainer.dataset import Dataset
from lane.trainer.induction.reading import Reading
from lane.trainer.learner import Learner

Span = tuple[int, ...]  # the SrcExp of a rule, which names the rule
Company = tuple[bool, ...]  # which arguments of a rule are phrases; () for a rule with independent arguments
Drawn = tuple[list[int], list[int]]  # a command and its output
Neighbours = Mapping[int, set[tuple[int, int]]]  # of words: what stands before and behind them
Known = Callable[[Span], Span | None]  # the output of a command, if the pairs tell it

# Jaccard similarity from which rules are of one kind. Small data shows no rule in all its contexts, so that
# equality would be too much to ask; rules of different kinds share less than half.
ALIKE = 0.6
# Samples that test a new combination: one that contradicts a training pair in a fifth of its samples
# escapes with a probability of 0.8 ** 20, about 1%.
TRIALS = 20
# Samples taken for each command asked for, before the grammar counts as exhausted: repeats are frequent
# where it generates hardly more than that.
EFFORT = 20


class Place(NamedTuple):
    """Where a rule stands: under which rule, as which of its arguments."""

    rule: Span
    argument: int


class Slot(NamedTuple):
    """An argument of a rule that itself stands in a place."""

    place: Place
    rule: Span
    company: Company
    argument: int


ROOT = Place((), 0)
ANYWHERE = Place((), -1)
ROOTS = Slot(ROOT, (), (), 0)  # what stands at the root of a derivation


@dataclass
class Room:
    """How much a sample may still write: `words` are used up on the way, `actions` bound each output."""

    words: int
    actions: int


class TreeGrammar:
    """Which rules were observed as arguments of which, over all derivations of some rollouts.

    1. `add` records, for each argument of each rule, the rules that fill it (its children). They depend on
       the rule and on its own place: `twice` may occur under `turn` with a direction only, and under `and`
       with whole phrases.
    2. `close` generalises. Most rules have independent arguments, which are sampled apart. A rule is
       *dependent* if an argument takes disjoint sets of children beside words and beside phrases (`$x $y`
       for `walk left` and for the rest of `jump after walk`, but never for `walk jump`): its arguments
       are sampled for one company. Rules of one shape with nearly the same parents and children (`$x twice`,
       `$x thrice`) are one *kind*: each may stand where any of them stood, and take what any of them took
       there, unless sampling that combination contradicts a training pair.
    3. `sample` expands from a random root downwards, and applies the rules' templates on the way back.
    """

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.template: dict[Span, list[int]] = {}
        # Dictionaries as ordered sets: sampling must not depend on hashes.
        self._children: defaultdict[Slot, dict[Span, None]] = defaultdict(dict)
        self._children_anywhere: defaultdict[Slot, dict[Span, None]] = defaultdict(dict)
        self._companies: defaultdict[tuple[Place, Span], dict[Company, None]] = defaultdict(dict)
        self._dependent: set[Span] = set()
        self._kind: dict[Span, Span] = {}  # the first rule of a rule's kind, which names the kind

    def add(self, rollout: Rollout) -> None:
        """Record the derivations of every row."""
        nodes, derivations = rollout.derivations.nodes, rollout.derivations
        leaves = [tuple(leaf for leaf in row if leaf != symbols.NONE) for row in nodes.leaves.tolist()]
        templates = rollout.translations.template.tolist()
        rows = zip(
            derivations.node.tolist(),
            derivations.arguments.tolist(),
            rollout.solution.tolist(),
            derivations.root.tolist(),
            strict=True,
        )
        for node, arguments, solution, root in rows:
            place = {root: ROOT}
            self._record(ROOTS, leaves[node[root]])
            # From the last step to the first: the place of a step is known before its arguments are met.
            for step in range(root, -1, -1):
                if node[step] == symbols.NONE:
                    continue
                rule = leaves[node[step]]
                self.template[rule] = [t for t in templates[solution[step]] if t != symbols.END]
                taken = [argument for argument in arguments[step] if argument != symbols.NONE]
                children = [leaves[node[argument]] for argument in taken]
                company = tuple(len(child) > 1 for child in children)
                for number, (argument, child) in enumerate(zip(taken, children, strict=True)):
                    place[argument] = Place(rule, number)
                    # Whether the arguments are independent is known only at the end: both are recorded.
                    self._record(Slot(place[step], rule, (), number), child)
                    self._record(Slot(place[step], rule, company, number), child)

    def _record(self, slot: Slot, child: Span) -> None:
        self._children[slot][child] = None
        self._children_anywhere[slot._replace(place=ANYWHERE)][child] = None
        for place in (slot.place, ANYWHERE):
            self._companies[place, slot.rule][slot.company] = None

    def close(self, known: Known, seed: int, neighbours: Neighbours | None = None) -> None:
        """Generalise over rules of one kind, as far as no known command gets another output.

        `neighbours` are those of words, where a reading of the pairs knows them.
        """
        rng = random.Random(seed)
        self._dependent = self._find_dependent()
        kinds = self._find_kinds(neighbours or {})
        self._kind = {rule: kind[0] for kind in kinds for rule in kind}
        self._merge_places()
        for kind in kinds:
            for slot, children in list(self._children.items()):
                if any(rule in children for rule in kind):
                    self._extend(slot, kind, known, rng)
            seen = dict.fromkeys((slot.place, slot.company) for slot in self._children if slot.rule in kind)
            for place, company in seen:
                # A rule that never occurred in this company cannot take more in it.
                members = [rule for rule in kind if company in self._companies[ANYWHERE, rule]]
                for argument in range(kind[0].count(symbols.VARIABLE)):
                    slots = [Slot(place, rule, company, argument) for rule in members]
                    union = {child: None for slot in slots for child in self._children[slot]}
                    for slot in slots:
                        self._extend(slot, union, known, rng)

    def _merge_places(self) -> None:
        """Record everything anew: kinds share their places, and companies count for dependent rules only."""
        recorded = dict(self._children)
        for table in (self._children, self._children_anywhere, self._companies):
            table.clear()
        for slot, children in recorded.items():
            if bool(slot.company) == (slot.rule in self._dependent):
                for child in children:
                    self._record(slot._replace(place=self._place(*slot.place)), child)

    def _place(self, rule: Span, argument: int) -> Place:
        """An argument of a rule; rules of one kind share their places."""
        return Place(self._kind.get(rule, rule), argument)

    def _find_dependent(self) -> set[Span]:
        """Rules of two arguments, one of which takes other children beside a phrase than beside a word."""
        beside: defaultdict[tuple[Slot, bool], set[Span]] = defaultdict(set)
        for slot, children in self._children_anywhere.items():
            if len(slot.company) == 2:
                # A word is compared with words, a phrase with phrases.
                own, other = slot.company[slot.argument], slot.company[1 - slot.argument]
                beside[slot._replace(company=(own,)), other].update(children)
        dependent = set()
        for slot in {slot for slot, _ in beside}:
            word, phrase = beside[slot, False], beside[slot, True]
            # A single child shows no pattern.
            if min(len(word), len(phrase)) > 1 and not word & phrase:
                dependent.add(slot.rule)
        return dependent

    def _find_kinds(self, neighbours: Neighbours) -> list[list[Span]]:
        """Kinds of more than one rule, among the rules that have both words and variables."""
        contexts: defaultdict[Span, set[object]] = defaultdict(set)
        for slot, children in self._children_anywhere.items():
            for child in children:
                contexts[child].add((slot.rule, slot.argument))
                # Nearly every rule takes nearly every word: which words tells nothing about its kind.
                contexts[slot.rule].add((slot.argument, child if len(child) > 1 else "a word"))
        kinds: list[list[Span]] = []
        for rule in self.template:
            if len(rule) == 1 or symbols.VARIABLE not in rule:
                continue
            for kind in kinds:
                if _shape(kind[0]) != _shape(rule):
                    continue
                if _alike(contexts[kind[0]], contexts[rule]) or _same_neighbours(kind[0], rule, neighbours):
                    kind.append(rule)
                    break
            else:
                kinds.append([rule])
        return [kind for kind in kinds if len(kind) > 1]

    def _extend(self, slot: Slot, children: Iterable[Span], known: Known, rng: random.Random) -> None:
        for child in children:
            if child not in self._children[slot] and not self._contradicts(slot, child, known, rng):
                self._record(slot, child)

    def _contradicts(self, slot: Slot, child: Span, known: Known, rng: random.Random) -> bool:
        """Whether some sample with `child` in the slot is a known command with another output."""
        if slot == ROOTS:
            return False  # every rule's own expressions are checked in the slots below it
        kept = self._children[slot]
        self._children[slot] = {child: None}
        # Short ones, since long commands are rarely known; their outputs fit easily into 1000 actions.
        drawn = [
            self._expand(slot.place, slot.rule, rng, Room(words=20, actions=1000), slot.company)
            for _ in range(TRIALS)
        ]
        self._children[slot] = kept
        outputs = [(tuple(words), tuple(output)) for words, output in filter(None, drawn)]
        return any(known(words) not in (None, output) for words, output in outputs)

    def sample(self, count: int, seed: int, most_words: int, most_actions: int) -> list[Drawn]:
        """Up to `count` distinct commands with their outputs; fewer where the grammar generates fewer."""
        rng = random.Random(seed)
        found: dict[Span, Drawn] = {}
        for _ in range(EFFORT * count):
            if len(found) == count:
                break
            drawn = self.draw(rng, Room(most_words, most_actions))
            if drawn is not None:
                found.setdefault(tuple(drawn[0]), drawn)
        return list(found.values())

    def draw(self, rng: random.Random, room: Room) -> Drawn | None:
        """A random command and its output; None for one that grew too long, or without derivations."""
        roots = list(self._children[ROOTS])
        return self._expand(ROOT, rng.choice(roots), rng, room) if roots else None

    def _expand(
        self, place: Place, rule: Span, rng: random.Random, room: Room, company: Company | None = None
    ) -> Drawn | None:
        room.words -= len(rule)
        if room.words < 0:
            return None
        words: list[int] = []
        values: list[list[int]] = []
        if company is None:
            company = rng.choice(self._possible_companies(place, rule))
        for leaf in rule:
            if leaf != symbols.VARIABLE:
                words.append(leaf)
                continue
            room.words += 1  # the variable itself is not a word
            slot = Slot(place, rule, company, len(values))
            # A rule that never occurred in this place takes what it takes elsewhere.
            children = self._children.get(slot) or self._children_anywhere[slot._replace(place=ANYWHERE)]
            child = rng.choice(list(children))
            inner = self._expand(self._place(rule, slot.argument), child, rng, room)
            if inner is None:
                return None
            words += inner[0]
            values.append(inner[1])
        output = expand(self.template[rule], self.variables, values)
        return (words, output) if len(output) <= room.actions else None

    def _possible_companies(self, place: Place, rule: Span) -> list[Company]:
        """The companies in which a rule occurred there; where it never did, those it has elsewhere."""
        if rule not in self._dependent:
            return [()]
        return list(self._companies.get((place, rule)) or self._companies[ANYWHERE, rule])


def _shape(rule: Span) -> tuple[bool, ...]:
    return tuple(leaf == symbols.VARIABLE for leaf in rule)


def _alike(one: Set[object], other: Set[object]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)


def _same_neighbours(one: Span, other: Span, neighbours: Neighbours) -> bool:
    """Whether the words of two rules of one argument have nearly the same neighbours in the pairs.

    A model may derive `turn left twice` and `turn left thrice` in different orders with the same output, and
    so hide that the rules are of one kind. Words between two arguments tell too little: all have arguments.
    """
    words = [(a, b) for a, b in zip(one, other, strict=True) if a != symbols.VARIABLE]
    unary = len(one) - len(words) == 1
    return unary and all(
        a in neighbours and b in neighbours and _alike(neighbours[a], neighbours[b]) for a, b in words
    )


def grammar_of(
    learner: Learner, dataset: Dataset, index: Tensor, reading: Reading | None = None
) -> TreeGrammar:
    """The closed tree grammar of the correct greedy derivations among some examples."""
    grammar = TreeGrammar(learner.model.solver.variables)
    for part in dataset.chunks(index):
        evaluation = learner.evaluate(dataset, part)
        right = part[evaluation.right]
        if len(right) > 0:
            grammar.add(learner.evaluate(dataset, right).rollout)
    # By shape, where a reading knows it: a few examples then speak for all commands of their shapes.
    if reading is None:
        grammar.close(dataset.known().get, seed=0)
    else:
        grammar.close(reading.output, 0, reading.company)
    return grammar


def recombined(
    grammar: TreeGrammar, dataset: Dataset, count: int, seed: int, reading: Reading | None = None
) -> Dataset:
    """New commands up to twice as long as the longest example, as pairs.

    Twice, so that what fits the pairs by length alone is exposed; their outputs may grow faster.
    """
    source, target = dataset.source, dataset.target
    most_words, most_actions = 2 * dataset.words.size(1), 4 * dataset.gold.size(1)
    pairs = [
        Pair(tuple(source.word(w) for w in words), tuple(target.word(a) for a in actions))
        for words, actions in grammar.sample(count, seed, most_words, most_actions)
        if reading is None or reading.output(tuple(words)) in (None, tuple(actions))
    ]
    return dataset.like(pairs)
