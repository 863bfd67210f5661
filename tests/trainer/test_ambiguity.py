"""What the pairs leave open: rules and words with another reading that fits as well."""

from types import SimpleNamespace

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.ambiguity import open_readings
from lane.trainer.dataset import Dataset

SOURCE = ("hall", "study", "patrol", "and", "left", "right", "opposite")
HALL, STUDY, PATROL, AND, LEFT, RIGHT, OPPOSITE = range(1, 8)
TARGET = ("H", "S", "L", "R")
WORDS = {(HALL,): [3], (STUDY,): [4], (LEFT,): [5], (RIGHT,): [6]}
H, S, L, R = (((word,),) for word in (HALL, STUDY, LEFT, RIGHT))


@pytest.fixture
def found(hand_made):
    """The open readings of a model with hand-made derivations, as (reading, other, command)."""

    def find(rules, trees, variables=2):
        rollout = hand_made(rules, trees, variables)
        pairs = [Pair((SOURCE[0], *["and"] * n), ("H",)) for n in range(1, len(trees) + 1)]  # only counted
        dataset = Dataset(pairs, Vocabulary(SOURCE), Vocabulary(TARGET))
        evaluation = SimpleNamespace(rollout=rollout, right=torch.ones(len(trees), dtype=torch.bool))
        learner = SimpleNamespace(
            model=SimpleNamespace(solver=SimpleNamespace(variables=variables)),
            evaluate=lambda dataset, part: evaluation,
        )
        return [(one.reading, one.other, one.command) for one in open_readings(learner, dataset)]

    return find


BOTH, ROUND = (0, AND, 0), (PATROL, 0)


def test_words_that_occur_only_together_may_share_their_meaning_otherwise(found):
    """The robot's first pairs: `patrol` and `and` never occurred apart."""
    trees = [H, S, *((ROUND, (BOTH, one, other)) for one, other in ((H, S), (S, H)))]
    ((reading, other, command),) = found({**WORDS, BOTH: [1, 2], ROUND: [1, 1]}, trees)
    assert reading == "patrol $x -> $X $X; $x and $y -> $X $Y"
    assert other == "patrol $x -> $X; $x and $y -> $X $Y $X $Y"
    assert command == "patrol hall"


@pytest.mark.parametrize("nested", [True, False])
def test_whichever_of_both_a_model_has_learned(found, nested):
    trees = [H, S]
    for one, other in ((H, S), (S, H)):
        trees.append((ROUND, (BOTH, one, other)) if nested else (BOTH, (ROUND, one), other))
    ((reading, other, command),) = found({**WORDS, BOTH: [1, 2, 1, 2], ROUND: [1]}, trees)
    assert "$x and $y -> $X $Y $X $Y" in reading
    assert other in ("patrol $x -> $X $X; $x and $y -> $X $Y", "$x and $y -> $X $Y; patrol $x -> $X $X")
    assert command == "patrol hall"


def test_as_one_rule(found):
    one_rule = (PATROL, 0, AND, 0)
    trees = [H, S, (one_rule, H, S), (one_rule, S, H)]
    ((reading, other, command),) = found({**WORDS, one_rule: [1, 2, 1, 2]}, trees)
    assert reading == "patrol $x and $y -> $X $Y $X $Y"
    assert other == "patrol $x -> $X $X; $x and $y -> $X $Y"
    assert command == "patrol hall"


@pytest.mark.parametrize("apart", [(ROUND, H), (BOTH, S, H)])
def test_one_pair_that_has_them_apart_decides(found, apart):
    trees = [H, S, *((ROUND, (BOTH, one, other)) for one, other in ((H, S), (S, H))), apart]
    assert found({**WORDS, BOTH: [1, 2], ROUND: [1, 1]}, trees) == []


BESIDE, TURN = (0, 0), (OPPOSITE, 0)


def test_an_operator_beside_one_word_only_may_be_a_word(found):
    trees = [L, R, H, (TURN, L), (BESIDE, H, L), (BESIDE, H, R), (BESIDE, S, L)]
    readings = found({**WORDS, BESIDE: [2, 1], TURN: [1, 1]}, trees)
    assert ("opposite $x -> $X $X", "opposite -> L", "opposite right") in readings
    assert not any("$x $y" in reading for reading, _, _ in readings)


def test_a_word_beside_one_word_only_may_be_an_operator(found):
    trees = [L, R, H, (BESIDE, ((OPPOSITE,),), L), (BESIDE, H, L), (BESIDE, H, R), (BESIDE, S, L)]
    readings = found({**WORDS, (OPPOSITE,): [5], BESIDE: [2, 1]}, trees)
    assert readings == [("opposite -> L", "opposite $x -> $X $X", "opposite right")]


def test_a_second_word_beside_it_decides(found):
    trees = [L, R, H, (TURN, L), (TURN, R), (BESIDE, H, L), (BESIDE, H, R), (BESIDE, S, L)]
    assert found({**WORDS, BESIDE: [2, 1], TURN: [1, 1]}, trees) == []


def test_wrong_examples_do_not_count_and_no_example_leaves_nothing_open(hand_made):
    dataset = Dataset([Pair.of("hall", "H")], Vocabulary(SOURCE), Vocabulary(TARGET))
    evaluation = SimpleNamespace(rollout=hand_made(WORDS, [H]), right=torch.zeros(1, dtype=torch.bool))
    learner = SimpleNamespace(
        model=SimpleNamespace(solver=SimpleNamespace(variables=2)), evaluate=lambda dataset, part: evaluation
    )
    assert open_readings(learner, dataset) == ()
