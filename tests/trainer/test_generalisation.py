"""Rules and words of one kind stand for each other, as far as no pair speaks against it."""

import random
from itertools import pairwise

import pytest

from lane.trainer.generalisation import generalise
from lane.trainer.grammar import Room, TreeGrammar
from lane.trainer.likeness import find_dependent, find_rule_kinds

WALK, RUN, TWICE, THRICE, AND = 1, 2, 3, 4, 5
W, R = 1, 2
X_TWICE, X_THRICE, X_AND_Y = (0, TWICE), (0, THRICE), (0, AND, 0)
A, B = ((WALK,),), ((RUN,),)
LEFT, RIGHT, AFTER, JUMP, MINUS, PLUS = 6, 7, 8, 10, 11, 12
X_Y, X_AFTER = (0, 0), (0, AFTER)
X_MINUS_Y, X_PLUS_Y = (0, MINUS, 0), (0, PLUS, 0)


@pytest.fixture
def grammar(hand_made, walking):
    met = TreeGrammar(2)
    met.add(hand_made(walking.rules, walking.trees))
    return met


def test_rules_of_one_kind_keep_the_same_company(grammar, walking):
    generalise(grammar, {}.get, seed=0)
    drawn = walking.everything(grammar)
    assert drawn[WALK, AND, RUN, THRICE] == [W, R, R, R]
    assert all(output == walking.by_hand(words) for words, output in drawn.items())
    assert any(words.count(AND) > 1 for words in drawn), "`and` joins what it is itself, in any order"


def test_a_combination_that_a_known_pair_speaks_against_is_left_out(grammar, walking):
    """Here `thrice` behind `and` is known to repeat the whole."""
    known = {}
    for first in walking.everything(grammar):
        for last in (WALK, RUN):
            if AND not in first:
                known[*first, AND, last, THRICE] = tuple(
                    3 * [*walking.by_hand(first), *walking.by_hand([last])]
                )
    generalise(grammar, known.get, seed=0)
    assert not any(words[-1] == THRICE and AND in words for words in walking.everything(grammar))


def test_rules_with_different_company_stay_apart(hand_made, walking):
    """`twice` was met everywhere, `thrice` under one word only: that is too little to go by."""
    met = TreeGrammar(2)
    met.add(hand_made(walking.rules, [tree for tree in walking.trees if str(X_THRICE) not in str(tree)]))
    met.add(hand_made(walking.rules, [(X_AND_Y, (X_THRICE, A), B)]))
    generalise(met, {}.get, seed=0)
    for words in walking.everything(met):
        assert (RUN, THRICE) not in list(pairwise(words))


def test_rules_of_one_argument_whose_words_have_the_same_neighbours_are_of_one_kind(hand_made, walking):
    """However a model derived the commands that have them; but not rules of two arguments."""
    met = TreeGrammar(2)
    met.add(hand_made(walking.rules, [tree for tree in walking.trees if str(X_THRICE) not in str(tree)]))
    met.add(hand_made(walking.rules, [(X_AND_Y, (X_THRICE, A), B)]))
    generalise(met, {}.get, 0, {TWICE: {(0, -1), (0, AND)}, THRICE: {(0, -1), (0, AND)}, AND: {(0, 0)}})
    drawn = walking.everything(met)
    assert drawn[WALK, AND, RUN, THRICE] == [W, R, R, R]
    assert all(output == walking.by_hand(words) for words, output in drawn.items())


def test_arguments_that_depend_on_each_other_are_drawn_together(hand_made, walking):
    """`$x $y` stands for `walk left`, and for what is left of `walk after run`, and never for `walk run`."""
    rules = {**walking.rules, (LEFT,): [5], (RIGHT,): [6], X_Y: [2, 1], X_AFTER: [1]}
    left, right = ((LEFT,),), ((RIGHT,),)
    turns = [(X_Y, one, side) for one in (A, B) for side in (left, right)]
    afters = [(X_Y, (X_AFTER, one), other) for one in (A, B, (X_TWICE, A)) for other in (A, B)]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, [*turns, *afters]))
    generalise(grammar, {}.get, seed=0)
    drawn = walking.everything(grammar)
    assert (WALK, TWICE, AFTER, RUN) in drawn
    assert (WALK, LEFT) in drawn
    assert (WALK, RUN) not in drawn
    assert not any(AFTER in words and words[-1] in (LEFT, RIGHT) for words in drawn)


