"""What a program with slots, words to skip or any case must be."""

from dataclasses import replace

import pytest

from lane.base.rule import Rule
from lane.base.scheme import Schemes
from lane.runtime import Program, ProgramError
from lane.runtime.kind import RuleKind


def changed(program, **changes):
    return replace(program, **changes)


def with_rule(program, rule):
    rules = [rule if old.span == rule.span else old for old in program.rules]
    actions = sorted({*program.actions, *(token for token in rule.template if token[0] != "$")})
    return replace(program, rules=tuple(rules), actions=tuple(actions))


def test_the_file_has_version_3_and_comes_back(slots):
    program = slots.program()
    data = program.dumps()
    assert data.startswith(b'{"lane-program": 3, ')
    assert (
        b'"slots": ["artist", "number", "room", "text"], "skips": ["please", "the"], "folds": true}' in data
    )
    assert Program.loads(data) == program
    assert Program.loads(data).dumps() == data


def test_a_program_without_any_of_it_is_version_2(slots, tiny):
    assert tiny.dumps().startswith(b'{"lane-program": 2, ')
    assert b"folds" not in tiny.dumps()
    plain = changed(slots.program(), schemes=Schemes())
    assert plain.dumps().startswith(b'{"lane-program": 2, ')


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda p: changed(p, schemes=Schemes(slots=("moon",))), "{moon} is no word that stands for itself"),
        (lambda p: with_rule(p, Rule(("{room}",), ("HALL",))), "{room} is no word that stands for itself"),
        (lambda p: with_rule(p, Rule(("say", "$x"), ("{room}", "$X"))), "writes a slot, which only the slot"),
        (
            lambda p: with_rule(p, Rule(("hall",), ("{room:a}",))),
            "'{room:a}' could be taken for the text of a slot",
        ),
        (lambda p: changed(p, schemes=p.schemes._replace(skips=("go",))), "'go' is a word of the program"),
        (
            lambda p: changed(p, schemes=p.schemes._replace(skips=("a\x00",))),
            "holds white space or a control",
        ),
        (
            lambda p: changed(p, schemes=p.schemes._replace(skips=("MAY",))),
            "'MAY' and 'May' differ in case only",
        ),
    ],
)
def test_what_could_be_mistaken_is_refused(slots, change, problem):
    with pytest.raises(ProgramError) as caught:
        change(slots.program())
    assert problem in str(caught.value)


def test_a_guess_of_the_network_may_write_a_slot(slots):
    """It is refused with every rule that was not learned."""
    program = slots.program()
    kinds = tuple(kind for kind in program.kinds if ("say", "$x") not in kind.spans)
    renumbered = [RuleKind(kind.root, ((),) * len(kind.slots), kind.spans) for kind in kinds]
    guessed = changed(program, kinds=tuple(renumbered))
    with_rule(guessed, Rule(("say", "$x"), ("{room}", "$X")))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b'"folds": true', b'"folds": 1', "folds: neither true nor false"),
        (b'["please", "the"]', b'["the", "please"]', "skips: are out of order"),
        (b'["artist", "number"', b'["Artist", "number"', "slots: a name is"),
        (b', "folds": true', b"", "the keys must be source, target, phrases, slots, skips, folds"),
        (
            b'"slots": ["artist", "number", "room", "text"], "skips": ["please", "the"], "folds": true',
            b'"slots": [], "skips": [], "folds": false',
            "has no slots, skips or folds: that is a program of version 2",
        ),
    ],
)
def test_malformed_parts_of_a_file_are_refused(slots, old, new, problem):
    import hashlib

    head, body = slots.program().dumps().split(b"\n", 1)
    body = body.replace(old, new, 1)
    data = head[:31] + hashlib.sha256(body).hexdigest().encode() + b'",\n' + body
    with pytest.raises(ProgramError) as caught:
        Program.loads(data)
    assert problem in str(caught.value)


def test_version_2_has_no_such_parts(slots):
    data = slots.program().dumps().replace(b'"lane-program": 3', b'"lane-program": 2', 1)
    with pytest.raises(ProgramError, match="the keys must be source, target, phrases, in this order"):
        Program.loads(data)
