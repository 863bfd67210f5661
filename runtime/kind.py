"""Kinds: which rules may stand in which places, as a program lists them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lane.base.rule import VARIABLE, Rule
from lane.runtime.errors import ProgramError

Plain = tuple[str, ...]  # a span with every variable as `$`


class RuleKind(NamedTuple):
    """Rules that stand in the same places and take the same arguments; kinds are numbered from 1."""

    root: bool
    """Whether they may translate a whole command."""
    slots: tuple[tuple[int, ...], ...]
    """For each variable, the kinds of the rules that may give its value, ascending."""
    spans: tuple[tuple[str, ...], ...]
    """Their spans, in the order of the rules."""


def check_kinds(kinds: Sequence[RuleKind], rule_of: Mapping[Plain, Rule]) -> dict[Plain, int]:
    """The kind of each learned rule, by its span with every variable as `$`; ProgramError if malformed."""
    plain_of = {rule.span: (place, plain) for place, (plain, rule) in enumerate(rule_of.items())}
    kind_of: dict[Plain, int] = {}
    numbers = set(range(1, len(kinds) + 1))
    first = -1
    for number, (_, slots, spans) in enumerate(kinds, start=1):
        here = f"kinds[{number - 1}]"
        unknown = [span for span in spans if span not in plain_of]
        if unknown or not spans:
            raise ProgramError(here, f"no rule for {' '.join(unknown[0])!r}" if unknown else "has no spans")
        places = [plain_of[span][0] for span in spans]
        if places != sorted(set(places)) or places[0] <= first:
            raise ProgramError(here, "is out of order or repeats a span")
        first = places[0]
        for span in spans:
            plain = plain_of[span][1]
            if plain in kind_of or plain.count(VARIABLE) != len(slots):
                raise ProgramError(
                    here, f"{' '.join(span)!r} is in two kinds, or has not one slot a variable"
                )
            kind_of[plain] = number
        for slot in slots:
            if list(slot) != sorted(set(slot)) or not set(slot) <= numbers:
                raise ProgramError(here, "a slot is out of order, or names a kind that does not exist")
    return kind_of
