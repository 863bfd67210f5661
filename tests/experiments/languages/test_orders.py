"""Practical languages of orders: one command of each kind, its meaning written by hand."""

import random
from collections.abc import Callable

import pytest

from lane.experiments.languages import orders
from lane.experiments.languages.drawing import Design
from lane.experiments.languages.frames import Frame, Tree
from lane.experiments.languages.wording import Wording

KINDS = [orders.arguments, orders.home, orders.ambiguous, orders.synonyms, orders.fillers, orders.names(50)]


def design_of(kind: Callable[[Wording], Design], seed: int) -> tuple[Design, Wording]:
    wording = Wording(random.Random(seed))
    return kind(wording), wording


def frames_of(design: Design, sort: str) -> list[Frame]:
    return [frame for frame in design.grammar.frames if frame.sort == sort]


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_can_stand_in_a_command(kind: Callable[[Wording], Design]) -> None:
    for seed in range(5):
        design, _ = design_of(kind, seed)
        assert set(design.grammar.depths) == set(design.grammar.frames)
        assert set(design.held_out) <= set(design.grammar.frames)
        assert all(not frame.slots for frame in design.held_out)


def test_orders_are_joined_in_turn() -> None:
    design, wording = design_of(orders.home, 1)
    (joined,) = [frame for frame in frames_of(design, "line") if "$line" in frame.source]
    assert joined.target == ("$0", wording.end, "$1")


def test_arguments_are_used_more_than_once() -> None:
    for seed in range(5):
        design, _ = design_of(orders.arguments, seed)
        assert any(frame.target.count("$0") > 1 for frame in frames_of(design, "order"))
        assert max(len(frame.slots) for frame in frames_of(design, "order")) == 3


def test_a_home_sets_a_device_in_a_room() -> None:
    design, wording = design_of(orders.home, 2)
    turn = frames_of(design, "order")[0]
    state, device, room = (frames_of(design, sort)[0] for sort in ("state", "device", "room"))
    tree = Tree(turn, (Tree(state), Tree(device), Tree(room)))
    assert tree.words()[2:] == ("the", *device.source, "in", "the", *room.source)
    values = (room.target[0], device.target[0], state.target[0])
    assert " ".join(tree.meaning()) == wording.call(turn.target[0], *values)


def test_an_ambiguous_word_is_an_order_and_a_thing() -> None:
    design, _ = design_of(orders.ambiguous, 3)
    things = {frame.source[0]: frame for frame in frames_of(design, "thing")}
    both = [frame for frame in frames_of(design, "order") if frame.source[0] in things]
    assert len(both) >= 5
    for order in both:
        thing = things[order.source[0]]
        tree = Tree(order, (Tree(thing),))
        assert tree.words() == (order.source[0], "the", order.source[0])
        assert thing.target[0] != order.target[0]
    assert all(outer in both for outer, _, _ in design.apart)


def test_synonyms_write_the_same() -> None:
    design, _ = design_of(orders.synonyms, 4)
    verbs = frames_of(design, "verb")
    actions = {frame.target for frame in verbs}
    assert all(sum(frame.target == action for frame in verbs) >= 3 for action in actions)
    assert len(frames_of(design, "turned")) == 6


def test_fillers_write_nothing() -> None:
    design, _ = design_of(orders.fillers, 5)
    for sort in ("asked", "told", "ended", "said", "some", "where", "item", "spot"):
        for frame in frames_of(design, sort):
            assert frame.target == ("$0",)


@pytest.mark.parametrize("count", [12, 50])
def test_one_name_in_twelve_is_held_out(count: int) -> None:
    design, _ = design_of(orders.names(count), 6)
    names = frames_of(design, "name")
    assert len(names) == len({frame.source for frame in names}) == count
    assert design.held_out == tuple(names[: count // 12])
    assert [tree.frame for tree in design.alone] == names[count // 12 :]
