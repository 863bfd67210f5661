"""Commands sampled from a tree grammar: what was observed, with the output of composing by hand."""

import pytest

from lane.trainer.grammar import TreeGrammar

WALK, RUN, TWICE, THRICE, AND = 1, 2, 3, 4, 5


@pytest.fixture
def grammar(hand_made, walking):
    met = TreeGrammar(2)
    met.add(hand_made(walking.rules, walking.trees))
    return met


def test_what_is_drawn_means_what_it_says(grammar, walking):
    drawn = walking.everything(grammar)
    for words, output in drawn.items():
        assert output == walking.by_hand(words)
    assert (WALK, TWICE, AND, RUN, TWICE) in drawn, "a new combination of what was met"
    assert len(drawn) > len(walking.trees)


def test_only_what_was_met_under_a_rule_stands_there(grammar, walking):
    for words in walking.everything(grammar):
        assert words.count(AND) <= 1, "no `and` was met under `and`"
        behind = words[words.index(AND) :] if AND in words else ()
        assert THRICE not in behind, "no `thrice` was met behind `and`"


def test_as_many_as_asked_for_distinct_and_in_bounds(grammar):
    found = grammar.sample(8, seed=1, most_words=4, most_actions=5)
    commands = [tuple(one.words) for one in found]
    assert len(set(commands)) == len(commands) == 8
    assert all(len(one.words) <= 4 and len(one.output) <= 5 for one in found)
    assert found == grammar.sample(8, seed=1, most_words=4, most_actions=5)
    assert found != grammar.sample(8, seed=2, most_words=4, most_actions=5)


def test_fewer_where_the_grammar_generates_fewer(grammar):
    assert len(grammar.sample(50, seed=1, most_words=1, most_actions=5)) == 2
    assert TreeGrammar(2).sample(50, seed=1, most_words=5, most_actions=5) == []


def test_known_commands_are_not_drawn(grammar):
    known = {(WALK,), (WALK, TWICE)}
    drawn = {tuple(one.words) for one in grammar.sample(50, 1, 9, 50, without=known)}
    assert (RUN, TWICE) in drawn
    assert not drawn & known
