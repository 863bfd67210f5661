"""Likeness: rules that stand for each other, words that do, and rules whose arguments depend on each other.

All of it is read off the slots of derivations: which rules were observed in which arguments of which rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from lane.models import symbols
from lane.trainer.slot import ANYWHERE, ROOTS, Slot, Span

Neighbours = Mapping[int, set[tuple[int, int]]]  # of words: what stands before and behind them
Children = Mapping[Slot, Iterable[Span]]  # the rules observed in each slot, wherever its rule stood

# Jaccard similarity from which rules are of one kind. Small data shows no rule in all its contexts, so that
# equality would be too much to ask; rules of different kinds share less than half.
ALIKE = 0.6


class WordKind(NamedTuple):
    """Words observed in nearly the same places, and words observed in some of these and no others."""

    members: list[Span]
    joining: list[Span]


def alike(one: Set[object], other: Set[object]) -> bool:
    """Whether two sets of contexts are those of one kind."""
    return len(one & other) >= ALIKE * len(one | other)


def find_dependent(children: Children) -> set[Span]:
    """Rules of two arguments, one of which takes other children beside a phrase than beside a word."""
    beside: defaultdict[tuple[Slot, bool], set[Span]] = defaultdict(set)
    for slot, observed in children.items():
        if len(slot.company) == 2:
            # A word is compared with words, a phrase with phrases.
            own, other = slot.company[slot.argument], slot.company[1 - slot.argument]
            beside[slot._replace(company=(own,)), other].update(observed)
    dependent = set()
    for slot in {slot for slot, _ in beside}:
        word, phrase = beside[slot, False], beside[slot, True]
        # A single child shows no pattern.
        if min(len(word), len(phrase)) > 1 and not word & phrase:
            dependent.add(slot.rule)
    return dependent


def find_rule_kinds(rules: Iterable[Span], children: Children, neighbours: Neighbours) -> list[list[Span]]:
    """Kinds of more than one rule, among the rules that have both words and variables."""
    contexts: defaultdict[Span, set[object]] = defaultdict(set)
    for slot, observed in children.items():
        for child in observed:
            contexts[child].add((slot.rule, slot.argument))
            # Nearly every rule takes nearly every word: which words tells nothing about its kind.
            contexts[slot.rule].add((slot.argument, child if len(child) > 1 else "a word"))
    kinds: list[list[Span]] = []
    for rule in rules:
        if len(rule) == 1 or symbols.VARIABLE not in rule:
            continue
        for kind in kinds:
            if _shape(kind[0]) != _shape(rule):
                continue
            if alike(contexts[kind[0]], contexts[rule]) or _same_neighbours(kind[0], rule, neighbours):
                kind.append(rule)
                break
        else:
            kinds.append([rule])
    return [kind for kind in kinds if len(kind) > 1]


def _shape(rule: Span) -> tuple[bool, ...]:
    return tuple(leaf == symbols.VARIABLE for leaf in rule)


def _same_neighbours(one: Span, other: Span, neighbours: Neighbours) -> bool:
    """Whether the words of two rules of one argument have nearly the same neighbours in the pairs.

    A model may derive `turn left twice` and `turn left thrice` in different orders with the same output, and
    so hide that the rules are of one kind. Words between two arguments tell too little: all have arguments.
    """
    words = [(a, b) for a, b in zip(one, other, strict=True) if a != symbols.VARIABLE]
    unary = len(one) - len(words) == 1
    return unary and all(
        a in neighbours and b in neighbours and alike(neighbours[a], neighbours[b]) for a, b in words
    )


def find_word_kinds(children: Children) -> list[WordKind]:
    """Kinds of words by their places. A word observed in fewer joins the only kind observed in all of
    these; a word observed only alone joins every kind that has commands of one word.
    """
    places: defaultdict[Span, set[object]] = defaultdict(set)
    for slot, observed in children.items():
        for child in observed:
            if len(child) == 1:
                places[child].add(slot._replace(place=ANYWHERE))
    kinds: list[WordKind] = []
    # The best known first: they are the measure for the others.
    for word in sorted(places, key=lambda word: -len(places[word])):
        of_kind = [kind for kind in kinds if alike(places[kind.members[0]], places[word])]
        if of_kind:
            of_kind[0].members.append(word)
        else:
            kinds.append(WordKind([word], []))
    for kind in kinds:
        own = set[object]().union(*(places[word] for word in kind.members))
        wider = [other for other in kinds if other is not kind and own < places[other.members[0]]]
        if len(wider) == 1 or own == {ROOTS._replace(place=ANYWHERE)}:
            for other in wider:
                other.joining.extend(kind.members)
    return [kind for kind in kinds if len(kind.members) + len(kind.joining) > 1]
