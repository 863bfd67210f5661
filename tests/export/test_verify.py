"""What is compared, and that a difference is found."""

import pytest

from lane.base.errors import LaneError
from lane.experiments.oracle import Oracle
from lane.export.batches import numbers
from lane.export.verify import Difference, bad_commands, differences, random_commands


def test_random_commands_repeat_and_reach_the_length():
    words = ("a", "b")
    commands = random_commands(words, ["a b", "b"], 500, 90)
    assert commands == random_commands(words, ["a b", "b"], 500, 90)
    lengths = [len(command.split()) for command in commands]
    assert (min(lengths) <= 3, max(lengths) > 80) == (True, True)
    assert {word for command in commands for word in command.split()} == set(words)
    assert random_commands(words, [], 0, 9) == []


def test_bad_commands_avoid_the_vocabulary():
    commands = bad_commands(("qux", "quxx"), 3)
    assert "quxxx" in commands
    assert any(len(command.split()) == 4 for command in commands)


def test_expected_answers_are_the_oracles(checkpoint, model, commands_of, expected):
    commands = commands_of(4, 40, 10)
    oracle = Oracle(model)
    for command, (code, text) in zip(commands, expected(model, checkpoint, commands), strict=True):
        actions = oracle.derive(numbers(command, checkpoint.source)).actions
        if len(actions) > checkpoint.config.max_actions:
            assert (code, text) == ("too-many-actions", "")
        else:
            assert (code, text) == ("ok", " ".join(checkpoint.target.word(a) for a in actions))


def test_a_difference_is_found_and_shown(files, checkpoint, model, commands_of, expected):
    commands = commands_of(6, 60, 8)
    answers = expected(model, checkpoint, commands)
    assert differences(files["program"], commands, answers, complete=True) == []
    answers[17] = ("ok", "SOMETHING ELSE")
    (found,) = differences(files["program"], commands, answers, complete=True)
    assert found.command == commands[17]
    assert commands[17] in str(found)
    assert "'SOMETHING ELSE'" in str(found)


def test_long_commands_and_errors_are_shown_shortly():
    shown = str(Difference("x " * 9999, ("empty", ""), ("ok", "A")))
    assert len(shown) < 600
    assert "the error empty" in shown


def test_a_file_that_cannot_be_used_is_said(tmp_path):
    (tmp_path / "m.lane").write_bytes(b"nonsense")
    with pytest.raises(LaneError, match=r"m\.lane: the written file cannot be used"):
        differences(tmp_path / "m.lane", ["a"], [("ok", "A")], complete=True)