def test_arguments_are_drawn_apart_where_nothing_speaks_against_it(grammar, walking):
    generalise(grammar, {}.get, seed=0)
    assert (WALK, THRICE, AND, RUN, TWICE) in walking.everything(grammar), "never met: two phrases joined"


def test_rules_of_one_kind_need_not_have_been_met_in_the_same_company(hand_made, walking):
    """`or` keeps the company of `and`, but its arguments depend on each other, and those of `and` do not."""
    either = 9
    x_or_y = (0, either, 0)
    rules = {**walking.rules, (LEFT,): [5], (RIGHT,): [6], x_or_y: [1, 2]}
    phrases = [(X_TWICE, A), (X_THRICE, A), (X_TWICE, B), (X_THRICE, B)]
    words = [A, B, ((LEFT,),), ((RIGHT,),)]
    trees = [(X_AND_Y, one, other) for one in (*words, *phrases) for other in words]
    trees += [(x_or_y, one, other) for one in words for other in words[:2]]
    trees += [(x_or_y, one, other) for one in phrases for other in words[2:]]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, trees))
    assert find_dependent(grammar.children_anywhere) == {x_or_y}
    assert any(
        {X_AND_Y, x_or_y} <= set(kind)
        for kind in find_rule_kinds(grammar.template, grammar.children_anywhere, {})
    )
    generalise(grammar, {}.get, seed=0)
    drawn = walking.everything(grammar)
    assert (WALK, either, RUN) in drawn
    assert (WALK, either, LEFT) not in drawn


def test_a_word_observed_only_alone_stands_wherever_such_words_stand(hand_made, walking):
    grammar = TreeGrammar(2)
    grammar.add(hand_made({**walking.rules, (JUMP,): [9]}, [*walking.trees, ((JUMP,),)]))
    assert not any(JUMP in words and len(words) > 1 for words in walking.everything(grammar))
    generalise(grammar, {}.get, seed=0)
    rng = random.Random(1)
    drawn = [one for one in (grammar.draw(rng, Room(9, 100)) for _ in range(2000)) if one]
    commands = {tuple(one.words): one for one in drawn}
    assert commands[JUMP, TWICE].output == [7, 7]
    assert {(WALK, AND, JUMP), (JUMP, AND, JUMP), (JUMP, THRICE)} <= set(commands)
    for words, placed in {
        (JUMP, TWICE): True,
        (JUMP,): False,
        (WALK, TWICE): False,
        (RUN, AND, WALK): True,
    }.items():
        assert commands[words].placed is placed


def test_a_word_that_stands_in_some_places_of_a_kind_stands_in_all_of_them(hand_made, walking):
    grammar = TreeGrammar(2)
    grammar.add(hand_made({**walking.rules, (JUMP,): [9]}, [*walking.trees, (X_AND_Y, ((JUMP,),), A)]))
    generalise(grammar, {}.get, seed=0)
    assert (RUN, AND, JUMP, TWICE) in walking.everything(grammar)
    assert (JUMP,) not in walking.everything(grammar), "it was never a command"


def test_rules_of_one_kind_stand_under_each_other_only_as_observed(hand_made, walking):
    """`plus` takes `minus` on its left; that `minus` takes itself there, nobody said."""
    rules = {**walking.rules, X_PLUS_Y: [1, 2, 2], X_MINUS_Y: [1, 1, 2]}
    both = [(rule, one, other) for rule in (X_PLUS_Y, X_MINUS_Y) for one in (A, B) for other in (A, B)]
    nested = [(X_PLUS_Y, tree, A) for tree in both]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, [*both, *nested]))
    assert [X_PLUS_Y, X_MINUS_Y] in [
        sorted(kind, reverse=True)
        for kind in find_rule_kinds(grammar.template, grammar.children_anywhere, {})
    ]
    generalise(grammar, {}.get, seed=0)
    drawn = walking.everything(grammar)
    assert (WALK, 11, RUN, 12, RUN) in drawn
    assert not any(words[3:4] == (11,) for words in drawn)


