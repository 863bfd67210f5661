"""Programs: canonical order, and what is refused."""

import pickle
from random import Random

import pytest

from lane.runtime import Limits, Program, ProgramError

LIMITS = Limits(max_words=10, max_actions=20)


def build(**changes):
    content = {
        "words": {"a": True, "b": False},
        "nodes": [("$", "b", 1, False), (("$", "b"), "$", 2, True), ("b", "b", 0, True)],
        "rules": [
            (("a",), ("A",), 0),
            (("b",), ("B",), 0),
            (("b", "b"), ("B",), 0),
            (("$x", "b", "$y"), ("$Y", "$X"), 0),
        ],
        "limits": LIMITS,
    }
    return Program.build(**(content | changes))


def test_order_and_scale_of_scores_make_no_difference(scan):
    program = scan.scan_program()
    random = Random(0)
    nodes = [(node.left, node.right, node.rank * 0.25 - 7.0, node.recognized) for node in program.nodes]
    rules = [(rule.span, rule.template, rule.uses) for rule in program.rules]
    words = list(program.words)
    for rows in (nodes, rules, words):
        random.shuffle(rows)
    again = Program.build(
        words=dict(words),
        nodes=nodes,
        rules=rules,
        limits=program.limits,
        margin=program.margin,
        agreement=program.agreement,
        provenance=program.provenance,
    )
    assert again == program
    assert again.dumps() == program.dumps()


def test_equal_scores_share_a_rank():
    assert [node.rank for node in build().nodes] == [1, 0, 2]
    nodes = [("$", "b", 0.5, False), (("$", "b"), "$", 0.5, True), ("b", "b", 0.5, True)]
    assert [node.rank for node in build(nodes=nodes).nodes] == [0, 0, 0]


def test_pickle(tiny):
    assert pickle.loads(pickle.dumps(tiny)) == tiny


def test_provenance_is_what_a_reader_gets_back():
    program = build(provenance={"seeds": (1, 2)})
    assert program.provenance == {"seeds": [1, 2]}
    assert Program.loads(program.dumps()) == program


@pytest.mark.parametrize(
    ("changes", "place", "problem"),
    [
        ({"words": {}}, "nodes", "'b' is neither"),
        ({"words": {}, "nodes": [], "rules": []}, "words", "empty"),
        ({"words": {"a": True, "b": False, "c": False}}, "words[2]", "'c' has no rule"),
        ({"words": {"<error:a": True, "b": False}}, "words[0]", "begins like"),
        ({"words": {"a\u3000a": True, "b": False}}, "words[0]", "white space"),
        ({"actions": ["A"]}, "rules[1]", "unknown action"),
        ({"nodes": [(("b", "b"), "b", 0, True)]}, "nodes", "neither"),
        ({"nodes": [("a", "b", 0, True)]}, "nodes", "'a' is neither"),
        ({"margin": float("nan")}, "margin", "finite"),
        ({"agreement": 1.5}, "agreement", "[0.0, 1.0]"),
        ({"provenance": {"x": object()}}, "provenance", "plain JSON"),
        ({"provenance": {"x": float("inf")}}, "provenance", "plain JSON"),
        ({"provenance": {"x": "y" * 70_000}}, "provenance", "at most 65536"),
        ({"limits": Limits(0, 1)}, "limits.max_words", "from 1"),
        ({"limits": Limits(1, 5)}, "limits.max_template", "max_actions"),
        ({"limits": Limits(10, 20, max_variables=1)}, "rules[3]", "wrong variable"),
    ],
)
def test_what_is_refused(changes, place, problem):
    with pytest.raises(ProgramError) as caught:
        build(**changes)
    assert caught.value.place == place
    assert problem in caught.value.problem


def test_an_incomplete_program_may_leave_words_without_a_rule():
    program = build(words={"a": True, "b": False, "c": False}, complete=False)
    assert not program.complete
