"""Frames, trees and grammars of practical languages, on one that fits on a hand."""

import pytest

from lane.data.pair import Pair
from lane.experiments.languages.frames import Frame, Grammar, Tree

ANN, BOB = Frame.of("name", "ann", "A"), Frame.of("name", "bob", "B C")
CALL = Frame.of("order", "call $name", "dial ( $0 )")
MEET = Frame.of("order", "let $name meet $name", "meet ( $1 , $0 , $1 )")
THEN = Frame.of("line", "$line then $order", "$0 . $1")
GRAMMAR = Grammar("line", (ANN, BOB, CALL, MEET, THEN), {"line": "order"})


def test_a_frame_reads_as_its_rule_and_knows_its_slots() -> None:
    assert str(MEET) == "let $name meet $name -> meet ( $1 , $0 , $1 )"
    assert (ANN.slots, MEET.slots, THEN.slots) == ((), ("name", "name"), ("line", "order"))


def test_one_tree_writes_both_sides() -> None:
    tree = Tree(THEN, (Tree(CALL, (Tree(BOB),)), Tree(MEET, (Tree(ANN), Tree(BOB)))))
    expected = "dial ( B C ) . meet ( B C , A , B C )"
    assert tree.pair() == Pair.of("call bob then let ann meet bob", expected)
    assert tree.size() == len(expected.split())
    assert list(tree.nestings()) == [
        (THEN, 0, CALL),
        (CALL, 0, BOB),
        (THEN, 1, MEET),
        (MEET, 0, ANN),
        (MEET, 1, BOB),
    ]


def test_a_size_is_counted_without_writing() -> None:
    double = Frame.of("line", "double $line", "$0 $0")
    tree = Tree(ANN)
    for _ in range(200):
        tree = Tree(double, (tree,))
    assert tree.size() == 2**200


def test_a_wider_sort_takes_the_frames_of_the_narrower() -> None:
    assert GRAMMAR.by_sort == {"line": (THEN, CALL, MEET), "name": (ANN, BOB), "order": (CALL, MEET)}


def test_nestings_and_places_say_the_same() -> None:
    assert (THEN, 0, THEN) in GRAMMAR.nestings
    assert (THEN, 1, THEN) not in GRAMMAR.nestings
    assert GRAMMAR.places[ANN] == [(CALL, 0), (MEET, 0), (MEET, 1)]
    for frame, places in GRAMMAR.places.items():
        assert places == [(outer, slot) for outer, slot, inner in GRAMMAR.nestings if inner == frame]


@pytest.mark.parametrize(("frame", "depth"), [(THEN, 0), (CALL, 0), (ANN, 1)])
def test_the_depth_is_the_number_of_frames_around(frame: Frame, depth: int) -> None:
    assert GRAMMAR.depths[frame] == depth
