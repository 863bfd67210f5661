"""Kinds of rules, checked against the rules of their program; test_refusal.py has whole programs."""

import pytest

from lane.base.rule import Rule
from lane.runtime import ProgramError
from lane.runtime.kind import RuleKind, check_kinds

RULES = {("a",): Rule(("a",), ("A",)), ("$", "b"): Rule(("$x", "b"), ("$X",))}
WORD = RuleKind(True, (), (("a",),))


def test_each_learned_rule_has_the_number_of_its_kind():
    kinds = (WORD, RuleKind(False, ((1, 2),), (("$x", "b"),)))
    assert check_kinds(kinds, RULES) == {("a",): 1, ("$", "b"): 2}
    assert check_kinds((), RULES) == {}


def test_a_slot_names_kinds_that_exist():
    with pytest.raises(ProgramError, match=r"kinds\[1\]: a slot"):
        check_kinds((WORD, RuleKind(False, ((3,),), (("$x", "b"),))), RULES)
