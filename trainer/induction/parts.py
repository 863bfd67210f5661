"""Parts: rules for pieces of commands that are never commands themselves (`$x is $y`, `the $x`)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lane.models import symbols
from lane.trainer.induction.brackets import Brackets
from lane.trainer.induction.chart import written
from lane.trainer.induction.ruleset import Left, Right, RuleSet, pieces_of, size_of
from lane.trainer.induction.shape import Shape
from lane.trainer.induction.tiling import tile

# Bounds on what is tried, since every rule that is tried costs an induction.
LONGEST = 5  # tokens of a part; their number grows with it
MOST_VARIABLES = 3  # of a part, likewise
LOOKED_AT = 12  # occurrences of a part that its rule is read off
USUAL = 0.7  # share of them whose outputs must hold what the rule writes: not every occurrence is a part
WINDOW = 12  # actions that a part may write
MARGIN = 2  # constants on either side of what its variables write
MARGIN_OF_CALLS = 5  # likewise, where outputs have brackets: as in `play ( genre = $X )`
MOST = 60  # rules that are tried in all


class _Occurrence(NamedTuple):
    """Where a part stands: the values of its variables, and the output of the command."""

    shape: Shape
    values: tuple[str, ...]
    output: str


def part_rules(
    shapes: Sequence[Shape],
    grammar: RuleSet,
    given: Mapping[Left, Right],
    lost: Sequence[Shape],
    gain: int,
    brackets: Brackets,
) -> list[tuple[Left, Right]]:
    """Rules for parts that write a piece of the output wherever the part stands, the likeliest first.

    Parts are looked for in what the rules that are `given`, which are such rules too, leave of a shape. A
    part must stand in a lost shape, or in rules large enough that it can save `gain` tokens.
    """
    places: dict[Left, list[_Occurrence]] = defaultdict(list)
    for shape in shapes:
        for part, place in _parts(shape, given).items():
            places[part].append(place)
    sizes = [(left, size_of(left, right)) for left, right in grammar.rules.items() if left not in given]
    unexplained = {shape.tokens for shape in lost}
    ranked: list[tuple[float, Left, Right]] = []
    for part, found in places.items():
        saved = sum(size for left, size in sizes if _contains(left, part))
        hopeful = any(place.shape.tokens in unexplained for place in found)
        # The rule itself costs the tokens of the part, one or more on its right side, and one.
        if len(found) > 1 and part not in given and (hopeful or saved >= gain + len(part) + 2):
            for right, share in _right_sides(found[:LOOKED_AT], brackets):
                ranked.append((_promise(part, right, len(found) * share), part, right))
    ranked.sort(key=lambda entry: (-entry[0], entry[1:]))
    return [(part, right) for _, part, right in ranked[:MOST]]


def _promise(part: Left, right: Right, uses: float) -> float:
    """The order in which rules are tried: much used and short ones first, and those that join two parts.

    A heuristic: it decides which `MOST` rules are tried, and which right side of a part joins a family.
    """
    several = 2 if part.count(symbols.VARIABLE) > 1 else 1
    return several * uses / (1 + 0.1 * len(right) + 0.3 * (len(part) - 2))


def _contains(left: Left, part: Left) -> bool:
    return any(left[i : i + len(part)] == part for i in range(len(left) - len(part) + 1))


def _parts(shape: Shape, given: Mapping[Left, Right]) -> dict[Left, _Occurrence]:
    """The parts of a shape, each where it stands first."""
    tokens, values = _reduced(shape, given)
    found: dict[Left, _Occurrence] = {}
    for start in range(len(tokens)):
        for end in range(start + 2, min(len(tokens), start + LONGEST) + 1):
            part = tokens[start:end]
            count = part.count(symbols.VARIABLE)
            # Of variables alone only pairs are tried: more of them say nothing of what they mean.
            if (
                end - start < len(tokens)
                and 0 < count <= MOST_VARIABLES
                and (count < len(part) or count == 2)
            ):
                before = tokens[:start].count(symbols.VARIABLE)
                found.setdefault(part, _Occurrence(shape, values[before : before + count], shape.outputs[0]))
    return found


def _reduced(shape: Shape, given: Mapping[Left, Right]) -> tuple[Left, tuple[str, ...]]:
    """The tokens of a shape with its parts replaced by variables, and their values in the first member."""
    values = iter(shape.values)
    items: list[tuple[int, str]] = [
        (token, next(values)[0] if token == symbols.VARIABLE else "") for token in shape.tokens
    ]
    changed = True
    while changed:
        changed = False
        for left, right in given.items():
            place = 0
            while place + len(left) <= len(items) and len(left) < len(items):
                here = items[place : place + len(left)]
                if tuple(token for token, _ in here) == left:
                    arguments = [(value,) for token, value in here if token == symbols.VARIABLE]
                    value = written(pieces_of(right), arguments, 0)
                    if value in shape.outputs[0]:
                        items[place : place + len(left)] = [(symbols.VARIABLE, value)]
                        changed = True
                place += 1
    tokens = tuple(token for token, _ in items)
    return tokens, tuple(value for token, value in items if token == symbols.VARIABLE)


def _right_sides(places: Sequence[_Occurrence], brackets: Brackets) -> list[tuple[Right, float]]:
    """Of the usual right sides the three shortest and the two longest, with the share that has them.

    Those that close their brackets, if any does.
    """
    margin = MARGIN_OF_CALLS if brackets else MARGIN
    counts: Counter[Right] = Counter()
    for place in places:
        counts.update(_windows(place, margin))
    usual = [(right, n / len(places)) for right, n in counts.items() if n >= USUAL * len(places)]
    usual = [entry for entry in usual if brackets.balanced(entry[0])]
    usual.sort(key=lambda entry: (-entry[1], len(entry[0]), entry[0]))
    longest = sorted(usual[3:], key=lambda entry: (-entry[1], -len(entry[0]), entry[0]))
    return usual[:3] + longest[:2]


def _windows(place: _Occurrence, margin: int) -> set[Right]:
    """What a part may write here: a piece of the output that holds all values, tightly or with a margin."""
    output, values = place.output, place.values
    starts = [[i for i in range(len(output)) if output.startswith(value, i)] for value in values]
    found: set[Right] = set()
    for low in sorted({i for those in starts for i in those}):
        firsts = [next((i for i in those if i >= low), None) for those in starts]
        ends = [i + len(value) for i, value in zip(firsts, values, strict=True) if i is not None]
        if len(ends) < len(values) or max(ends) - low > WINDOW:
            continue
        for before in range(margin + 1):
            for behind in range(margin + 1):
                # On both sides or on neither: brackets come in pairs.
                if (before > 0) == (behind > 0) and low >= before and max(ends) + behind <= len(output):
                    piece = output[low - before : max(ends) + behind]
                    right = tile((piece,), [(value,) for value in values])
                    if right is not None:
                        found.add(right)
    return found
