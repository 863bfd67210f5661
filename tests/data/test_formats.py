import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.data.formats import Format, format_line, guess_format, parse_line
from lane.data.pair import Pair

words = st.lists(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=6).filter(
        lambda word: not word.startswith("$") and word.split() == [word] and word not in ("IN:", "OUT:")
    ),
    min_size=1,
    max_size=6,
).map(tuple)
pairs = st.builds(Pair, words, words)


@given(pairs, st.sampled_from(Format))
def test_a_line_reads_back_as_its_pair(pair: Pair, form: Format) -> None:
    line = format_line(form, pair)
    assert "\n" not in line
    assert parse_line(form, line) == pair


@given(pairs, st.sampled_from([Format.SCAN, Format.JSONL]))
def test_a_written_line_shows_its_format(pair: Pair, form: Format) -> None:
    assert guess_format(format_line(form, pair)) is form


def test_formats_are_guessed() -> None:
    assert guess_format("IN: a OUT: b") is Format.SCAN
    assert guess_format(' {"in": "a"}') is Format.JSONL
    assert guess_format("a b\tc") is Format.TSV
    assert guess_format("{room} twice\t{room} {room}") is Format.TSV
    with pytest.raises(ValueError, match="cannot tell the format"):
        guess_format("jump twice")


def test_lines_of_each_format_parse() -> None:
    pair = Pair.of("jump twice", "J J")
    assert parse_line(Format.SCAN, "IN: jump twice OUT: J J") == pair
    assert parse_line(Format.TSV, "jump twice\tJ J") == pair
    assert parse_line(Format.JSONL, '{"in": "jump twice", "out": ["J", "J"], "id": 7}') == pair


@pytest.mark.parametrize(
    ("form", "line", "reason"),
    [
        ("scan", "jump OUT: J", "does not start with 'IN: '"),
        ("scan", "IN: jump", "has no 'OUT:'"),
        ("scan", "IN: a OUT: b IN: c OUT: d", "more than once"),
        ("scan", "IN: OUT: b", "input is empty"),
        ("scan", "IN: a OUT:", "output is empty"),
        ("scan", "IN: $0 OUT: b", "reserved"),
        ("tsv", "a b", "has 1 tab-separated columns"),
        ("tsv", "a\tb\tc", "has 3 tab-separated columns"),
        ("tsv", "a\t ", "output is empty"),
        ("jsonl", "{", "is not JSON"),
        ("jsonl", "[" * 60_000, "is not JSON"),
        ("jsonl", '["a", "b"]', "not a JSON object"),
        ("jsonl", '{"in": "a"}', 'has no "out"'),
        ("jsonl", '{"in": "a", "out": 3}', "neither a string nor a list"),
        ("jsonl", '{"in": ["a", 1], "out": "b"}', "neither a string nor a list"),
        ("jsonl", '{"in": ["a b"], "out": "b"}', "white space"),
        ("jsonl", '{"in": "a", "out": "\\ud800"}', "half of a character"),
    ],
)
def test_a_broken_line_gives_its_reason(form: str, line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_line(Format(form), line)


@pytest.mark.parametrize("word", ["IN:", "OUT:"])
def test_the_scan_format_refuses_its_own_marks_as_words(word: str) -> None:
    with pytest.raises(ValueError, match="use tsv or jsonl"):
        format_line(Format.SCAN, Pair((word,), ("A",)))
    assert parse_line(Format.TSV, format_line(Format.TSV, Pair((word,), ("A",)))).source == (word,)


def test_a_word_that_ends_like_the_separator_is_a_word():
    pair = Pair.of("e-OUT: OUT:e", "0")
    assert parse_line(Format.SCAN, format_line(Format.SCAN, pair)) == pair
