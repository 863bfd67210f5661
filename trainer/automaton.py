"""Reads off the derivations of the training pairs what a model has learned: which rule may stand where.

Observed places alone would be too few: a word that was met only alone (`jump`) may stand wherever words of
its kind stand, and a rule where rules of its kind stand, with the arguments that they take. All that ever
stood in one place might stand for each other, and few pairs do not say otherwise: a language of twenty pairs
shows hardly any rule under itself. But where many pairs never show it, though they would have if it could
be, the absence tells, and the place is refused (`expectation.py`).
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
from lane.trainer.expectation import Edges, Expectation
from lane.trainer.learner import same_rows
from lane.trainer.likeness import alike
from lane.trainer.slot import ROOT, Place, Span

MADE = 1_000  # commands in a round: a rule that one in a hundred needs is hardly missed
ROUNDS = 4  # of commands made of what was learned; each may need rules that the next ones combine


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
    """How often each derivation was observed, and how often the pairs use each rule."""

    def __init__(self) -> None:
        self.uses: Counter[Span] = Counter()
        self.derivations: Counter[Edges] = Counter()  # of the pairs
        self.recombined: set[Edges] = set()
        self.combined: set[Edges] = set()
        self.templates: dict[Span, list[int]] = {}  # the right sides of all rules

    def add(self, derivation: Derived) -> None:
        """Record the derivation of a pair."""
        self.uses.update(step.span for step in derivation.steps)
        self.derivations[_edges(derivation.steps)] += 1
        self.templates |= derivation.templates

    def add_recombined(self, derivation: Derived) -> None:
        """Record the derivation of a command that was made of derivations of the pairs."""
        self.recombined.add(_edges(derivation.steps))
        self.templates |= derivation.templates

    def add_combined(self, derivation: Derived) -> None:
        """Record the derivation of a command that combines what was learned.

        It says nothing of which rules are alike: they were combined because they are taken to be.
        """
        self.combined.add(_edges(derivation.steps))
        self.templates |= derivation.templates

    def closed(self) -> Learned:
        """The automaton, generalised over kinds as far as the pairs leave room for it."""
        known = self.derivations.keys() | self.recombined
        met, possible = _met(known), _widened(_closed(known))
        expected = Expectation(self.derivations, met, possible)
        places = {
            rule: own | {place for place in possible[rule] - own if expected.leaves_open(rule, place)}
            for rule, own in met.items()
        }
        _add_commands(places, met)
        _add_rules(places, _met(self.combined))
        return _numbered(sorted(places, key=lambda span: (len(span), span)), places, self.uses)


def _edges(steps: Sequence[Step]) -> Edges:
    spans = {step.number: step.span for step in steps}
    inner = {(spans[part], Place(step.span, slot)) for step in steps for slot, part in enumerate(step.parts)}
    return frozenset(inner | {(steps[-1].span, ROOT)})


def _met(derivations: Iterable[Edges]) -> dict[Span, set[Place]]:
    """Where each rule was met."""
    met: defaultdict[Span, set[Place]] = defaultdict(set)
    for rule, place in set[tuple[Span, Place]]().union(*derivations):
        met[rule].add(place)
    return dict(met)


def _closed(derivations: Iterable[Edges]) -> dict[Span, set[Place]]:
    """The places of each rule: its own, and those of its kind."""
    met = _met(derivations)
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


def _add_commands(places: Mapping[Span, set[Place]], met: Mapping[Span, set[Place]]) -> None:
    """Whatever may stand wherever some whole command was met, besides alone, may be a whole command.

    The pairs may have no command of a single word, for one.
    """
    of_commands = {frozenset(own - {ROOT}) for own in met.values() if ROOT in own}
    telling = [own for own in of_commands if len(own) > 1]  # one place is shared by chance
    for own in places.values():
        if any(each <= own for each in telling):
            own.add(ROOT)


def _add_rules(places: dict[Span, set[Place]], combined: Mapping[Span, set[Place]]) -> None:
    """Rules that only combinations need: where they were met, with what they took there and the like of it.

    What may stand wherever another rule may is taken as well as that; and a place that takes all that another
    takes, takes the new rule too.
    """
    known, takes = dict(places), _takes(places)
    new: defaultdict[Span, set[Place]] = defaultdict(set)
    for rule, met in combined.items():
        if rule not in known:
            new[rule] |= met
        elif own := {place for place in met if place.rule not in known and place != ROOT}:
            for other, of_other in known.items():
                if known[rule] <= of_other:
                    new[other] |= own
    for rule, own in new.items():
        if rule not in known:
            old = [takes[place] for place in own if place in takes]
            own |= {place for place, taken in takes.items() if any(each <= taken for each in old)}
        places[rule] = known.get(rule, set()) | own


def _takes(places: Mapping[Span, set[Place]]) -> dict[Place, set[Span]]:
    """The rules that each place takes."""
    takes: defaultdict[Place, set[Span]] = defaultdict(set)
    for rule, own in places.items():
        for place in own:
            takes[place].add(rule)
    return takes


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
    children = _takes(places)
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
