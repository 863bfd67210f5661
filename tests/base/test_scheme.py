"""Schemes: every text comes back, tokens are valid words, and new combinations are joined as written ones."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.scheme import ESCAPE, GLUE, PLAIN, Schemes, join_code, shown, split_code

TEXT = Schemes("text", "code")
SIGNS = f"ab1 .,;:()[]{{}}\"'$=-+<>!\t\n\x1b\u00a0\u0301{GLUE}{ESCAPE}"
ANY = st.one_of(st.text(), st.text(alphabet=SIGNS))


@given(ANY)
@example(f"{ESCAPE}{GLUE}{GLUE}{ESCAPE}24 $x ${GLUE}")
@example("x" * 1000)
def test_any_text_comes_back_from_its_tokens(text):
    tokens = split_code(text)
    assert join_code(tokens) == text
    for token in tokens:
        assert token.split() == [token]
        assert not token.startswith(("$", "<error:"))
        assert len(token) <= 256


@given(ANY, st.sampled_from(["text", "code"]))
def test_tokens_of_commands_are_words_and_can_be_found_where_they_were_typed(text, scheme):
    schemes = Schemes(scheme)
    tokens = schemes.read(text)
    assert all(token.split() == [token] and token[0] != "$" for token in tokens)
    for position, token in enumerate(tokens, start=1):
        typed, word = schemes.typed(text, position)
        assert typed in text.split()[word - 1]
        assert scheme == "text" or token.removeprefix(ESCAPE) == typed or typed == ESCAPE


VALUES = st.recursive(
    st.sampled_from(["a", "kitchen", "3", "-3", '"two words"', "x.y", "f()", "[]", "!a"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"f({pair[0]}, b={pair[1]})"),
        inner.map(lambda value: f"[{value}, 1]"),
        inner.map(lambda value: f"({value})"),
    ),
    max_leaves=6,
)
TEMPLATES = ["g({})", "g(x={}, y=[{}])", "{} + {}", "{}; {}", "-{}", "[{},{}]", "{}%", "not {}", "({}).run"]


@given(VALUES, VALUES, st.sampled_from(TEMPLATES))
def test_a_value_fits_in_every_place_of_a_template(first, second, template):
    """A template filled with the tokens of values is joined as if it was written so: rules generalise."""
    tokens = split_code(template.format("V", "W"))
    values = {"V": split_code(first), "W": split_code(second)}
    filled = [token for place in tokens for token in values.get(place, [place])]
    assert join_code(filled) == template.format(first, second)


def test_words_have_one_form_and_delimiters_carry_the_spacing():
    assert " ".join(split_code("play(genre=jazz, room=kitchen)")) == (
        "play ￭(￭ genre ￭=￭ jazz ￭, room ￭=￭ kitchen ￭)"
    )
    assert split_code("f(g(), (a+b)*-3)") == (
        ["f", "￭(￭", "g", "￭(￭", "￭)", "￭,", "(￭", "a", "￭+￭", "b", "￭)", "￭*￭", "-￭", "3", "￭)"]
    )
    assert split_code('say "it\'s"') == ["say", '"￭', "it", "￭'￭", "s", '￭"']
    assert split_code("3kg $5") == ["3", "￭kg", "￮$￭", "5"]


def test_text_folds_case_and_splits_punctuation_and_numbers():
    assert TEXT.read("Play “Jazz”, don\u2019t stop in the Living-Room!") == (
        ["play", '"', "jazz", '"', ",", "don't", "stop", "in", "the", "living-room", "!"]
    )
    assert TEXT.read("1,000.5 3kg $5") == ["1,000.5", "3", "kg", "￮$", "5"]
    assert TEXT.read("CAFE\u0301") == TEXT.read("caf\u00e9") == ["caf\u00e9"]
    assert Schemes("code").read("If X>=10.5: f(A)") == ["If", "X", ">=", "10.5", ":", "f", "(", "A", ")"]


def test_white_space_is_as_ever():
    assert PLAIN.is_plain
    assert PLAIN.read(" Jump  twice! ") == ["Jump", "twice!"]
    assert PLAIN.join(["A", f"{GLUE}B"]) == f"A {GLUE}B"
    assert PLAIN.typed("Jump twice!", 2) == ("twice!", 2)
    assert not TEXT.is_plain


def test_foreign_tokens_stand_for_themselves():
    for token in (GLUE, f"a{GLUE}b", f"{ESCAPE}zz", f"{ESCAPE}ffffff", ESCAPE):
        assert join_code([token]) == token


def test_an_action_must_not_stand_for_a_control():
    assert TEXT.unsafe(["a", "￭￮20￭", "￮$"]) is None
    assert TEXT.unsafe(["a", "￭￮1b￭"]) == "￭￮1b￭"
    assert PLAIN.unsafe(["￮1b"]) is None


def test_rules_are_shown_as_text():
    assert shown(["play", "￭(￭", "$X", "￭,", "room", "￭=￭", "$Y", "￭)"]) == "play($X, room=$Y)"


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [("words", "code", "source scheme 'words' is not one of"), ("text", "text", "cannot be undone")],
)
def test_unknown_schemes_are_refused(source, target, message):
    with pytest.raises(LaneError, match=message):
        Schemes.checked(source, target)
