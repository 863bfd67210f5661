"""What a look at pairs finds: each slip alone gives its own line, and good pairs none."""

import pytest

from lane.base.scheme import Schemes
from lane.data import load_task
from lane.data.finding import find
from lane.data.pair import Pair

GOOD = [("jump", "JUMP"), ("walk", "WALK"), ("jump twice", "JUMP JUMP"), ("walk twice", "WALK WALK")]


def found(*pairs, schemes=Schemes(), place="line"):  # noqa: B008 - immutable
    return find(((number, Pair.of(*pair)) for number, pair in enumerate(pairs, 1)), schemes, place)


def test_good_pairs_have_none():
    assert found(*GOOD) == []


@pytest.mark.parametrize("task", ["limit", "around_right", "random:3", "practical:calls:1"])
def test_tasks_have_none(task):
    assert find(enumerate(load_task(task).train, 1), Schemes()) == []


def test_a_header_is_named_with_its_line():
    (line,) = found(("Command", "Action"), *GOOD)
    assert line == "line 1 looks like a header (Command | Action): remove it"


def test_titles_that_are_words_of_the_language_are_no_header():
    assert found(("in", "IN"), ("jump in", "JUMP IN"), *GOOD) == []


@pytest.mark.parametrize("sign", ["->", "=>", "|"])
def test_a_second_separator_is_named(sign):
    (line,) = found(*((source, f"{sign} {target}") for source, target in GOOD))
    assert repr(sign) in line
    assert found(*GOOD, ("jump over", f"{sign} JUMP"), ("walk over", f"{sign} WALK")) == []


def test_glued_punctuation_is_shown_where_the_schemes_leave_it():
    pairs = [*GOOD, ("jump over!", "over(JUMP)"), ("walk over", "over(WALK)"), ("walk over!", "over(WALK)")]
    pairs.append(("jump over", "over(JUMP)"))
    inputs, outputs = found(*pairs)
    assert "over!; lines 5, 7" in inputs
    assert "--source-scheme text" in inputs
    assert "over(JUMP), over(WALK); lines 5, 6, 7 and 1 more" in outputs
    assert "--target-scheme code" in outputs
    assert found(*pairs, schemes=Schemes("text", "code")) == []


def test_the_braces_of_slots_are_no_punctuation():
    pairs = [
        *GOOD,
        ("wait {number}", "WAIT {number}"),
        ("say {text}", "SAY {text}"),
        ("walk {number}", "WALK {number}"),
    ]
    lines = found(*pairs, schemes=Schemes(slots=("number", "text")))
    assert not any("punctuation" in line for line in lines)


def test_case_variants_are_shown_unless_folded():
    pairs = [*GOOD, ("Walk twice", "WALK WALK"), ("Walk", "WALK")]
    (line,) = found(*pairs, place="pair")
    assert "walk/Walk; pairs 5, 6" in line
    assert found(*pairs, schemes=Schemes("text")) == []


def test_words_of_a_single_pair_are_shown_unless_it_is_their_own():
    pairs = [*GOOD, ("run", "RUN"), ("jump twize", "JUMP JUMP"), ("walk wtice", "WALK WALK")]
    (line,) = found(*pairs)
    assert line.startswith("2 input words are each in a single pair: twize (line 6), wtice (line 7);")
    assert found(*GOOD, ("run", "RUN")) == []


def test_a_line_stays_a_line():
    pairs = [*GOOD * 20, *((f"jump{n}, twice", "JUMP JUMP") for n in range(1000))]
    assert all(len(line) < 300 for line in found(*pairs))
