"""Two models, the commands made from their rules, and the commands on which they differ."""

from dataclasses import replace

from lane.base.rule import Rule, Rules
from lane.runtime.divergence import differences, examples, new_commands
from lane.runtime.extension import NewWord, grow
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator


def test_equal_models_have_no_difference_and_a_changed_rule_is_found(tiny):
    ours = Translator(ProgramBackend(tiny))
    changed = [rule._replace(template=("$X", "$Y")) if rule.uses == 4 else rule for rule in tiny.rules]
    theirs = Translator(ProgramBackend(replace(tiny, rules=tuple(changed))))
    commands = new_commands(ours.rules(), 100)
    assert list(differences(ours, ours, commands)) == []
    found = list(differences(ours, theirs, commands))
    assert {"dax kiki lug", "lug kiki dax"} & {difference.command for difference in found}
    assert all("kiki" in difference.command for difference in found)
    assert all(difference.ours.text != difference.theirs.text for difference in found)


def test_refusals_differ_by_their_code(tiny):
    ours = Translator(ProgramBackend(tiny))
    theirs = Translator(ProgramBackend(replace(tiny, limits=replace(tiny.limits, max_words=1))))
    (found,) = differences(ours, theirs, ["dax nonsense", "dax", "wrong"])
    assert (found.ours.error.code, found.theirs.error.code) == ("unknown-word", "too-many-words")


def test_new_commands_use_every_rule_in_use_and_are_the_same_each_time():
    twice, after = Rule(("$x", "twice"), ("$X", "$X"), 1), Rule(("$x", "after", "$y"), ("$Y", "$X"), 1)
    never = Rule(("$x", "never"), ("$X",), 0)
    rules = Rules([Rule(("electron␣volt",), ("eV",), 1), Rule(("go",), ("GO",), 1), twice, after, never])
    made = new_commands(rules, 60, seed=3)
    assert made == new_commands(rules, 60, seed=3) != new_commands(rules, 60, seed=4)
    assert made[:2] == ["electron volt", "go"]
    assert len(made) == len(set(made)) > 20
    assert all(any(word in command for command in made) for word in ("twice", "after"))
    assert not any("never" in command or "$" in command for command in made)
    assert any(command.count("after") + command.count("twice") > 3 for command in made)


def test_without_words_there_are_no_commands():
    assert new_commands(Rules([Rule(("$x", "twice"), ("$X",), 1)]), 10) == []
    assert new_commands(Rules([Rule(("go",), ("GO",), 0)]), 10) == ["go"]


def test_words_that_a_program_was_given_later_are_compared_too(tiny):
    old = Translator(ProgramBackend(tiny))
    ours, theirs = (Translator(ProgramBackend(grow(tiny, [NewWord("hop", "dax", value)]))) for value in "AB")
    commands = new_commands(ours.rules(), 100)
    assert all("hop" in found.command for found in differences(ours, theirs, commands))
    assert len(list(differences(ours, theirs, commands))) > 5
    assert {found.theirs.error.code for found in differences(ours, old, commands)} == {"unknown-word"}


def test_the_examples_of_slots_are_taken_by_no_other(slots):
    made = Translator(ProgramBackend(slots.program()))
    assert examples(made) == {"artist": "", "number": "12", "room": "", "text": "something"}
    made.set_list("artist", ["moon", "Nina"])
    made.set_list("room", ["moon"])
    assert examples(made) == {"artist": "Nina", "number": "12", "room": "moon", "text": "something"}
    words = [NewWord("12", "hall"), NewWord("something", "hall")]
    assert examples(Translator(ProgramBackend(grow(slots.program(), words)))) == {
        "artist": "",
        "number": "13",
        "room": "",
        "text": "somethingx",
    }
