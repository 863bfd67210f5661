"""Slots: where the rules of derivations stand."""

from typing import NamedTuple

Span = tuple[int, ...]  # the SrcExp of a rule, which names the rule
Company = tuple[bool, ...]  # which arguments of a rule are phrases; () for a rule with independent arguments


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
