"""The chart against every derivation."""

import random
from functools import cache

import pytest

from lane.models import symbols
from lane.trainer.induction import chart as charts
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.chart import explains, parse, written
from lane.trainer.induction.ruleset import RuleSet, pieces_of
from lane.trainer.induction.shape import Shape
from lane.trainer.induction.text import text_of

V = symbols.VARIABLE


def some_rules(rng):
    rules = {}
    for _ in range(rng.randint(2, 6)):
        left = tuple(rng.choices([V, 1, 2], k=rng.randint(2, 3)))
        count = left.count(V)
        right = [*range(1, count + 1), *rng.choices([-1, -2, *range(1, count + 1)], k=rng.randint(0, 1))]
        if right:
            rng.shuffle(right)
            rules[left] = tuple(right)
    return rules


def derived(tokens, values, rules):
    """All values of all parts by all derivations, and whether they are parts of an output does not matter."""
    own = iter(values)
    word = {n: next(own) for n, token in enumerate(tokens) if token == V}
    members = range(len(values[0]) if values else 1)

    @cache
    def of(start, end):
        found = {word[start]} if end == start + 1 and start in word else set()
        for left, right in rules.items():
            for arguments in matched(left, start, end):
                if len(left) > 1 or left != (V,):
                    found.add(tuple(written(pieces_of(right), arguments, n) for n in members))
        return frozenset(found)

    def matched(left, start, end):
        """Values of the variables, for every way that a left side covers a part."""
        if not left:
            return [[]] if start == end else []
        ways = []
        if left[0] != V:
            if start < end and tokens[start] == left[0]:
                ways = matched(left[1:], start + 1, end)
            return ways
        for middle in range(start + 1, end - len(left) + 2):
            for rest in matched(left[1:], middle, end):
                ways += [[value, *rest] for value in of(start, middle)]
        return ways

    return of


@pytest.mark.parametrize("seed", range(60))
def test_it_has_every_value_that_is_a_part_of_the_output(seed, monkeypatch):
    monkeypatch.setattr(charts, "MOST_WAYS", 10**6)
    rng = random.Random(seed)
    rules = some_rules(rng)
    tokens = tuple(rng.choices([V, V, 1, 2], k=rng.randint(2, 5)))
    members = rng.randint(1, 2)
    values = tuple(tuple(text_of([rng.randint(3, 4)]) for _ in range(members)) for t in tokens if t == V)
    members = members if values else 1
    of = derived(tokens, values, rules)
    roots = sorted(of(0, len(tokens)))
    outputs = rng.choice(roots) if roots else (text_of([3, 4, 1]),) * members
    shape = Shape(tokens, 1, values, outputs)
    chart = parse(shape, RuleSet(rules), Budget(0))
    assert explains(chart, shape) == bool(roots)
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            inside = {value for value in of(start, end) if all(map(str.__contains__, outputs, value))} | {
                value for value in of(start, end) if end == start + 1 and tokens[start] == V
            }
            assert set(chart.get((start, end), {})) == inside, (start, end)
    for (start, end), cell in chart.items():
        for value, ways in cell.items():
            assert ways or (end == start + 1 and tokens[start] == V)
            for way in ways:
                arguments = [part.value for part in way.arguments]
                pieces = pieces_of(rules[way.left])
                assert tuple(written(pieces, arguments, n) for n in range(members)) == value
                assert all(part.value in chart[part.start, part.end] for part in way.arguments)
                covered = sum(part.end - part.start for part in way.arguments)
                assert covered + len(way.left) - way.left.count(V) == end - start


def test_ways_to_one_value_are_bounded_and_steps_counted():
    tokens, a = (V,) * 7, text_of([1])
    shape = Shape(tokens, 1, ((a,),) * 7, (a * 7,))
    work = Budget(100)
    chart = parse(shape, RuleSet({(V, V): (1, 2)}), work)
    assert explains(chart, shape)
    assert max(len(ways) for cell in chart.values() for ways in cell.values()) == charts.MOST_WAYS
    assert work.left < 100


def test_the_output_of_each_member_counts():
    a, b = text_of([1]), text_of([2])
    rules = RuleSet({(V, 1, V): (2, 1)})
    assert not explains(
        parse(s := Shape((V, 1, V), 1, ((a, b), (b, a)), (b + a, b + a)), rules, Budget(0)), s
    )
    assert explains(parse(s := Shape((V, 1, V), 1, ((a, b), (b, a)), (b + a, a + b)), rules, Budget(0)), s)
