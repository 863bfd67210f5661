import pickle

from lane.runtime import load, plan_cache
from lane.runtime.plan_cache import MAX_PIECES, PlanCache, make_plan
from lane.runtime.sorts import Sorts


def shape(tables, text):
    return tuple(tables.leaf_of[word] for word in text.split())


def test_a_plan_strings_words_and_constants_together(scan):
    tables = scan.scan_program().tables
    sorts = Sorts(tables, None, lenient=False)
    plan = make_plan(sorts, shape(tables, "walk around left"), 1)
    assert plan.pick(["W", "", "L", *plan.constants]) == ("L", "W") * 4
    single = make_plan(sorts, shape(tables, "turn left"), 1)
    assert list(single.pick(["", "L"])) == ["L"]
    nonsense = make_plan(sorts, shape(tables, "and after"), 1)
    assert list(nonsense.pick(["", "", *nonsense.constants])) == ["I_WALK"]


def test_shapes_that_could_overflow_or_lead_beyond_have_no_plan(scan, tiny):
    tables = scan.scan_program().tables
    sorts = Sorts(tables, None, lenient=False)
    assert make_plan(sorts, shape(tables, "walk" + " twice" * 30), 1) is None
    assert len(make_plan(sorts, shape(tables, "walk" + " twice" * 10), 1).pick.__reduce__()[1]) == MAX_PIECES
    assert make_plan(sorts, shape(tables, "walk" + " twice" * 11), 1) is None
    assert make_plan(Sorts(tiny.tables, None, lenient=False), shape(tiny.tables, "kiki kiki kiki"), 1) is None


def test_the_cache_keeps_what_is_used(scan, monkeypatch):
    tables = scan.scan_program().tables
    sorts = Sorts(tables, None, lenient=False)
    shapes = [(0,) + (tables.leaf_of["twice"],) * count for count in range(1, 7)]
    plans = [make_plan(sorts, one, 1) for one in shapes]
    monkeypatch.setattr(plan_cache, "MAX_CACHED", plans[4].weight + 20)
    cache = PlanCache()
    for one, plan in zip(shapes, plans, strict=True):
        cache.add(one, plan)
        assert cache.find(shapes[0]) is plans[0]
    assert cache.find(shapes[3]) is None
    empty = pickle.loads(pickle.dumps(cache))
    assert empty.find(shapes[0]) is None


def test_a_plan_is_made_for_what_likely_comes_again(monkeypatch):
    cache = PlanCache()
    assert cache.is_worth_it((1,) * plan_cache.SHORT)
    longer = (1,) * (plan_cache.SHORT + 1)
    assert [cache.is_worth_it(longer) for _ in range(3)] == [False, True, True]
    assert not any(cache.is_worth_it((1,) * (plan_cache.MAX_SHAPE + 1)) for _ in range(2))
    monkeypatch.setattr(plan_cache, "MAX_ONCE", 3)
    for first in range(10):
        assert not cache.is_worth_it((first, *longer))


def test_answers_do_not_depend_on_plans(scan_file):
    translator = load(scan_file)
    command = "walk around left twice after jump opposite right thrice"
    first, second, third = (translator.translate_batch((command,)) for _ in range(3))
    assert first == second == third
    assert first[0].ok
