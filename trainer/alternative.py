"""Alternatives: other right sides that write the same outputs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lane.models import symbols
from lane.trainer.forest import Instance, Joint, Output, Template
from lane.trainer.slot import Span

# Occurrences that a search looks at; what writes four that differ hardly ever fails for a fifth.
LOOKED_AT = 4
MOST_STEPS = 20_000  # of one search; without a bound, outputs of one repeated action take exponential time


class Split(NamedTuple):
    """A rule as two: one of them stands inside the other."""

    outer: Span
    outer_template: Template
    inner: Span
    inner_template: Template


def right_sides(
    occurrences: Sequence[Instance], variables: int, longest: int, alternative_to: Template
) -> list[Template]:
    """All right sides of at most `longest` tokens that write the occurrences and use every variable.

    Those with the fewest constants first. `variables` is the number from which on a token is an action.
    """
    shown = _different(occurrences)
    count = len(shown[0].arguments)
    found: list[Template] = []
    waiting: list[tuple[tuple[int, ...], Template]] = [((0,) * len(shown), ())]
    steps = 0
    while waiting and steps < MOST_STEPS:
        places, right = waiting.pop()
        steps += 1
        if all(place == len(one.value) for place, one in zip(places, shown, strict=True)):
            used = {token for token in right if token <= variables}
            if len(used) == count and right != alternative_to:
                found.append(right)
            continue
        if len(right) < longest:
            waiting += [(reached, (*right, token)) for token, reached in _next(places, shown, variables)]
    kept = [right for right in found if all(_writes(right, variables, one) for one in occurrences)]
    return sorted(kept, key=lambda right: (sum(token > variables for token in right), len(right), right))


def _different(occurrences: Sequence[Instance]) -> list[Instance]:
    """A few occurrences, each with arguments that the others do not have; short ones first."""
    ordered = sorted(occurrences, key=lambda one: (len(one.value), one))
    chosen: list[Instance] = []
    for one in ordered:
        fresh = all(
            all(a != b for a, b in zip(one.arguments, other.arguments, strict=True)) for other in chosen
        )
        if fresh and len(chosen) < LOOKED_AT:
            chosen.append(one)
    return chosen


def _next(
    places: tuple[int, ...], shown: Sequence[Instance], variables: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The tokens that go on writing all outputs, and the places reached."""
    for number in range(len(shown[0].arguments)):
        values = [one.arguments[number] for one in shown]
        reached = tuple(place + len(value) for place, value in zip(places, values, strict=True))
        if reached != places and all(
            one.value[place:end] == value
            for one, place, end, value in zip(shown, places, reached, values, strict=True)
        ):
            yield number + 1, reached
    if all(place < len(one.value) for place, one in zip(places, shown, strict=True)):
        actions = {one.value[place] for place, one in zip(places, shown, strict=True)}
        if len(actions) == 1:
            yield variables + actions.pop(), tuple(place + 1 for place in places)


def _writes(right: Template, variables: int, one: Instance) -> bool:
    written: list[int] = []
    for token in right:
        written += one.arguments[token - 1] if token <= variables else [token - variables]
    return tuple(written) == one.value


def joined(joint: Joint, outer: Template, inner: Template, variables: int) -> tuple[Span, Template]:
    """The left and the right side of an expression of two rules, as one rule."""
    (rule, argument), taken = joint.place, joint.inner.count(symbols.VARIABLE)
    slots = [place for place, leaf in enumerate(rule) if leaf == symbols.VARIABLE]
    left = (*rule[: slots[argument]], *joint.inner, *rule[slots[argument] + 1 :])
    right: list[int] = []
    for token in outer:
        if token > variables or token <= argument:
            right.append(token)
        elif token > argument + 1:
            right.append(token + taken - 1)
        else:
            right += [each + argument if each <= variables else each for each in inner]
    return left, tuple(right)


def splits(left: Span, right: Template, rules: tuple[Span, Span], variables: int) -> Iterator[Split]:
    """All ways to write a rule as two that have the given left sides."""
    for inner, outer in (rules, rules[::-1]):
        for start in range(len(left) - len(inner) + 1):
            end = start + len(inner)
            if left[start:end] == inner and (*left[:start], symbols.VARIABLE, *left[end:]) == outer:
                before, within = (part.count(symbols.VARIABLE) for part in (left[:start], inner))
                for outside, inside in _factors(right, before, within, variables):
                    yield Split(outer, outside, inner, inside)


def _factors(
    right: Template, before: int, within: int, variables: int
) -> Iterator[tuple[Template, Template]]:
    """The right sides of an outer and an inner rule, whose variables follow the first `before`."""
    own = set(range(before + 1, before + within + 1))
    pieces = {right[i:j] for i in range(len(right)) for j in range(i + 1, len(right) + 1)}
    for piece in sorted(pieces, key=lambda piece: (len(piece), piece)):
        if {token for token in piece if token <= variables} != own:
            continue
        outside: list[int] = []
        place = 0
        while place < len(right):
            token = right[place]
            if right[place : place + len(piece)] == piece:
                outside.append(before + 1)
                place += len(piece)
                continue
            if token in own:
                break  # a variable of the inner rule outside of it
            outside.append(token - within + 1 if before + within < token <= variables else token)
            place += 1
        else:
            yield tuple(outside), tuple(t - before if t <= variables else t for t in piece)


def word_value(left: Span, right: Template, occurrence: Instance, variables: int) -> Output | None:
    """The value of a word that, by a rule `$x $y`, writes what the rule of the word and a variable wrote.

    `right` is the right side of `$x $y`; None if no value does.
    """
    word = 1 + left.index(next(leaf for leaf in left if leaf != symbols.VARIABLE))
    (argument,), value = occurrence
    times = right.count(word)
    length, rest = divmod(len(value) - len(argument) * (len(right) - times), times or 1)
    if not times or rest or length < 1 or any(token > variables for token in right):
        return None
    start = len(argument) * right.index(word)
    return value[start : start + length]
