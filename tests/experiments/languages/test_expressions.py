"""Practical languages of expressions: one command of each kind, its meaning written by hand."""

import random
from collections.abc import Callable

import pytest

from lane.experiments.languages import expressions
from lane.experiments.languages.drawing import Design
from lane.experiments.languages.frames import Frame, Tree
from lane.experiments.languages.wording import Wording

KINDS = [expressions.calls, expressions.prefix, expressions.counts, expressions.query, expressions.idioms]


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


def test_calls_nest_by_level() -> None:
    design, wording = design_of(expressions.calls, 1)
    (total,) = frames_of(design, "sum")
    (product,) = frames_of(design, "product")
    one, two, three = map(Tree, frames_of(design, "number")[:3])
    tree = Tree(total, (one, Tree(product, (two, three))))
    inner = wording.call(product.target[0], two.meaning()[0], three.meaning()[0])
    assert " ".join(tree.meaning()) == wording.call(total.target[0], one.meaning()[0], inner)
    assert (total, 0, product) in design.grammar.nestings
    assert (product, 0, total) not in design.grammar.nestings, "it would need brackets"


def test_prefix_brackets_every_operator() -> None:
    design, wording = design_of(expressions.prefix, 2)
    for frame in frames_of(design, "e"):
        if frame.slots:
            assert (frame.target[0], frame.target[-1]) == (wording.open, wording.close)


def test_counts_repeat_what_stands_before() -> None:
    design, _ = design_of(expressions.counts, 3)
    verb = Tree(frames_of(design, "part")[0])
    counts = {len(frame.target): frame for frame in frames_of(design, "counted")}
    assert sorted(counts) == list(range(2, 10))
    tree = Tree(counts[3], (Tree(counts[2], (verb,)),))
    assert tree.meaning() == verb.meaning() * 6
    assert tree.words()[:2] == (*verb.words(), "twice")


def test_a_query_has_its_clauses_in_one_order() -> None:
    design, _ = design_of(expressions.query, 4)
    grammar = design.grammar
    (base,) = frames_of(design, "base")
    (filtered,) = frames_of(design, "filtered")
    (ordered,) = frames_of(design, "sorted")
    assert (ordered, 0, filtered) in grammar.nestings
    assert (ordered, 0, base) in grammar.nestings, "clauses may be left out"
    assert (filtered, 0, ordered) not in grammar.nestings


def test_an_idiom_is_not_the_sum_of_its_parts() -> None:
    for seed in range(5):
        design, _ = design_of(expressions.idioms, seed)
        units = {frame.source: frame.target for frame in frames_of(design, "unit")}
        idioms = [source for source in units if len(source) > 1]
        assert len(idioms) >= 4
        for idiom in idioms:
            parts = [units[word,] for word in idiom if (word,) in units]
            assert parts
            assert units[idiom] != tuple(action for part in parts for action in part)
