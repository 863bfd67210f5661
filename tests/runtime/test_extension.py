"""New words for a program, without training."""

from dataclasses import replace
from random import Random

import pytest

from lane.base.errors import LaneError
from lane.base.scheme import Schemes
from lane.runtime import Program, load
from lane.runtime.divergence import differences, new_commands
from lane.runtime.extension import NewWord, grow, read_words
from lane.runtime.kind import RuleKind
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator


def translator(program):
    return Translator(ProgramBackend(program))


def test_a_new_word_is_right_wherever_the_known_one_is(scan):
    program = scan.scan_program()
    grown = translator(grow(program, [NewWord("hop", "look", "I_HOP"), NewWord("gaze", "look")]))
    old = translator(program)
    for command, answer in Random(1).sample(sorted(scan.grammar().items()), 2000):
        assert grown.translate(command).text == answer
        expected = answer.replace("I_LOOK", "I_HOP")
        assert grown.translate(command.replace("look", "hop")).text == expected
        assert grown.translate(command.replace("look", "gaze")).text == answer
    assert list(differences(old, grown, new_commands(old.rules(), 2000))) == []
    assert grown.info.provenance["grown"][0]["words"] == 2


def test_hundreds_of_words_and_growing_again(tiny):
    names = [NewWord(f"name{number}", "dax", f"N{number} N{number}") for number in range(500)]
    grown = grow(tiny, names)
    again = grow(Program.loads(grown.dumps()), [NewWord("last", "name7", "LAST")])
    answers = translator(again)
    assert all(answers.translate(f"lug kiki {word}").text == f"{value} BLUE" for word, _, value in names)
    assert answers.translate("last kiki name3").text == "N3 N3 LAST"
    assert [note["words"] for note in again.provenance["grown"]] == [500, 1]
    assert again.provenance["seed"] == tiny.provenance["seed"]


def test_a_new_word_joins_the_kind_of_the_known_one(tiny):
    kinds = (
        RuleKind(True, (), (("dax",),)),
        RuleKind(False, (), (("lug",),)),
        RuleKind(True, ((1,), (2,)), (("$x", "kiki", "$y"),)),
    )
    strict = replace(tiny, kinds=kinds)
    grown = translator(grow(strict, [NewWord("a", "lug", "A"), NewWord("b", "dax", "B")]))
    assert grown.translate("b kiki a").text == "A B"
    assert grown.translate("dax kiki lug").text == "BLUE RED"
    assert (
        grown.translate("a kiki b").error.code == grown.translate("lug kiki dax").error.code == "not-learned"
    )
    assert grown.translate("a").error.code == "not-learned"


@pytest.mark.parametrize(
    ("word", "like", "value", "problem"),
    [
        ("hop", "dux", "X", "'hop' like 'dux': the program has no such word; did you mean 'dax'?"),
        ("hop", "kiki", "X", "only words that stand for a value of their own"),
        ("lug", "dax", "X", "has this word already"),
        ("$hop", "dax", "X", "begins like a variable"),
        ("hop", "dax", "<error:x>", "begins like a variable or an error"),
    ],
)
def test_what_cannot_be_added_is_refused(tiny, word, like, value, problem):
    with pytest.raises(LaneError) as caught:
        grow(tiny, [NewWord(word, like, value)])
    assert problem in str(caught.value)


def test_a_word_is_one_token_of_the_scheme_and_a_value_is_split_by_it(tiny):
    program = replace(tiny, schemes=Schemes("text", "code"))
    grown = translator(grow(program, [NewWord("lamp", "dax", "on(lamp)")]))
    assert grown.translate("Lamp kiki lug").text == "BLUE on(lamp)"
    for word in ("Lamp", "a.b"):
        with pytest.raises(LaneError, match="never split"):
            grow(program, [NewWord(word, "dax")])


def test_lines_of_words():
    lines = ["hop like look = I_HOP  NOW", "", "gaze like look\n"]
    assert read_words(lines, "w") == [("hop", "look", "I_HOP  NOW"), ("gaze", "look", "")]
    for wrong in ("hop", "hop as look", "hop like look I_HOP", "hop like look =", "hop like"):
        with pytest.raises(LaneError, match="w, line 2: expected WORD like KNOWN"):
            read_words(["", wrong], "w")


def test_the_bundled_program_grows():
    program = load()._backend.program
    grown = translator(grow(program, [NewWord("hop", "look", "I_HOP")]))
    assert grown.translate("hop around left twice").text.count("I_HOP") == 8
