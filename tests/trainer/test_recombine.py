"""New commands from observed ones: derivable, and with the output of composing by hand."""

import random
from itertools import pairwise

import pytest

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.recombine import Room, TreeGrammar, recombined

WALK, RUN, TWICE, THRICE, AND = 1, 2, 3, 4, 5
W, R = 1, 2
ROUND_WALK, ROUND_RUN = (WALK,), (RUN,)
X_TWICE, X_THRICE, X_AND_Y = (0, TWICE), (0, THRICE), (0, AND, 0)
RULES = {
    ROUND_WALK: [2 + W],
    ROUND_RUN: [2 + R],
    X_TWICE: [1, 1],
    X_THRICE: [1, 1, 1],
    X_AND_Y: [1, 2],
}
A, B = (ROUND_WALK,), (ROUND_RUN,)
# `thrice` was met in all the company of `twice`, but never behind `and`.
TREES = [
    A,
    B,
    (X_TWICE, A),
    (X_TWICE, B),
    (X_THRICE, A),
    (X_THRICE, B),
    (X_AND_Y, A, B),
    (X_AND_Y, (X_TWICE, A), B),
    (X_AND_Y, (X_THRICE, B), A),
    (X_AND_Y, A, (X_TWICE, B)),
]


def by_hand(words):
    """The meaning of a command: `and` joins what is said twice or thrice or once."""
    output, part = [], []
    for word in [*words, AND]:
        if word == AND:
            output, part = output + part, []
        else:
            part = {WALK: [W], RUN: [R], TWICE: part * 2, THRICE: part * 3}[word]
    return output


@pytest.fixture
def grammar(hand_made):
    met = TreeGrammar(2)
    met.add(hand_made(RULES, TREES))
    return met


def everything(grammar, most_words=9):
    rng = random.Random(1)
    drawn = [grammar.draw(rng, Room(most_words, 100)) for _ in range(2000)]
    return {tuple(words): output for words, output in filter(None, drawn)}


def test_what_is_drawn_means_what_it_says(grammar):
    drawn = everything(grammar)
    for words, output in drawn.items():
        assert output == by_hand(words)
    assert (WALK, TWICE, AND, RUN, TWICE) in drawn, "a new combination of what was met"
    assert len(drawn) > len(TREES)


def test_only_what_was_met_under_a_rule_stands_there(grammar):
    for words in everything(grammar):
        assert words.count(AND) <= 1, "no `and` was met under `and`"
        behind = words[words.index(AND) :] if AND in words else ()
        assert THRICE not in behind, "no `thrice` was met behind `and`"


def test_rules_of_one_kind_keep_the_same_company(grammar):
    grammar.close({}.get, seed=0)
    drawn = everything(grammar)
    assert drawn[WALK, AND, RUN, THRICE] == [W, R, R, R]
    assert all(output == by_hand(words) for words, output in drawn.items())
    assert all(words.count(AND) <= 1 for words in drawn)


def test_a_combination_that_a_known_pair_speaks_against_is_left_out(grammar):
    """Here `thrice` behind `and` is known to repeat the whole."""
    known = {}
    for first in everything(grammar):
        for last in (WALK, RUN):
            if AND not in first:
                known[*first, AND, last, THRICE] = tuple(3 * [*by_hand(first), *by_hand([last])])
    grammar.close(known.get, seed=0)
    assert not any(words[-1] == THRICE and AND in words for words in everything(grammar))


def test_rules_with_different_company_stay_apart(hand_made):
    """`twice` was met everywhere, `thrice` under one word only: that is too little to go by."""
    met = TreeGrammar(2)
    met.add(hand_made(RULES, [tree for tree in TREES if str(X_THRICE) not in str(tree)]))
    met.add(hand_made(RULES, [(X_AND_Y, (X_THRICE, A), B)]))
    met.close({}.get, seed=0)
    for words in everything(met):
        assert (RUN, THRICE) not in list(pairwise(words))


