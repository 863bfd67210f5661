"""Rules as people read them."""

import pytest

from lane.base.rule import MOST_VARIABLES, SOURCE_NAMES, TARGET_NAMES, VARIABLE, Rule, Rules, name_variables

TWICE = Rule(("$x", "twice"), ("$X", "$X"), 3)
JUMP = Rule(("jump",), ("JUMP",))


def test_every_source_name_has_a_target_name():
    assert len(set(SOURCE_NAMES)) == len(set(TARGET_NAMES)) == MOST_VARIABLES
    assert all(name.startswith(VARIABLE) for name in (*SOURCE_NAMES, *TARGET_NAMES))
    assert not set(SOURCE_NAMES) & set(TARGET_NAMES)


def test_a_rule_reads_as_a_line():
    assert str(TWICE) == "$x twice -> $X $X"
    assert (TWICE.is_word, JUMP.is_word) == (False, True)


def test_words_come_first_then_short_spans():
    rules = [Rule(("$x", "and", "$y"), ("$X",)), TWICE, Rule(("walk",), ("W",)), JUMP]
    assert [rule.span[0] for rule in sorted(rules, key=lambda rule: rule.order)] == [
        "jump",
        "walk",
        "$x",
        "$x",
    ]


def test_variables_are_named_from_left_to_right():
    assert name_variables(["$", "and", "$"]) == ("$x", "and", "$y")
    assert name_variables(["$"] * MOST_VARIABLES) == SOURCE_NAMES
    assert name_variables([]) == ()


def test_more_variables_than_names_is_an_error():
    with pytest.raises((StopIteration, RuntimeError)):
        name_variables(["$"] * (MOST_VARIABLES + 1))


def test_a_table_is_aligned_and_knows_what_is_used():
    table = Rules([JUMP, TWICE])
    assert str(table) == "jump     -> JUMP\n$x twice -> $X $X"
    assert table.used == (TWICE,)
    assert Rules([JUMP]).used == (JUMP,), "no use was counted: all of them"


def test_a_table_shows_itself_in_a_notebook():
    page = Rules([Rule(("<b>",), ("&",), 1234)])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<code>&amp;</code>" in page
    assert "1,234" in page


def test_a_long_table_is_cut_in_a_notebook():
    page = Rules([TWICE._replace(uses=0)] * 1600)._repr_html_()
    assert page.count("<code>$x twice</code>") == 500
    assert "and 1,100 more" in page


def test_a_notebook_shows_the_rules_in_use_and_counts_the_others():
    page = Rules([TWICE._replace(uses=0), TWICE._replace(span=("$x", "again"), uses=3)])._repr_html_()
    assert "again" in page
    assert "twice" not in page
    assert "and 1 more" in page
