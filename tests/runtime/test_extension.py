"""New words for a program, without training."""

from dataclasses import replace
from random import Random

import pytest

from lane.base.errors import LaneError
from lane.base.scheme import Schemes
from lane.runtime import Program, load
from lane.runtime.divergence import differences, new_commands
from lane.runtime.extension import Growth, NewWord, grow, grow_by_lines, read_growth
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
    assert read_growth(lines, "w").words == (("hop", "look", "I_HOP  NOW"), ("gaze", "look", ""))
    lines = [
        "{room} like hall",
        "skip please",
        "skip like",
        "fold case",
        "skip like hall",
        "fold like hall = X",
    ]
    assert read_growth(lines, "w") == Growth(
        (NewWord("{room}", "hall"), NewWord("skip", "hall"), NewWord("fold", "hall", "X")),
        ("please", "like"),
        True,
    )
    for wrong in (
        "hop",
        "hop as look",
        "hop like look I_HOP",
        "hop like look =",
        "hop like",
        "skip",
        "skip a b",
    ):
        with pytest.raises(LaneError, match="w, line 2: expected WORD like KNOWN"):
            read_growth(["", wrong], "w")


def test_a_slot_is_right_wherever_the_known_word_is_and_no_other_answer_changes(scan):
    program = scan.scan_program()
    new = [NewWord("{number}", "look"), NewWord("{name}", "jump")]
    grown, old = translator(grow(program, new)), translator(program)
    names = ["O'Neill the second", "jump street", "Zoë"]
    assert grown.set_list("name", names) == ()
    random = Random(2)
    for command, answer in random.sample(sorted(scan.grammar().items()), 1500):
        assert grown.translate(command).text == answer
        number, name = str(random.randrange(10**9)), random.choice(names)
        said = command.replace("look", number).replace("jump", name)
        found = grown.translate(said)
        tokens = {slot.token: slot for slot in found.slots}
        assert {slot.text for slot in tokens.values()} <= {number, name}
        back = [
            {"number": "I_LOOK", "name": "I_JUMP"}[tokens[a].name] if a in tokens else a
            for a in found.actions
        ]
        assert " ".join(back) == answer
    assert list(differences(old, grown, new_commands(old.rules(), 1000))) == []
    assert grown.info.provenance["grown"] == [
        {"words": 2, "sha256": grown.info.provenance["grown"][0]["sha256"]}
    ]
    assert grown.info.format_version == 3


def test_words_to_skip_and_any_case(scan):
    program = scan.scan_program()
    grown = translator(grow(program, Growth(skips=("the", "please"), folds=True)))
    old = translator(program)
    for command, answer in Random(3).sample(sorted(scan.grammar().items()), 500):
        assert grown.translate(command).text == answer
        said = "please " + command.replace(" ", " the ").upper() + " Please"
        assert grown.translate(said).text == answer
    assert list(differences(old, grown, new_commands(old.rules(), 500))) == []
    note = grown.info.provenance["grown"][0]
    assert (note["skips"], note["folds"]) == (["the", "please"], True)
    assert grown.translate("please wolk THE").error.message == (
        "unknown word 'wolk' (word 2); did you mean 'walk'?"
    )


@pytest.mark.parametrize(
    ("growth", "problem"),
    [
        (Growth(skips=("dax",)), "schemes.skips: 'dax' is a word of the program: it cannot be skipped"),
        (Growth(skips=("so", "so")), "skip 'so': the program skips this word already"),
        (Growth((NewWord("Dax", "lug", "X"),), folds=True), "'Dax' and 'dax' differ in case only"),
        (Growth((NewWord("so", "lug"),), skips=("so",)), "'so' is a word of the program"),
        (
            Growth((NewWord("{n}", "lug", "X"),)),
            "{n}: a slot has no other value than its text: leave out 'X'",
        ),
        (Growth((NewWord("{n}", "kiki"),)), "only words that stand for a value of their own"),
        (
            Growth((NewWord("{n}", "lug"), NewWord("hop", "{n}"))),
            "a word like a slot needs a value of its own",
        ),
        (Growth((NewWord("{N}", "lug"),)), "'{N}': the name of a slot is a small letter, then"),
        (Growth((NewWord("{n", "lug"),)), "'{n': the name of a slot is a small letter, then"),
        (
            Growth((NewWord("{n}", "lug"), NewWord("hop", "lug", "{n:5}"))),
            "could be taken for the text of a slot",
        ),
    ],
)
def test_what_would_change_other_commands_is_refused(tiny, growth, problem):
    with pytest.raises(LaneError) as caught:
        grow(tiny, growth)
    assert problem in str(caught.value)


