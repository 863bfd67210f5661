"""The inducer: the rule that explains the most shapes first, until no shape is left that a rule explains."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lane.models import symbols
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.chart import Chart, explains, parse
from lane.trainer.induction.ruleset import (
    MOST_TOKENS,
    MOST_VARIABLES,
    WIDEST,
    Left,
    Right,
    RuleSet,
    size_of,
    split,
)
from lane.trainer.induction.shape import Shape
from lane.trainer.induction.tiling import Values, tile

WINDOW = 40  # unexplained shapes that vote for a rule: each is parsed in every round
MOST_TILINGS = 300  # of one shape; the first are the shortest left sides, which are the likely ones
MOST_PREFIXES = 3000  # of left sides of one length: their number grows exponentially with the shape
WORTH = 4  # tokens that a rule saves with each shape that it explains, about

Rule = tuple[Left, Right]


def induce_rules(
    shapes: Sequence[Shape], given: Mapping[Left, Right], banned: Iterable[Rule], work: Budget
) -> tuple[RuleSet, list[Shape]]:
    """The grammar of the shapes, which are shortest first, and the shapes that it does not explain.

    Some rules are given, some banned. Each round the shortest unexplained shapes vote for rules that would
    explain them at once; the rule with the most votes for its size is added.
    """
    grammar, refused = RuleSet(given), set(banned)
    waiting, lost = list(shapes), list[Shape]()
    while waiting and not work.is_over:
        window, rest = _unexplained(waiting, grammar, work)
        if not window:  # all are explained
            break
        votes: Counter[Rule] = Counter()
        for shape, chart in window:
            for rule in _root_rules(shape, chart, work):
                votes[rule] += 1
        candidates = [rule for rule in votes if rule[0] not in grammar.rules and rule not in refused]
        if candidates:
            grammar.add(*max(candidates, key=lambda rule: _merit(rule, votes[rule])))
            waiting = [shape for shape, _ in window] + rest
        else:
            shortest = len(window[0][0].tokens)
            lost += [shape for shape, _ in window if len(shape.tokens) == shortest]
            waiting = [shape for shape, _ in window if len(shape.tokens) > shortest] + rest
    else:  # out of steps
        lost += waiting
    return grammar, lost


def _merit(rule: Rule, votes: int) -> tuple[int, int, int, Rule]:
    size = size_of(*rule)
    return WORTH * votes - size, votes, -size, rule


def _unexplained(
    shapes: list[Shape], grammar: RuleSet, work: Budget
) -> tuple[list[tuple[Shape, Chart]], list[Shape]]:
    """The first unexplained shapes, of two lengths at most, with their charts; and the shapes behind them."""
    window: list[tuple[Shape, Chart]] = []
    for place, shape in enumerate(shapes):
        longest = len(window[0][0].tokens) + 1 if window else len(shape.tokens)
        if len(window) == WINDOW or len(shape.tokens) > longest:
            return window, shapes[place:]
        chart = parse(shape, grammar, work)
        if not explains(chart, shape):
            window.append((shape, chart))
    return window, []


def _root_rules(shape: Shape, chart: Chart, work: Budget) -> list[Rule]:
    """Rules that would explain the whole shape: words, and parts that are explained already."""
    rules: dict[Left, Right] = {}
    begun: list[tuple[int, Left, tuple[Values, ...]]] = [(0, (), ())]
    width, tilings = len(shape.tokens), 0
    for _ in range(MOST_TOKENS):
        longer = [step for prefix in begun for step in _extended(*prefix, shape, chart)]
        begun = []
        for at, left, values in longer:
            if at < width:
                begun.append((at, left, values))
            elif len(left) > 1 and left not in rules and split(left, **WIDEST) is not None:
                tilings += 1
                if tilings > MOST_TILINGS:
                    return list(rules.items())
                right = tile(shape.outputs, values)
                if right is not None:
                    rules[left] = right
        del begun[MOST_PREFIXES:]
        work.spend(len(longer))
    work.spend(50 * tilings)  # about what a tiling costs beside an item of a chart
    return list(rules.items())


def _extended(
    at: int, left: Left, values: tuple[Values, ...], shape: Shape, chart: Chart
) -> list[tuple[int, Left, tuple[Values, ...]]]:
    """A left side with one token more."""
    found = []
    if shape.tokens[at] != symbols.VARIABLE:
        found.append((at + 1, (*left, shape.tokens[at]), values))
    if len(values) < MOST_VARIABLES:
        for end in range(at + 1, len(shape.tokens) + 1):
            for value in chart.get((at, end), ()):
                found.append((end, (*left, symbols.VARIABLE), (*values, value)))
    return found
