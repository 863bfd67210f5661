"""A tree grammar: which rules were observed under which; commands are sampled from it."""

import random
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from lane.models import symbols
from lane.models.model import Rollout
from lane.models.template import expand
from lane.trainer.derived import derived
from lane.trainer.slot import ANYWHERE, ROOT, ROOTS, Company, Place, Slot, Span

# Probability of taking what is new in a slot that has something new: a rare word would hardly be drawn.
NEW = 0.5
# Samples taken for each command asked for, before the grammar counts as exhausted: repeats are frequent
# where it generates hardly more than that.
EFFORT = 20


class Drawn(NamedTuple):
    """A command, its output, and whether a word or a rule stands where the derivations never had it."""

    words: list[int]
    output: list[int]
    placed: bool


@dataclass
class Room:
    """How much a sample may still write: `words` are used up on the way, `actions` bound each output."""

    words: int
    actions: int


class TreeGrammar:
    """Which rules were observed as arguments of which, over all derivations of some rollouts.

    `add` records, for each argument of each rule, the rules that fill it (its children). They depend on the
    rule and on its own place: `twice` may occur under `turn` with a direction only, and under `and` with
    whole phrases. `sample` expands from a random root downwards, and applies the rules' templates on the way
    back. In between a generalisation may add children that were not observed.
    """

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.template: dict[Span, list[int]] = {}
        # Dictionaries as ordered sets: sampling must not depend on hashes.
        self.children: defaultdict[Slot, dict[Span, None]] = defaultdict(dict)
        self.children_anywhere: defaultdict[Slot, dict[Span, None]] = defaultdict(dict)
        self.companies: defaultdict[tuple[Place, Span], dict[Company, None]] = defaultdict(dict)
        self.observed: set[tuple[Place, Span]] = set()
        self.new: defaultdict[Slot, dict[Span, None]] = defaultdict(dict)  # children in new places
        self.dependent: set[Span] = set()  # rules whose arguments are sampled for one company
        self.kind: dict[Span, Span] = {}  # the first rule of a rule's kind, which names the kind

    def add(self, rollout: Rollout) -> None:
        """Record the derivations of every row."""
        for steps, templates in derived(rollout):
            rules = {step.number: step.span for step in steps}
            place = {steps[-1].number: ROOT}
            self.record(ROOTS, steps[-1].span)
            # From the last step to the first: the place of a step is known before its arguments are met.
            for number, rule, parts in reversed(steps):
                self.template[rule] = templates[rule]
                children = [rules[part] for part in parts]
                company = tuple(len(child) > 1 for child in children)
                for argument, (part, child) in enumerate(zip(parts, children, strict=True)):
                    place[part] = Place(rule, argument)
                    self.observed.add((place[part], child))
                    # Whether the arguments are independent is known only at the end: both are recorded.
                    self.record(Slot(place[number], rule, (), argument), child)
                    self.record(Slot(place[number], rule, company, argument), child)

    def record(self, slot: Slot, child: Span) -> None:
        """A rule may stand in a slot."""
        self.children[slot][child] = None
        self.children_anywhere[slot._replace(place=ANYWHERE)][child] = None
        for place in (slot.place, ANYWHERE):
            self.companies[place, slot.rule][slot.company] = None

    def record_new(self, slot: Slot, child: Span) -> None:
        """A rule may stand in a slot, perhaps of an argument in which it was never observed."""
        self.record(slot, child)
        if (Place(slot.rule, slot.argument), child) not in self.observed:
            self.new[slot][child] = self.new[slot._replace(place=ANYWHERE)][child] = None

    def place(self, rule: Span, argument: int) -> Place:
        """An argument of a rule; rules of one kind share their places."""
        return Place(self.kind.get(rule, rule), argument)

    def sample(
        self, count: int, seed: int, most_words: int, most_actions: int, without: Collection[Span] = ()
    ) -> list[Drawn]:
        """Up to `count` distinct commands with their outputs; fewer where the grammar generates fewer."""
        rng = random.Random(seed)
        found: dict[Span, Drawn] = {}
        for _ in range(EFFORT * count):
            if len(found) == count:
                break
            drawn = self.draw(rng, Room(most_words, most_actions))
            if drawn is not None and tuple(drawn.words) not in without:
                found.setdefault(tuple(drawn.words), drawn)
        return list(found.values())

    def draw(self, rng: random.Random, room: Room) -> Drawn | None:
        """A random command and its output; None for one that grew too long, or without derivations."""
        roots = list(self.children[ROOTS])
        return self.expand(ROOT, rng.choice(roots), rng, room) if roots else None

    def expand(
        self, place: Place, rule: Span, rng: random.Random, room: Room, company: Company | None = None
    ) -> Drawn | None:
        """A random expression of a rule that stands in a place."""
        room.words -= len(rule)
        if room.words < 0:
            return None
        words: list[int] = []
        values: list[list[int]] = []
        placed = False
        if company is None:
            company = rng.choice(self._possible_companies(place, rule))
        for leaf in rule:
            if leaf != symbols.VARIABLE:
                words.append(leaf)
                continue
            room.words += 1  # the variable itself is not a word
            child = self._draw_child(Slot(place, rule, company, len(values)), rng)
            inner = self.expand(self.place(rule, len(values)), child, rng, room)
            if inner is None:
                return None
            placed |= inner.placed or (Place(rule, len(values)), child) not in self.observed
            words += inner.words
            values.append(inner.output)
        output = expand(self.template[rule], self.variables, values)
        return Drawn(words, output, placed) if len(output) <= room.actions else None

    def _draw_child(self, slot: Slot, rng: random.Random) -> Span:
        children = self.children.get(slot)
        if not children:
            # A rule that never occurred in this place takes what it takes elsewhere.
            slot = slot._replace(place=ANYWHERE)
            children = self.children_anywhere[slot]
        new = self.new.get(slot)
        return rng.choice(list(new if new and rng.random() < NEW else children))

    def _possible_companies(self, place: Place, rule: Span) -> list[Company]:
        """The companies in which a rule occurred there; where it never did, those it has elsewhere."""
        if rule not in self.dependent:
            return [()]
        return list(self.companies.get((place, rule)) or self.companies[ANYWHERE, rule])
