"""Other right sides that write the same outputs."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from lane.models.template import expand
from lane.trainer.alternative import Split, joined, right_sides, splits, word_value
from lane.trainer.forest import Instance, Joint
from lane.trainer.slot import Place

PATROL, AND = (1, 0), (0, 2, 0)  # `patrol $x` and `$x and $y`
A, B = (7,), (8,)


def test_a_rule_observed_with_one_value_may_hold_it_as_a_constant():
    once = [Instance((A,), (7, 7))]
    assert right_sides(once, 2, 2, (1, 1)) == [(1, 9), (9, 1)]
    assert right_sides([*once, Instance((B,), (8, 8))], 2, 2, (1, 1)) == []


def test_equal_arguments_do_not_tell_their_order():
    assert right_sides([Instance((A, A), (7, 7))], 2, 2, (1, 2)) == [(2, 1)]
    assert right_sides([Instance((A, B), (7, 8))], 2, 2, (1, 2)) == []


@given(
    st.lists(st.tuples(st.sampled_from([A, B, (7, 8)]), st.sampled_from([A, B, (8, 8)])), min_size=1),
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
)
def test_every_right_side_and_no_other_is_found(arguments, template):
    seen = sorted({Instance(pair, tuple(expand(template, 2, pair))) for pair in arguments})
    fitting = {
        right
        for length in range(1, len(template) + 1)
        for right in product((1, 2, 3, 4, 9, 10), repeat=length)
        if {1, 2} <= set(right) and all(tuple(expand(right, 2, one.arguments)) == one.value for one in seen)
    }
    assert set(right_sides(seen, 2, len(template), ())) == fitting


def test_two_rules_as_one_and_as_two_again():
    left, right = joined(Joint(Place(PATROL, 0), AND), (1, 1), (1, 2), 2)
    assert (left, right) == ((1, 0, 2, 0), (1, 2, 1, 2))
    found = list(splits(left, right, (AND, PATROL), 2))
    assert Split(PATROL, (1, 1), AND, (1, 2)) in found
    assert Split(PATROL, (1,), AND, (1, 2, 1, 2)) in found
    assert Split(AND, (1, 2, 1, 2), PATROL, (1,)) in found
    for split in found:
        place = Place(split.outer, split.outer.index(0) and 0)
        assert joined(Joint(place, split.inner), split.outer_template, split.inner_template, 2)[1] == right


def test_the_variables_behind_the_inner_rule_are_counted_on():
    joint = Joint(Place((0, 5, 0), 0), (0, 6, 0))
    assert joined(joint, (2, 1), (2, 1), 3) == ((0, 6, 0, 5, 0), (3, 2, 1))
    assert joined(Joint(Place((0, 5, 0), 0), (4,)), (2, 1), (9,), 3) == ((4, 5, 0), (1, 9))


def test_the_value_that_a_word_would_have_beside_another():
    assert word_value((1, 0), (2, 1), Instance((A,), (7, 8)), 2) == (8,)
    assert word_value((0, 1), (2, 1), Instance((A,), (8, 7)), 2) == (8,)
    assert word_value((1, 0), (2, 1), Instance((A,), (7,)), 2) is None
