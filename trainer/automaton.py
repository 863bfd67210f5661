"""Reads off the derivations of the training pairs what a model has learned: which rule may stand where.

Observed places alone would be too few: a word that was met only alone (`jump`) may stand wherever words of
its kind stand, and a rule where rules of its kind stand, with the arguments that they take. And all that ever
stood in one place may stand for each other: `$x and $y` may take what it made, though no pair has three
parts. Narrower places refused held-out commands, and a false refusal is worse than nonsense that is
translated.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress

import torch

from lane.data.pair import Pair
from lane.models import symbols
from lane.models.learned import Learned, LearnedKind, LearnedRule, Step, variables_of
from lane.models.model import LaneModel
from lane.trainer.dataset import Dataset
from lane.trainer.derived import Derived, derived
from lane.trainer.learner import same_rows
from lane.trainer.likeness import alike
from lane.trainer.slot import ROOT, Place, Span

MADE = 1_000  # commands in a round: a rule that one in a hundred needs is hardly missed
ROUNDS = 4  # of commands made of what was learned; each may need rules that the next ones combine
Edges = frozenset[tuple[Span, Place]]  # of a derivation: which rule stands where


@torch.no_grad()
def read_off(model: LaneModel, dataset: Dataset, recombined: Dataset | None = None) -> Learned:
    """What the derivations of the examples show, and those of recombined commands, without wrong outputs.

    A model may derive a longer command by rules that no pair needed; if their output is that of the learned
    rules, they are learned too. In double precision, as in the exported files: the choices must be the same.
    """
    model, observed = model.double(), Observations()
    for derivation in _right_derivations(model, dataset):
        observed.add(derivation)
    for derivation in _right_derivations(model, recombined) if recombined is not None else ():
        observed.add_recombined(derivation)
    for number in range(ROUNDS):
        known = len(observed.templates)
        made = _commands(observed.closed(), observed.templates, model.solver.variables, dataset, number)
        for derivation in _right_derivations(model, made):
            observed.add_combined(derivation)
        if len(observed.templates) == known:
            break  # commands that combine all that was learned need no other rules
    return observed.closed()


def _right_derivations(model: LaneModel, dataset: Dataset) -> Iterator[Derived]:
    for index in dataset.chunks():
        gold = dataset.gold_of(index)
        rollout = model.rollout(dataset.words_of(index), None, gold.size(1))
        right = (rollout.values.status == symbols.OK) & same_rows(rollout.values.actions, gold)
        yield from compress(derived(rollout), right.tolist())


def _commands(
    learned: Learned, templates: Mapping[Span, list[int]], variables: int, dataset: Dataset, seed: int
) -> Dataset:
    """Commands that combine what was learned, with the outputs of the learned rules."""
    most_words, most_actions = 2 * dataset.words.size(1), 4 * dataset.gold.size(1)
    pairs = []
    for words, tree in learned.trees(MADE, seed, most_words).items():
        output = tree.output(templates, variables, most_actions)
        if output:
            command = tuple(dataset.source.word(word) for word in words)
            pairs.append(Pair(command, tuple(dataset.target.word(action) for action in output)))
    return dataset.like(pairs)


class Observations:
    """The distinct derivations, and how often the pairs use each rule."""

    def __init__(self) -> None:
        self.uses: Counter[Span] = Counter()
        self.derivations: set[Edges] = set()
        self.recombined: set[Edges] = set()
        self.combined: set[Edges] = set()
        self.templates: dict[Span, list[int]] = {}  # the right sides of all rules

    def add(self, derivation: Derived) -> None:
        """Record the derivation of a pair."""
        self.uses.update(step.span for step in derivation.steps)
        self.derivations.add(_edges(derivation.steps))
        self.templates |= derivation.templates

    def add_recombined(self, derivation: Derived) -> None:
        """Record the derivation of a command that was made of learned ones."""
        self.recombined.add(_edges(derivation.steps))
        self.templates |= derivation.templates

    def add_combined(self, derivation: Derived) -> None:
        """Record the derivation of a command that combines what was learned: the rules that are new in it.

        It tells no more about the other rules, which were combined because they are taken to be alike.
        """
        self.combined.add(_edges(derivation.steps))
        self.templates |= derivation.templates

    def closed(self) -> Learned:
        """The automaton, generalised over kinds."""
        places = _widened(_closed(self.derivations | self.recombined))
        places = _added(places, self.combined)
        return _numbered(sorted(places, key=lambda span: (len(span), span)), places, self.uses)


def _edges(steps: Sequence[Step]) -> Edges:
    spans = {step.number: step.span for step in steps}
    inner = {(spans[part], Place(step.span, slot)) for step in steps for slot, part in enumerate(step.parts)}
    return frozenset(inner | {(steps[-1].span, ROOT)})


def _closed(derivations: Iterable[Edges]) -> dict[Span, set[Place]]:
    """The places of each rule: its own, and those of its kind."""
    met: defaultdict[Span, set[Place]] = defaultdict(set)
    for edges in derivations:
        for rule, place in edges:
            met[rule].add(place)
    rules = sorted(met, key=lambda span: (len(span), span))
    rows = _alike_rules(rules, met)
    places = {rule: set(met[rule]) for rule in rules}
    for rule, others in rows.items():
        for other in others:
            places[rule] |= met[other]
    places |= _closed_words([rule for rule in rules if not variables_of(rule)], places)
    for of in places.values():
        of |= {Place(other, slot) for rule, slot in of for other in rows.get(rule, ())}
    return places


def _widened(places: Mapping[Span, set[Place]]) -> dict[Span, set[Place]]:
    """Rules that share a place share all, and so on."""
    rules_of: defaultdict[Place, list[Span]] = defaultdict(list)
    for rule, of in places.items():
        for place in of:
            rules_of[place].append(rule)
    wide: dict[Span, set[Place]] = {}
    for first in places:
        if first in wide:
            continue
        shared: set[Place] = set()
        wide[first], waiting = shared, [first]
        while waiting:
            for place in places[waiting.pop()] - shared:
                shared.add(place)
                new = [rule for rule in rules_of[place] if rule not in wide]
                wide |= dict.fromkeys(new, shared)
                waiting += new
    return wide


def _added(places: Mapping[Span, set[Place]], derivations: Iterable[Edges]) -> dict[Span, set[Place]]:
    """With the rules that only these derivations have, where they stand and with all that they take there.

    No two other rules come to share a place by that: then everything would soon be alike.
    """
    alike_to: defaultdict[int, list[Span]] = defaultdict(list)  # rules by the set of places that they share
    where: dict[Place, set[Place]] = {}
    for rule, shared in places.items():
        alike_to[id(shared)].append(rule)
        where |= dict.fromkeys(shared, shared)
    added: defaultdict[Span, set[Place]] = defaultdict(set)
    for rule, place in set[tuple[Span, Place]]().union(*derivations):
        if rule not in places:
            added[rule] |= where.get(place, {place})
        elif place.rule not in places and place != ROOT:
            for other in alike_to[id(places[rule])]:
                added[other].add(place)
    return {rule: places.get(rule, set()) | added[rule] for rule in {**places, **added}}


def _alike_rules(rules: Sequence[Span], places: Mapping[Span, set[Place]]) -> dict[Span, list[Span]]:
    """For each rule with variables, those of its shape that were met in nearly the same surroundings."""
    contexts: defaultdict[Span, set[object]] = defaultdict(set)
    for child in rules:
        contexts[child] |= places[child]
        for rule, slot in places[child]:
            # Nearly every rule takes nearly every word: which words tells nothing about its kind.
            contexts[rule].add((slot, child if variables_of(child) else "a word"))
    by_shape: defaultdict[tuple[bool, ...], list[Span]] = defaultdict(list)
    for rule in rules:
        if variables_of(rule):
            by_shape[tuple(leaf == symbols.VARIABLE for leaf in rule)].append(rule)
    return {
        rule: [other for other in group if other != rule and alike(contexts[rule], contexts[other])]
        for group in by_shape.values()
        for rule in group
    }


def _closed_words(words: Iterable[Span], places: Mapping[Span, set[Place]]) -> dict[Span, set[Place]]:
    """A rule without variables may stand where another stands that shares more than half of its places."""
    groups: defaultdict[frozenset[Place], list[Span]] = defaultdict(list)
    for word in words:
        groups[frozenset(places[word])].append(word)
    closed: dict[Span, set[Place]] = {}
    for own, members in groups.items():
        wider = set().union(*(other for other in groups if 2 * len(own & other) > len(own)))
        closed |= {word: set(wider) for word in members}
    return closed


def _numbered(rules: Sequence[Span], places: Mapping[Span, set[Place]], uses: Mapping[Span, int]) -> Learned:
    """Rules that stand in the same places and take the same arguments get one number."""
    children: defaultdict[Place, set[Span]] = defaultdict(set)
    for rule in rules:
        for place in places[rule]:
            children[place].add(rule)
    numbers: dict[object, int] = {}
    kind_of: dict[Span, int] = {}
    for rule in rules:
        takes = tuple(frozenset(children[Place(rule, slot)]) for slot in range(variables_of(rule)))
        kind_of[rule] = numbers.setdefault((frozenset(places[rule]), takes), len(numbers) + 1)
    first = {kind: rule for rule, kind in reversed(kind_of.items())}
    kinds = []
    for kind in sorted(first):
        rule = first[kind]
        slots = [
            tuple(sorted({kind_of[child] for child in children[Place(rule, slot)]}))
            for slot in range(variables_of(rule))
        ]
        kinds.append(LearnedKind(ROOT in places[rule], tuple(slots)))
    return Learned({rule: LearnedRule(kind_of[rule], uses[rule]) for rule in rules}, tuple(kinds))
