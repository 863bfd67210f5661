"""Whole readings: the rules of small languages, found exactly."""

import json
import os
import subprocess
import sys

import pytest

from lane.data.pair import Pair
from lane.models import symbols
from lane.models.config import NetworkConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction import Induced, induce
from lane.trainer.induction.reading import Reading

RULES = {
    "operators": {"$ twice": "1 1", "$ thrice": "1 1 1", "$ and $": "1 2", "$ after $": "2 1"},
    "calls": {
        "$ plus $": "add ( 1 , 2 )",
        "$ times $": "mul ( 1 , 2 )",
        "the negative of $": "neg ( 1 )",
    },
    "names": {"turn on the $": "on ( 1 )", "turn off the $": "off ( 1 )"},
    "long_sentences": {"please set the $ in $ to $": "set ( 2 , 1 , 3 )"},
    "parts": {
        "$ is $": "eq ( 1 , 2 )",
        "items where $": "select ( 1 )",
        "$ and $": "and ( 1 , 2 )",
        "count where $ or $": "count ( or ( 1 , 2 ) )",
    },
}


def spelled(rules, dataset):
    def left(token):
        return "$" if token == symbols.VARIABLE else dataset.source.word(token)

    def right(token):
        return str(token) if token > 0 else dataset.target.word(-token)

    return {" ".join(map(left, a)): " ".join(map(right, b)) for a, b in rules.items()}


def test_the_rules_of_the_language_are_found(languages, induced, named):
    assert spelled(induced[named].rules, languages[named].seen) == RULES[named]
    assert induced[named].lost == 0
    assert str(induced[named]).endswith("they explain every kind of command")


def test_rules_explain_commands_that_were_not_read(languages, induced, named):
    everything, found = languages[named].everything, induced[named]
    assert len(everything) > len(languages[named].seen)
    reading = Reading(everything, found.lexicon, found.rules)
    for command, gold in everything.known().items():
        assert len(command) == 1 or reading.output(command) == gold


def test_limits_have_room_for_the_rules(induced, named):
    config = NetworkConfig()
    wide = NetworkConfig.model_validate(config.model_dump() | induced[named].limits(config))
    assert wide.max_span >= max(map(len, induced[named].rules))
    assert wide.template_limit >= max(map(len, induced[named].rules.values()))


def test_constants_are_those_that_rules_hold_beside_variables(languages, induced):
    def named(found, dataset):
        return {dataset.target.word(number) for number in found.constants_for("if-needed")}

    assert induced["operators"].constants_for("if-needed") is False
    assert named(induced["calls"], languages["calls"].seen) == {"add", "mul", "neg", "(", ",", ")"}
    for found in induced.values():
        assert found.constants_for("never") is False
        assert found.constants_for("always") is True
    # A rule without variables is a translation: its actions are no constants.
    assert Induced({}, {(1, 2): (-3,)}, 0, 1).constants_for("if-needed") is False
    assert Induced({}, {(0, 2): (1, -3)}, 1, 2).constants_for("if-needed") is True, "not all is explained"


def test_a_few_wrong_pairs_change_no_rule(languages):
    dataset = languages["operators"].seen
    wrong = [Pair.of("walk twice and run", "J J J"), Pair.of("look after run thrice", "W")]
    kept = [pair for pair in dataset.pairs if pair.source not in {w.source for w in wrong}]
    found = induce(dataset.like([*kept, *wrong]))
    assert spelled(found.rules, dataset) == RULES["operators"]


def test_pairs_without_rules_are_admitted():
    pairs = [Pair.of(f"a{n} b{n} c{n}", f"X{(7 * n) % 5} Y{(3 * n) % 4} Z{n % 3}") for n in range(12)]
    found = induce(Dataset.of(pairs))
    assert found.shapes >= found.lost
    if found.lost:
        assert f"do not explain {found.lost} of {found.shapes} kinds" in str(found)


@pytest.mark.parametrize("pairs", [{"a": "X"}, {"a b": "X"}, {"a a": "X", "a": "X"}], ids=str)
def test_tiny_data(pairs):
    found = induce(Dataset.of([Pair.of(*pair) for pair in pairs.items()]))
    assert found.lost <= found.shapes <= len(pairs)


PROGRAM = """
import json, sys
from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.induction import induce
for pairs in json.load(sys.stdin):
    found = induce(Dataset.of([Pair(tuple(a), tuple(b)) for a, b in pairs]))
    print(sorted(found.lexicon.items()), list(found.rules.items()), found.lost, found.shapes)
"""


def test_hashes_change_nothing(languages):
    data = json.dumps([[[p.source, p.target] for p in made.seen.pairs] for made in languages.values()])
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=data,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed.pop().count("\n") == len(languages)


def test_the_order_of_the_pairs_changes_nothing(languages, induced, named):
    dataset = languages[named].seen
    assert induce(dataset.like(reversed(dataset.pairs))) == induced[named]
