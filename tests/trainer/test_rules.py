"""Rules as a person writes them."""

from lane.base.rule import Rule
from lane.base.vocabulary import Vocabulary
from lane.trainer.dataset import Dataset
from lane.trainer.rules import extract

DATASET = Dataset([], Vocabulary(["walk", "twice", "and"]), Vocabulary(["WALK"]))
WALK, TWICE, AND = (1,), (0, 2), (0, 3, 0)
RULES = {AND: [2, 1, 2], TWICE: [1, 1], WALK: [3]}


def test_rules_are_read_off_derivations(hand_made):
    trees = [(WALK,), (TWICE, (WALK,)), (AND, (TWICE, (WALK,)), (WALK,))]
    found = extract(hand_made(RULES, trees), 2, DATASET)
    assert found == [
        Rule(("walk",), ("WALK",), 4),
        Rule(("$x", "twice"), ("$X", "$X"), 2),
        Rule(("$x", "and", "$y"), ("$Y", "$X", "$Y"), 1),
    ]
    assert [str(rule) for rule in found] == [
        "walk -> WALK",
        "$x twice -> $X $X",
        "$x and $y -> $Y $X $Y",
    ]
    assert [rule.is_word for rule in found] == [True, False, False]


def test_a_rule_that_nothing_used_is_not_listed(hand_made):
    assert [str(rule) for rule in extract(hand_made(RULES, [(WALK,)]), 2, DATASET)] == ["walk -> WALK"]


def test_equal_texts_are_one_rule(hand_made):
    """Two translations of one span that read the same are counted together."""
    rollout = hand_made(RULES, [(WALK,), (WALK,)])
    rollout.translations.template = rollout.translations.template[[0, 1, 2, 2]]
    rollout.solution[1, 0] = 3
    assert extract(rollout, 2, DATASET) == [Rule(("walk",), ("WALK",), 2)]
