"""What a model has learned, read off derivations written by hand."""

from lane.models.learned import Learned, Step
from lane.trainer.automaton import Derived, Observations

JUMP, WALK, LEFT, TWICE, THRICE, AND, TURN = range(1, 8)
Tree = tuple  # (span, *arguments)


def steps(tree: Tree) -> list[Step]:
    """The steps of a tree, the root last."""
    found: list[Step] = []

    def visit(node: Tree) -> int:
        parts = [visit(part) for part in node[1:]]
        found.append(Step(len(found), node[0], parts))
        return len(found) - 1

    visit(tree)
    return found


def word(number: int) -> Tree:
    return ((number,),)


def twice(part: Tree) -> Tree:
    return ((0, TWICE), part)


def thrice(part: Tree) -> Tree:
    return ((0, THRICE), part)


def both(one: Tree, other: Tree) -> Tree:
    return ((0, AND, 0), one, other)


def turn(part: Tree) -> Tree:
    return ((TURN, 0), part)


OBSERVED = [
    word(JUMP),
    word(WALK),
    turn(word(LEFT)),
    twice(word(WALK)),
    thrice(word(WALK)),
    twice(turn(word(LEFT))),
    both(word(WALK), twice(word(WALK))),
    both(thrice(word(WALK)), turn(word(LEFT))),
    both(twice(word(WALK)), thrice(word(WALK))),
]


def learned() -> Learned:
    observed = Observations()
    for tree in OBSERVED:
        observed.add(Derived(steps(tree), {}))
    return observed.closed()


def accepts(tree: Tree) -> bool:
    return learned()._accepts(steps(tree))


def test_every_derivation_that_was_observed_is_accepted():
    assert all(map(accepts, OBSERVED))


def test_a_word_met_only_alone_stands_where_its_kind_stands():
    assert accepts(twice(word(JUMP)))
    assert accepts(both(word(JUMP), twice(word(JUMP))))


def test_a_rule_takes_what_rules_of_its_kind_take():
    assert accepts(thrice(turn(word(LEFT))))


def test_other_places_are_refused():
    assert not accepts(word(LEFT)), "never met as a whole command"
    assert not accepts(turn(word(JUMP)))
    assert not accepts(((AND, AND),)), "a rule that was never used"
    assert not accepts(twice(((AND, AND),)))


def test_uses_are_counted():
    assert learned().rules[(0, TWICE)].uses == 4
    assert learned().rules[(JUMP,)].uses == 1


def test_what_stood_in_one_place_stands_in_all_places_of_the_others():
    assert accepts(twice(twice(word(WALK))))
    assert accepts(both(word(WALK), both(twice(word(WALK)), word(JUMP))))


def test_what_many_pairs_never_show_is_refused():
    observed = Observations()
    for tree in OBSERVED:
        observed.add(Derived(steps(tree), {}))
    twice_twice, jump_twice = twice(twice(word(WALK))), twice(word(JUMP))
    for _ in range(9):
        for tree in OBSERVED:
            observed.add(Derived(steps(tree), {}))
    assert observed.closed()._accepts(steps(twice_twice)), "ten pairs of a kind are few"
    for _ in range(200):
        for tree in OBSERVED:
            observed.add(Derived(steps(tree), {}))
    assert not observed.closed()._accepts(steps(twice_twice))
    assert observed.closed()._accepts(steps(jump_twice)), "`jump` is judged with `walk`"
    assert not observed.closed()._accepts(steps(both(word(WALK), both(word(WALK), word(WALK)))))


def test_what_stands_wherever_a_command_stands_may_be_a_command():
    """Without `jump` and `walk` alone, as in pairs that have no command of a single word."""
    observed = Observations()
    for tree in (*OBSERVED[3:] * 100, both(thrice(word(WALK)), word(WALK)), twice(word(JUMP))):
        observed.add(Derived(steps(tree), {}))
    assert observed.closed()._accepts(steps(word(WALK)))
    assert not observed.closed()._accepts(steps(word(LEFT)))


def test_recombined_derivations_are_learned_but_not_counted():
    observed = Observations()
    for tree in OBSERVED:
        observed.add(Derived(steps(tree), {}))
    new = ((0, AND, 0, AND, 0), word(WALK), word(JUMP), word(WALK))
    assert not observed.closed()._accepts(steps(new))
    observed.add_recombined(Derived(steps(new), {}))
    assert observed.closed()._accepts(steps(new))
    assert observed.closed().rules[new[0]].uses == 0


def test_a_rule_that_only_longer_commands_need_is_learned_and_makes_nothing_else_alike():
    both_twice = ((0, TWICE, AND, 0), word(WALK), word(WALK))
    observed = Observations()
    for tree in OBSERVED:
        observed.add(Derived(steps(tree), {}))
    before = observed.closed()
    observed.add_combined(Derived(steps(both_twice), {}))
    after = observed.closed()
    others = [((0, TWICE, AND, 0), word(JUMP), word(WALK)), both_twice]
    for tree in others:
        assert (before._accepts(steps(tree)), after._accepts(steps(tree))) == (False, True)
    nonsense = turn(word(JUMP)), turn(both_twice), ((0, TWICE, AND, 0), word(LEFT), word(WALK))
    assert not any(after._accepts(steps(tree)) for tree in nonsense)
    assert after.rules[(0, TWICE, AND, 0)].uses == 0