def test_what_was_observed_under_itself_stands_there_again(hand_made, walking):
    grammar = TreeGrammar(2)
    twice = (X_AND_Y, (X_AND_Y, A, B), A)
    grammar.add(hand_made(walking.rules, [*walking.trees, twice]))
    assert max(words.count(AND) for words in walking.everything(grammar, 15)) == 2
    generalise(grammar, {}.get, seed=0)
    deep = {
        words: output for words, output in walking.everything(grammar, 15).items() if words.count(AND) > 2
    }
    assert deep, "longer than every observed command"
    assert all(output == walking.by_hand(words) for words, output in deep.items())


def test_what_stands_between_words_of_its_own_stands_wherever_such_words_do(hand_made, walking):
    """`walk and [ run ]` and `[ walk and run ]` are enough for `[ walk and [ run ] ]`, with both ends."""
    opening, closing = 20, 21
    brackets = (opening, 0, closing)
    rules = {**walking.rules, brackets: [1]}
    pairs = [(X_AND_Y, one, other) for one in (A, B) for other in (A, B)]
    trees = [*pairs, *((brackets, tree) for tree in (*pairs, A, B)), (X_AND_Y, A, (X_TWICE, B))]
    trees += [(X_AND_Y, A, (brackets, B)), (X_AND_Y, B, (brackets, A))]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, trees))
    generalise(grammar, {}.get, seed=0, places=False)
    nested = (opening, WALK, AND, opening, RUN, closing, closing)
    assert nested not in walking.everything(grammar, 15)
    generalise(grammar, {}.get, seed=0)
    drawn = walking.everything(grammar, 15)
    assert drawn[nested] == [W, R]
    assert (WALK, AND, RUN, TWICE) in drawn
    assert not any(words[0] == opening and TWICE in words for words in drawn)


@pytest.mark.parametrize(
    ("template", "stands"), [([1, 2], True), ([2, 1], True), ([1, 1, 2], False), ([1, 12, 2], True)]
)
def test_a_rule_between_its_like_stands_under_itself_if_the_order_makes_no_difference(
    hand_made, walking, template, stands
):
    pairs = [(X_AND_Y, one, other) for one in (A, B) for other in (A, B)]
    grammar = TreeGrammar(2)
    grammar.add(hand_made({**walking.rules, X_AND_Y: template}, [A, B, *pairs]))
    generalise(grammar, {}.get, seed=0, places=False)
    assert max(words.count(AND) for words in walking.everything(grammar)) == 1
    generalise(grammar, {}.get, seed=0)
    drawn = walking.everything(grammar)
    assert ((WALK, AND, RUN, AND, RUN) in drawn) == stands


def test_a_rule_of_unlike_arguments_does_not_stand_under_itself(hand_made, walking):
    """`mop in hall` is no `mop in hall in kitchen`, though each is a command by itself."""
    mop, dust, hall, kitchen = (((word,),) for word in (30, 31, 32, 33))
    rules = {**walking.rules, X_AND_Y: [2, 1], **{(word,): [word] for word in (30, 31, 32, 33)}}
    pairs = [(X_AND_Y, job, room) for job in (mop, dust) for room in (hall, kitchen)]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, [mop, dust, hall, kitchen, *pairs]))
    generalise(grammar, {}.get, seed=0)
    assert max(words.count(AND) for words in walking.everything(grammar)) == 1


def test_without_places_words_and_depth_stay_as_observed(hand_made, walking):
    grammar = TreeGrammar(2)
    nested = (X_AND_Y, (X_AND_Y, A, B), A)
    grammar.add(hand_made({**walking.rules, (JUMP,): [9]}, [*walking.trees, nested, ((JUMP,),)]))
    generalise(grammar, {}.get, seed=0, places=False)
    drawn = walking.everything(grammar, 15)
    assert drawn[WALK, AND, RUN, THRICE] == [W, R, R, R], "rules of one kind are exchanged all the same"
    assert not any(JUMP in words and len(words) > 1 for words in drawn)
    assert max(words.count(AND) for words in drawn) == 2
