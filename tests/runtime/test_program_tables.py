"""Tables: what the loop looks up, numbered and checked."""

import pytest

from lane.runtime import Limits, Node, Program, ProgramError, Rule
from lane.runtime.program_tables import Template

LIMITS = Limits(max_words=10, max_actions=20)
TABLES = {
    "words": (("a", True), ("b", False)),
    "actions": ("A", "B"),
    "nodes": (Node("$", "$", 1, True), Node("$", "b", 0, False), Node(("$", "b"), "$", 2, True)),
    "rules": (
        Rule(("a",), ("A",)),
        Rule(("b",), ("B", "A")),
        Rule(("$x", "$y"), ("A", "B", "$Y", "A", "$X", "$X")),
        Rule(("$x", "b", "$y"), ("$Y",)),
    ),
    "limits": LIMITS,
}


def tables(**changes):
    return Program(**(TABLES | changes)).tables


def test_nodes_are_numbered_behind_the_leaves():
    made = tables()
    assert made.leaf_of == {"a": 0, "b": 1}
    assert made.value_of == {"a": ("A",)}
    assert made.spans == [("$",), ("b",), ("$", "$"), ("$", "b"), ("$", "b", "$")]
    assert made.recognized == [False, False, True, False, True]
    assert {divmod(key, made.stride): found for key, found in made.pairs.items()} == {
        (0, 0): (1, 2),
        (0, 1): (2, 3),
        (3, 0): (0, 4),
    }, "the highest rank has the priority 0"


def test_templates_are_compiled_when_first_asked_for():
    made = tables()
    assert made.templates == {}
    assert made.template(2) == Template(("A B", 1, "A", 0, 0), 3, (2, 1))
    assert made.template(4) == Template((1,), 0, (0, 1))
    assert made.template(3) is None, "no rule has its span"
    assert set(made.templates) == {2, 3, 4}


@pytest.mark.parametrize(
    ("changes", "place", "problem"),
    [
        ({"words": (("b", False), ("a", True))}, "words[1]", "out of order"),
        ({"words": (("a", True), ("a", True))}, "words[1]", "out of order"),
        ({"words": (("", True),)}, "words[0]", "empty or longer than 256"),
        ({"words": (("a" * 257, True),)}, "words[0]", "empty or longer than 256"),
        ({"words": (("a\x1b", True),)}, "words[0]", "control character"),
        ({"actions": ("A", "$B")}, "actions[1]", "begins like a variable"),
        ({"actions": ("<error:x>", "A", "B")}, "actions[0]", "an error"),
        ({"nodes": (Node("$", "$", 1, True),)}, "nodes", "without a gap"),
        ({"nodes": (Node("$", "c", 0, False),)}, "nodes[0]", "neither a leaf nor an earlier"),
        ({"nodes": (Node("b", "b", 0, True),)}, "nodes[0]", "is recognised, but"),
        ({"nodes": (Node("b", "$", 0, False), Node("$", "b", 0, False))}, "nodes[1]", "out of order"),
        ({"rules": (Rule(("b",), ("B",)), Rule(("a",), ("A",)))}, "rules[1]", "out of order"),
        ({"rules": (Rule(("a",), ("C",)),)}, "rules[0]", "unknown action"),
        ({"rules": (Rule(("$y", "b"), ("A",)),)}, "rules[0]", "wrong variable"),
        ({"rules": (Rule(("a",), ("A",), -1),)}, "rules[0]", "uses is not"),
        ({"rules": (Rule(("a",), ("A",)),)}, "words[1]", "has no rule of its own"),
        ({"limits": Limits(10, 20, max_span=2)}, "rules[3]", "longer than max_span"),
    ],
)
def test_what_is_refused(changes, place, problem):
    with pytest.raises(ProgramError) as refused:
        tables(**changes)
    assert refused.value.place == place
    assert problem in refused.value.problem
