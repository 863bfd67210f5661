"""What a word may stand for: exactly what stands in the outputs of its commands."""

import random

import pytest

from lane.trainer.induction.lexicon import ELSEWHERE, LONGEST, SLACK, Lexicon


def test_an_example_of_one_word_says_its_value():
    lexicon = Lexicon([(1,), (2,), (1, 2)], ["abcde", "b", "abcdeb"])
    assert lexicon.alone == lexicon.value == {1: "abcde", 2: "b"}
    assert lexicon.is_free(1)
    assert lexicon.is_free(2)


def test_of_several_outputs_of_a_word_the_most_frequent_counts():
    assert Lexicon([(1,)] * 4, ["b", "a", "b", "c"]).alone == {1: "b"}
    assert Lexicon([(1,)] * 2, ["b", "a"]).alone == {1: "a"}, "a tie: the first in order"


def test_a_name_that_is_never_alone_is_guessed():
    names = {1: "a", 2: "b", 3: "cd"}
    commands = [(9, name) for name in names] + [(8, name) for name in names]
    outputs = [f"x{value}y" for value in names.values()] + [f"z{value}y" for value in names.values()]
    lexicon = Lexicon(commands, outputs)
    assert {word: lexicon.value[word] for word in names} == {1: "a", 2: "b", 3: "c"}, "the shortest that does"
    assert lexicon.alone == {}
    assert {lexicon.value[9], lexicon.value[8]} == {"x", "z"}


def test_what_all_outputs_have_says_nothing():
    lexicon = Lexicon([(1, 9), (2, 9)], ["a)", "b)"])
    assert 9 not in lexicon.value, "it is in every command, and `)` in every output"
    assert lexicon.value == {1: "a", 2: "b"}


def test_repeated_words_ask_for_repeated_values():
    lexicon = Lexicon([(1,), (1, 1), (1, 2)], ["a", "aa", "ab"])
    assert lexicon.contradicted(1, "a") == 0
    assert lexicon.contradicted(1, "b") == pytest.approx(2 / 3)
    assert Lexicon([(1,), (1, 1)], ["a", "a"]).contradicted(1, "a") == 1 / 2


def test_a_word_of_an_idiom_is_not_free_where_idioms_are_frequent():
    commands = [(1,)] + [(1, n) for n in range(2, 22)]
    assert Lexicon(commands, ["a"] + ["a"] * 19 + ["b"]).is_free(1)
    assert not Lexicon(commands, ["a"] + ["a"] * 17 + ["b"] * 3).is_free(1)


def test_commands_that_differ_in_a_word_show_the_whole_of_its_value():
    """`heater` is `climate.heater`, in which neither part says more than the other; `april` is no `04-`."""
    lamp, heater, on, off = 1, 2, 3, 4
    commands = [(lamp, on), (heater, on), (heater, off)]
    lexicon = Lexicon(commands, ["(l.a+", "(c.h+", "(c.h!"])
    assert lexicon.value[heater] == "c", "the shortest guess"
    assert lexicon.contrasted([lamp, heater]) == {lamp: "l.a", heater: "c.h"}
    assert lexicon.contrasted([on, off]) == {}, "the guess is the same"
    april, august, first, second = 1, 2, 3, 4
    commands = [(month, day) for month in (april, august) for day in (first, second)]
    lexicon = Lexicon(commands, ["4-1", "4-2", "8-1", "8-2"])
    lexicon.value[april] = "4-"
    assert lexicon.contrasted([april, august]) == {april: "4"}


def test_what_pairs_of_one_word_say_stays():
    lexicon = Lexicon([(1,), (1, 3), (2, 3)], ["a", "ab)", "cd)"])
    assert lexicon.contrasted([1, 2]) == {2: "cd"}
    lexicon.value[2] = "cd"
    assert lexicon.contrasted([1, 2]) == {}


def test_a_contrast_that_other_outputs_lack_is_none():
    """A value that is written twice has all between its places in the contrast, where it differs."""
    lexicon = Lexicon([(1, 8), (2, 8), (1, 9), (2, 9)], ["axa", "bxb", "ya", "yb"])
    assert lexicon.contrasted([1, 2]) == {}


@pytest.mark.parametrize("seed", range(40))
def test_a_guess_is_the_rarest_and_shortest_that_no_command_contradicts(seed):
    rng = random.Random(seed)
    commands = [tuple(rng.choices(range(1, 5), k=rng.randint(2, 3))) for _ in range(12)]
    outputs = ["".join(rng.choices("abcdef", k=rng.randint(3, 6))) for _ in commands]
    lexicon = Lexicon(commands, outputs)
    for word in {word for command in commands for word in command}:
        own = [n for n, command in enumerate(commands) if word in command]
        keys = []
        for part in {
            o[i : i + k] for o in outputs for k in range(1, LONGEST + 1) for i in range(len(o) - k + 1)
        }:
            lacking = sum(outputs[n].count(part) < commands[n].count(word) for n in own) / len(own)
            having = sum(part in output for output in outputs)
            others = len(commands) - len(own)
            if lacking <= SLACK and having < len(commands) and having - len(own) <= ELSEWHERE * others:
                keys.append((having, len(part), part))
        assert lexicon.value.get(word) == (min(keys)[2] if keys else None)
