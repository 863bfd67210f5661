"""Tasks drawn from a small grammar: what training shows, and what is left for the test."""

import random
from collections import Counter

import pytest

from lane.experiments.languages.drawing import MAX_TRAIN_ACTIONS, Design, Shown, draw_task
from lane.experiments.languages.frames import Frame, Grammar, Tree

WORDS = ("ann", "bob", "cec", "dan", "eve", "fay", "gil", "hal")
NAMES = tuple(Frame.of("name", word, word.upper()) for word in WORDS)
CALL = Frame.of("order", "call $name", "dial $0")
MEET = Frame.of("order", "let $name meet $name", "meet $1 $0")
THEN = Frame.of("line", "$line then $order", "$0 . $1")
GRAMMAR = Grammar("line", (*NAMES, CALL, MEET, THEN), {"line": "order"})
HELD_OUT = NAMES[:2]
DESIGN = Design(GRAMMAR, tuple(map(Tree, NAMES)), HELD_OUT, words=8, longer=6, shown=Shown(3, 2, 2, 10))
TASK = draw_task("toy", DESIGN, random.Random(1), ["a note"])


def test_the_seed_decides() -> None:
    assert draw_task("toy", DESIGN, random.Random(1), ["a note"]) == TASK
    assert draw_task("toy", DESIGN, random.Random(2), ["a note"]) != TASK


def test_no_command_is_there_twice() -> None:
    commands = [pair.source for pair in (*TASK.train, *TASK.test)]
    assert len(set(commands)) == len(commands)


def test_names_given_alone_come_first_and_held_out_ones_are_nowhere_else() -> None:
    assert [pair.source for pair in TASK.train[: len(NAMES)]] == [name.source for name in NAMES]
    used = Counter(word for pair in TASK.train for word in pair.source)
    assert [used[name.source[0]] for name in HELD_OUT] == [1, 1]
    assert all(used[name.source[0]] > 1 for name in NAMES[2:])


def test_a_held_out_name_that_is_not_given_alone_has_one_frame() -> None:
    design = Design(GRAMMAR, (), HELD_OUT, words=8, longer=6)
    train = draw_task("toy", design, random.Random(1)).train
    for name in HELD_OUT:
        uses = [pair.source for pair in train if name.source[0] in pair.source]
        assert 1 <= len(uses) <= 2
        assert len({"call" in words for words in uses}) == 1


def test_every_length_is_shown_and_tests_are_longer() -> None:
    longest = max(len(pair.source) for pair in TASK.train)
    assert {len(pair.source) for pair in TASK.train} >= {1, 2, 4, 5, 7}  # 3, 6: no command has so many words
    assert max(len(pair.source) for pair in TASK.test) > longest
    assert {name.source[0] for name in HELD_OUT} <= {word for pair in TASK.test for word in pair.source}


def test_a_nesting_kept_apart_is_only_tested() -> None:
    apart = ((CALL, 0, NAMES[5]),)
    design = Design(GRAMMAR, tuple(map(Tree, NAMES)), HELD_OUT, words=8, longer=6, apart=apart)
    task = draw_task("toy", design, random.Random(3))

    def has(words: tuple[str, ...]) -> bool:
        return "call fay" in " ".join(words)

    assert not any(has(pair.source) for pair in task.train)
    assert any(has(pair.source) for pair in task.test)


def test_outputs_of_training_stay_short() -> None:
    nine = Frame.of("line", "$line nine times", " ".join(["$0"] * 9))
    grammar = Grammar("line", (*NAMES, CALL, nine), {"line": "order"})
    design = Design(grammar, tuple(map(Tree, NAMES)), HELD_OUT, words=8, longer=2)
    train = draw_task("toy", design, random.Random(1)).train
    assert max(len(pair.target) for pair in train) <= MAX_TRAIN_ACTIONS


def test_a_command_with_two_meanings_is_a_mistake_of_the_language() -> None:
    again = Frame.of("order", "call $name", "ring $0")
    grammar = Grammar("line", (*NAMES, CALL, again, THEN), {"line": "order"})
    with pytest.raises(ValueError, match="has two meanings"):
        draw_task("toy", Design(grammar, (), HELD_OUT, words=8, longer=2), random.Random(1))


def test_the_notes_have_the_rules_and_what_is_held_out() -> None:
    assert TASK.notes == ("a note", str(CALL), str(MEET), str(THEN), "held out, 2: ann, bob")
