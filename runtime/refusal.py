"""Whether a derivation stays within what was learned; and if not, where it leaves it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lane.base.rule import SOURCE_NAMES, name_variables
from lane.runtime import errors
from lane.runtime.composer import Composition
from lane.runtime.kind import RuleKind
from lane.runtime.program_tables import Tables
from lane.runtime.results import COUNTED, Failure

UNKNOWN = 0  # the kind of a rule that no training pair needed
_SHOWN = 3  # learned alternatives in a message, which is one line
_MOST_WORDS = 8  # of a command quoted in a message


class Stray(NamedTuple):
    """A place where a derivation leaves what was learned."""

    value: int
    """The value at fault: i < n is word i, n + k is reduction k."""
    taker: int | None = None
    """The value whose rule takes it in a variable where its kind was never met."""
    slot: int = 0
    """Which variable of that rule has the value."""
    is_root: bool = False
    """Its kind was never met as a whole command. Without this and a taker, its own rule was not learned."""


def departures(
    tables: Tables, kinds: Sequence[RuleKind], composition: Composition, of_words: Sequence[int]
) -> Iterator[Stray]:
    """All departures of a derivation, in its order; `of_words` has the kinds of the recognised words.

    A word that is no variable has UNKNOWN there, and no reduction reads it.
    """
    kind_of, spans = tables.kind_of, tables.spans
    found = list(of_words)
    value = len(found) - 1
    for value, (node, _, _, reads) in enumerate(composition.reductions, start=len(found)):
        kind = kind_of.get(spans[node], UNKNOWN)
        found.append(kind)
        if kind == UNKNOWN:
            yield Stray(value)
            continue
        for slot, (read, allowed) in enumerate(zip(reads, kinds[kind - 1].slots, strict=True)):
            # An unknown reduction was reported at its own place.
            if found[read] not in allowed and (found[read] != UNKNOWN or read < len(of_words)):
                yield Stray(read, value, slot)
    if found[value] == UNKNOWN:
        if value < len(of_words):
            yield Stray(value)
    elif not kinds[found[value] - 1].root:
        yield Stray(value, is_root=True)


def not_learned(
    tables: Tables,
    kinds: Sequence[RuleKind],
    composition: Composition,
    words: Sequence[str],
    departure: Stray,
    positions: Sequence[int] = COUNTED,
) -> Failure:
    """The failure of a command whose derivation left what was learned; `words` are as they were typed."""
    value, taker, slot, is_root = departure
    span: tuple[str, ...]
    if value < len(words):
        start, stop, span = value, value + 1, (words[value],)
    else:
        node, start, stop, _ = composition.reductions[value - len(words)]
        span = tables.spans[node]
    first, last = positions[start], positions[stop - 1]
    where = f"word {first}" if stop == start + 1 else f"words {first} to {last}"
    part = f"{_quoted(words[start:stop])} ({where})"
    if is_root:
        near = [member.spans[0] for member in kinds if member.root]
        problem = f"{part} as a whole command; learned as such: {_listed(near)}"
    elif taker is None:
        near = [_nearest(span, [member for each in kinds for member in each.spans])]
        rule = _quoted(name_variables(span))
        problem = f"{part}: no training pair needed a rule for {rule}; the nearest one: {_listed(near)}"
    else:
        taking = tables.spans[composition.reductions[taker - len(words)].node]
        near = [kinds[number - 1].spans[0] for number in kinds[tables.kind_of[taking] - 1].slots[slot]]
        of = _quoted(name_variables(taking))
        problem = f"{part} as {SOURCE_NAMES[slot]} of {of}; learned there: {_listed(near)}"
    nearest = " ".join(near[0]) if near else None
    return Failure(errors.NOT_LEARNED, f"not learned: {problem}", words[start], first, nearest)


def _nearest(span: Sequence[str], learned: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The learned span that shares most tokens with `span`; of equals the one of nearest length."""
    own = Counter(name_variables(span))
    return min(
        learned,
        key=lambda other: (-sum((own & Counter(other)).values()), abs(len(other) - len(span))),
        default=(),
    )


def _quoted(words: Sequence[str]) -> str:
    more = " ..." if len(words) > _MOST_WORDS else ""
    return repr(" ".join(words[:_MOST_WORDS]) + more)


def _listed(spans: Sequence[tuple[str, ...]]) -> str:
    more = ", ..." if len(spans) > _SHOWN else ""
    return ", ".join(repr(" ".join(span)) for span in spans[:_SHOWN]) + more