def test_a_program_that_has_grown_so_grows_again(slots):
    program = slots.program()
    again = grow(program, Growth((NewWord("attic", "{room}", "ATTIC"),), ("so",)))
    answers = translator(again)
    assert answers.translate("so PLAY Attic").text == "PLAY ATTIC"
    for growth, problem in (
        (Growth((NewWord("attic", "{room}"),)), "a word like a slot needs a value of its own"),
        (Growth((NewWord("please", "hall"),)), "the program skips this word"),
        (Growth((NewWord("HALL", "hall"),)), "differ in case only"),
        (Growth(folds=True), "knows words in any case already"),
        (Growth(skips=("the",)), "skips this word already"),
    ):
        with pytest.raises(LaneError) as caught:
            grow(program, growth)
        assert problem in str(caught.value)


def test_a_word_may_be_like_one_before_it(tiny):
    new = (
        NewWord("hop", "dax", "HOP"),
        NewWord("leap", "hop"),
        NewWord("{n}", "leap"),
        NewWord("x", "{n}", "X"),
    )
    grown = translator(grow(tiny, new))
    assert grown.translate("leap kiki x").text == "X HOP"
    with pytest.raises(LaneError, match="'leap' like 'hop': the program has no such word"):
        grow(tiny, (NewWord("leap", "hop"), NewWord("hop", "dax", "HOP")))
    kinds = (RuleKind(True, (), (("dax",),)), RuleKind(True, ((1,), (1,)), (("$x", "kiki", "$y"),)))
    strict = translator(grow(replace(tiny, kinds=kinds), new))
    assert strict.translate("leap kiki x").text == "X HOP"
    assert strict.translate("leap kiki lug").error.code == "not-learned"


def test_new_words_are_in_use_as_the_known_ones_are(tiny):
    """So that tests and lists of rules have them; where no use was counted, no rule is favoured."""
    new = [NewWord("hop", "dax", "HOP"), NewWord("{n}", "hop"), NewWord("leap", "lug")]
    used = translator(grow(tiny, new)).rules().used
    assert [str(rule) for rule in used][:5] == [
        "dax -> RED",
        "hop -> HOP",
        "leap -> BLUE",
        "lug -> BLUE",
        "{n} -> {n}",
    ]
    uncounted = replace(tiny, rules=tuple(rule._replace(uses=0) for rule in tiny.rules))
    assert not any(rule.uses for rule in grow(uncounted, new).rules)


def test_wrong_lines_among_hundreds_are_named(tiny):
    lines = [f"w{number} like dax = W{number}" for number in range(300)]
    wrong = {
        17: "hop like dux = X",
        40: "hop as dax",
        101: "$hop like dax",
        150: "w7 like dax",
        151: "skip lug",
        200: "DAX like lug",
        299: "{n} like kiki",
    }
    given = [wrong.get(number, line) for number, line in enumerate(lines)]
    given[0] = "fold case"
    with pytest.raises(LaneError) as caught:
        grow_by_lines(tiny, given, "words.txt")
    assert str(caught.value).split("\n") == [
        "words.txt, line 18: 'hop' like 'dux': the program has no such word; did you mean 'dax'?",
        "words.txt, line 41: expected WORD like KNOWN = ACTIONS, WORD like KNOWN, {SLOT} like KNOWN, "
        "skip WORD, or fold case",
        "words.txt, line 102: '$hop' begins like a variable or an error",
        "words.txt, line 151: 'w7': the program has this word already",
        "words.txt, line 152: 'lug' is a word of the program: it cannot be skipped",
        "words.txt, line 201: 'DAX' and 'dax' differ in case only",
        "words.txt, line 300: '{n}' like 'kiki': only words that stand for a value of their own can be "
        "imitated",
    ]
    with pytest.raises(LaneError) as caught:
        grow_by_lines(tiny, ["hop like x"] * 30, "words.txt")
    assert str(caught.value).count("\n") == 9
    assert grow_by_lines(tiny, lines, "words.txt") == grow(tiny, read_growth(lines, "words.txt"))
    for nothing in ([], ["", " \t"]):
        with pytest.raises(LaneError, match=r"words\.txt: holds no words"):
            grow_by_lines(tiny, nothing, "words.txt")


def test_the_bundled_program_grows():
    program = load()._backend.program
    grown = translator(grow(program, [NewWord("hop", "look", "I_HOP")]))
    assert grown.translate("hop around left twice").text.count("I_HOP") == 8
