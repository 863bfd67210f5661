"""Pairs that pass or fail, and the comparison with another model."""

from dataclasses import replace

import pytest

from lane.cli.examination import examine
from lane.data.pair import Pair
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator


@pytest.fixture
def translator(scan):
    return Translator(ProgramBackend(scan.scan_program(), "scan.lane"))


def numbered(*pairs):
    return [(line, Pair.of(*pair)) for line, pair in enumerate(pairs, start=1)]


def test_a_pair_passes_if_the_model_says_its_output(translator):
    pairs = numbered(("jump  twice", "I_JUMP  I_JUMP"), ("walk", "I_RUN"), ("wolk", "I_WALK"))
    result = examine(translator, "pairs.tsv", pairs, None, 0)
    assert [case.passed for case in result.cases] == [True, False, False]
    assert [case.line for case in result.failures] == [2, 3]
    assert not result.passed
    assert "jump" not in result.coverage.words_left
    assert {"walk", "wolk"} & set(result.coverage.words_left) == set()
    assert result.comparison is None


def test_another_model_is_compared_on_pairs_and_on_new_commands(translator, scan):
    program = scan.scan_program()
    changed = [
        rule._replace(template=("$X",)) if rule.span == ("$x", "thrice") else rule for rule in program.rules
    ]
    other = Translator(ProgramBackend(replace(program, rules=tuple(changed)), "other.lane"))
    pairs = numbered(("walk", "I_WALK"), ("walk thrice", "I_WALK I_WALK I_WALK"))
    result = examine(translator, "pairs.tsv", pairs, other, 400)
    assert (result.failures, result.passed) == ((), False)
    assert [found.command for found in result.comparison.on_pairs] == ["walk thrice"]
    assert result.comparison.other == "other.lane"
    assert 100 < result.comparison.commands <= 400
    assert result.comparison.on_commands
    assert all("thrice" in found.command for found in result.comparison.on_commands)
    same = examine(translator, "pairs.tsv", pairs, translator, 400)
    assert same.passed
    assert same.comparison.commands > 100


def test_a_slot_in_a_pair_stands_for_any_text(slots):
    translator = Translator(ProgramBackend(slots.program()))
    pairs = numbered(
        ("go {number} meters", "GO {number}"),
        ("say {text} and play {room}", "SAY {text} {text} PLAY {room}"),
        ("say {text}", "SAY {text:%7Btext%7D} {text:%7Btext%7D}"),  # what the user typed
        ("go 5 meters", "GO {number:5}"),
        ("say {number}", "SAY {number} {number}"),
    )
    found = [case.passed for case in examine(translator, "pairs.tsv", pairs, None, 0).cases]
    assert found == [True, False, True, True, False]
    translator.set_list("room", ["blue hall"])
    result = examine(translator, "pairs.tsv", pairs, translator, 100)
    assert [case.passed for case in result.cases] == [True, True, True, True, False]
    assert result.cases[0].command == "go 12 meters"
    assert result.cases[1].derivation.text == "SAY {text:something} {text:something} PLAY {room:blue%20hall}"
    assert "{artist}" in result.coverage.words_left