def test_rules_of_one_argument_whose_words_have_the_same_neighbours_are_of_one_kind(hand_made):
    """However a model derived the commands that have them; but not rules of two arguments."""
    met = TreeGrammar(2)
    met.add(hand_made(RULES, [tree for tree in TREES if str(X_THRICE) not in str(tree)]))
    met.add(hand_made(RULES, [(X_AND_Y, (X_THRICE, A), B)]))
    met.close({}.get, 0, {TWICE: {(0, -1), (0, AND)}, THRICE: {(0, -1), (0, AND)}, AND: {(0, 0)}})
    drawn = everything(met)
    assert drawn[WALK, AND, RUN, THRICE] == [W, R, R, R]
    assert all(output == by_hand(words) for words, output in drawn.items())


def test_as_many_as_asked_for_distinct_and_in_bounds(grammar):
    found = grammar.sample(8, seed=1, most_words=4, most_actions=5)
    commands = [tuple(words) for words, _ in found]
    assert len(set(commands)) == len(commands) == 8
    assert all(len(words) <= 4 and len(output) <= 5 for words, output in found)
    assert found == grammar.sample(8, seed=1, most_words=4, most_actions=5)
    assert found != grammar.sample(8, seed=2, most_words=4, most_actions=5)


def test_fewer_where_the_grammar_generates_fewer(grammar):
    assert len(grammar.sample(50, seed=1, most_words=1, most_actions=5)) == 2
    assert TreeGrammar(2).sample(50, seed=1, most_words=5, most_actions=5) == []


def test_new_commands_as_examples(grammar):
    source = Vocabulary(["walk", "run", "twice", "thrice", "and"])
    target = Vocabulary(["W", "R"])
    dataset = Dataset([Pair.of("walk and run twice", "W R R")], source, target)
    made = recombined(grammar, dataset, 10, seed=3)
    assert len(made) == 10
    for pair in made.pairs:
        words = [source.number(word) for word in pair.source]
        assert [target.number(action) for action in pair.target] == by_hand(words)


LEFT, RIGHT, AFTER = 6, 7, 8
X_Y, X_AFTER = (0, 0), (0, AFTER)


def test_arguments_that_depend_on_each_other_are_drawn_together(hand_made):
    """`$x $y` stands for `walk left`, and for what is left of `walk after run`, and never for `walk run`."""
    rules = {**RULES, (LEFT,): [5], (RIGHT,): [6], X_Y: [2, 1], X_AFTER: [1]}
    left, right = ((LEFT,),), ((RIGHT,),)
    turns = [(X_Y, one, side) for one in (A, B) for side in (left, right)]
    afters = [(X_Y, (X_AFTER, one), other) for one in (A, B, (X_TWICE, A)) for other in (A, B)]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, [*turns, *afters]))
    grammar.close({}.get, seed=0)
    drawn = everything(grammar)
    assert (WALK, TWICE, AFTER, RUN) in drawn
    assert (WALK, LEFT) in drawn
    assert (WALK, RUN) not in drawn
    assert not any(AFTER in words and words[-1] in (LEFT, RIGHT) for words in drawn)


def test_arguments_are_drawn_apart_where_nothing_speaks_against_it(grammar):
    grammar.close({}.get, seed=0)
    assert (WALK, THRICE, AND, RUN, TWICE) in everything(grammar), "never met: two phrases joined"


def test_rules_of_one_kind_need_not_have_been_met_in_the_same_company(hand_made):
    """`or` keeps the company of `and`, but its arguments depend on each other, and those of `and` do not."""
    either = 9
    x_or_y = (0, either, 0)
    rules = {**RULES, (LEFT,): [5], (RIGHT,): [6], x_or_y: [1, 2]}
    phrases = [(X_TWICE, A), (X_THRICE, A), (X_TWICE, B), (X_THRICE, B)]
    words = [A, B, ((LEFT,),), ((RIGHT,),)]
    trees = [(X_AND_Y, one, other) for one in (*words, *phrases) for other in words]
    trees += [(x_or_y, one, other) for one in words for other in words[:2]]
    trees += [(x_or_y, one, other) for one in phrases for other in words[2:]]
    grammar = TreeGrammar(2)
    grammar.add(hand_made(rules, trees))
    assert grammar._find_dependent() == {x_or_y}
    assert any({X_AND_Y, x_or_y} <= set(kind) for kind in grammar._find_kinds({}))
    grammar.close({}.get, seed=0)
    drawn = everything(grammar)
    assert (WALK, either, RUN) in drawn
    assert (WALK, either, LEFT) not in drawn
