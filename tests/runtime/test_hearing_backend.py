"""Commands with slots, translated and explained; no text of a user becomes an action."""

import os
import pickle
import random
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest

from lane.base.placeholder import parsed, placeholder
from lane.base.scheme import Schemes
from lane.runtime import BatchMapper, Limits, ModelError, load
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.results import SlotText
from lane.runtime.translator import Translator

TEXTS = int(os.environ.get("LANE_SLOT_TEXTS", "4000"))  # make test-slots: 100,000
ROOMS = ["Blue hall", "attic", "moon", "five"]


def translator(program, **lists):
    made = Translator(ProgramBackend(program))
    for name, entries in lists.items():
        made.set_list(name, entries)
    return made


@pytest.fixture(scope="module")
def robot(slots):
    return translator(slots.program(), room=ROOMS, artist=["moon", "The Moons"])


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("go 5 meters", "GO {number:5}"),
        ("go 5 meters and go -7,5 METERS", "GO {number:5} GO {number:-7%2C5}"),
        ("play the blue hall please", "PLAY {room:Blue%20hall}"),
        ("play the moons", "PLAY {artist:The%20Moons}"),
        (
            "say hello there and say you",
            "SAY {text:hello%20there} {text:hello%20there} SAY {text:you} {text:you}",
        ),
        ("say walk and go", "SAY {text:walk%20and%20go} {text:walk%20and%20go}"),
        ("say HALL", "SAY HALL HALL"),
        ("say meters", "SAY {text:meters} {text:meters}"),
    ],
)
def test_slots_are_filled(robot, command, output):
    answer = robot.translate(command)
    assert answer.text == output
    assert answer.actions == tuple(output.split(" "))
    derivation = robot.explain(command)
    assert (derivation.text, derivation.slots) == (answer.text, answer.slots)
    assert {slot.token for slot in answer.slots} == {action for action in answer.actions if parsed(action)}
    assert robot.translate_batch([command] * 3) == [answer] * 3


def test_the_result_says_what_filled_which_slot(robot):
    assert robot.translate("please go 5 meters and play moon").slots == (
        SlotText("number", "5", 3),
        SlotText("artist", "moon", 7),
    )
    assert robot.translate("hall").slots == ()
    assert robot.explain("go 5 meters").as_dict()["slots"] == [{"name": "number", "text": "5", "position": 2}]
    assert "{number} -> {number}  " in robot.explain("go 5 meters").as_text()
    assert "$0 = {number:5}" in robot.explain("go 5 meters").as_text()
    assert "{number} -> {number}   = {number:5}" in robot.explain("go 5 meters").as_tree()
    assert "{number:5}" in robot.explain("go 5 meters").as_svg()


TAKEN = "not learned: {0!r} (word 2) as $x of 'go $x meters'; learned there: '{{number}}'"
ROOTS = "learned as such: 'May', 'play $x', 'say $x', ..."
TOO_LONG = "the text from word 3 on is too long: {text} takes at most 32 words and 256 characters"


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("go attic meters", "not-learned", TAKEN.format("attic")),
        ("go {number} meters", "not-learned", TAKEN.format("{number}")),
        ("5", "not-learned", f"not learned: '5' (word 1) as a whole command; {ROOTS}"),
        ("please", "empty", "the command has no words"),
        ("say \x07", "unknown-word", "unknown word '\\x07' (word 2)"),
        ("please say " + "x " * 33, "text-too-long", TOO_LONG),
        ("go " * 13, "too-many-words", "the command has 13 words; the model takes at most 12"),
    ],
)
def test_failures_name_the_words_as_typed(robot, command, code, message):
    error = robot.translate(command).error
    assert (error.code, error.message) == (code, message)
    assert robot.explain(command).error == error


def test_a_list_that_was_not_given_is_named(slots):
    alone = translator(slots.program())
    error = alone.translate("play attic").error
    assert error.message.endswith("; no list is given for {artist}, {room}")
    assert "no list" not in alone.translate("hall and and").error.message
    assert alone.explain("play attic").error == error


def test_lists_change_while_threads_translate(robot, slots):
    shared = translator(slots.program(), room=["old attic"])

    def change(number):
        shared.set_list("room", [f"attic {number}", *ROOMS])
        shared.set_list("artist", ["someone"])
        return {shared.translate("play blue hall").text, shared.translate_batch(["play someone"] * 3)[2].text}

    with ThreadPoolExecutor(8) as pool:
        answers = set.union(*pool.map(change, range(200)))
    assert answers == {"PLAY {room:Blue%20hall}", "PLAY {artist:someone}"}
    assert set(shared.lists) == {"artist", "room"}
    assert shared.translate("play old attic").error is not None


def test_thousands_of_entries(slots):
    names = [f"contact number{number} of many" for number in range(20_000)]
    many = translator(slots.program(), room=names)
    for number in (0, 9_999, 19_999):
        assert many.translate(f"play {names[number]}").slots == (SlotText("room", names[number], 2),)
    assert len(many.lists["room"]) == 20_000


def test_lists_are_sent_with_the_translator(robot, slots, tmp_path):
    again = pickle.loads(pickle.dumps(robot))
    assert again.lists == robot.lists
    assert again.translate("play attic") == robot.translate("play attic")
    path = tmp_path / "slots.lane"
    slots.program().save(path)
    mapper = BatchMapper(path, lists={"room": ROOMS})
    other = pickle.loads(pickle.dumps(BatchMapper(path, lists={"room": ["cellar"]})))
    sent = pickle.loads(pickle.dumps(mapper))
    assert sent({"text": ["play attic"]})["output"] == ["PLAY {room:attic}"]
    assert other({"text": ["play cellar"]})["output"] == ["PLAY {room:cellar}"]
    assert sent.lists_sha256 != other.lists_sha256 != ""


def test_wrong_lists_are_refused(robot, scan_file):
    for name, problem in (
        ("rom", "no slot {rom}; those with lists: {artist}, {room}; did you mean 'room'?"),
        ("number", "{number} takes no list: it is filled by any number"),
        ("text", "{text} takes no list: it is filled by any text"),
    ):
        with pytest.raises(ValueError, match=r"slot|list") as caught:
            robot.set_list(name, ["a"])
        assert str(caught.value) == problem
    with pytest.raises(ValueError, match=r"entry 2 of \{room\} has more than 16 words"):
        robot.set_list("room", ["a", "b " * 17])
    with pytest.raises(ValueError, match=r"entry 1 of \{room\} holds a control character"):
        robot.set_list("room", ["a\x07"])
    with pytest.raises(ValueError, match="this model has no slots"):
        load(scan_file, lists={"room": []})
    assert robot.translate("play attic").ok, "the list before is still there"


def test_a_lenient_translator_hears_free_text_too(slots):
    lenient = Translator(ProgramBackend(slots.program(), lenient=True))
    assert lenient.translate("go far away meters").text == "GO {text:far%20away}"


def test_outputs_by_a_scheme_are_joined(slots):
    program = slots.program(Schemes("text", "code", (("smooth", "jazz"),)))
    text = translator(program, room=["Blue Hall"])
    answer = text.translate("PLAY blue hall.")
    assert answer.error is not None, "the stop is free text"
    assert text.translate("Please PLAY blue   hall").text == "PLAY {room:Blue%20Hall}"
    assert text.translate("Say, you!").text == "SAY {text:%2C%20you%21} {text:%2C%20you%21}"


def test_long_texts_do_not_fill_the_memory(slots):
    """With outputs of seven million actions, texts of two thousand characters would take gigabytes."""
    program = slots.program()
    rules = [
        rule._replace(template=("$X",) * 10) if rule.span == ("say", "$x") else rule for rule in program.rules
    ]
    doubling = replace(
        program,
        limits=Limits(max_words=60, max_actions=7_000_000),
        rules=tuple(rules),
        actions=tuple(action for action in program.actions if action != "SAY"),
        kinds=None,
    )
    long = "語" * 200
    wide = translator(doubling)
    assert len(wide.translate(f"say say say say {long}").actions) == 10_000
    for answer in (
        wide.translate(f"say say say say say {long}"),
        wide.explain(f"say say say say say {long}"),
    ):
        assert answer.error.code == "too-many-actions"
        assert answer.error.message == "the translation is longer than 37117 actions (from word 1)"
    assert len(wide.translate("say say say say say hi").actions) == 100_000


PIECES = [
    *("GO", "SAY", "I_JUMP", "<error:", "<error:not-learned>", "{room}", "{room:attic}", "{text:", "}", "{"),
    *("%7D", "%", "$x", "$X", "￭", "￮", "␣", "\ud800", "\udfff", "\x00", "\x1b[2J", "\u202e", "\u200b"),
    *(
        "\u2028",
        "\u0085",
        "a\u0301",
        "😀",
        "İ",
        "ß",
        "语",
        "and",
        "go",
        "say",
        "meters",
        "please",
        "5",
        "hall",
    ),
    *(" ", "  ", "\t", "\n", "x", "'", '"', "\\", ";", "x" * 100, "語" * 90),
]


def test_no_text_in_a_slot_becomes_an_action(slots):
    """Whatever is said, the output has the actions that the rules wrote, and texts as they were said."""
    draw = random.Random(26)
    schemes = Schemes("text", "code", (("smooth", "jazz"),))
    models = [
        translator(slots.program(*parts), room=ROOMS, artist=["GO", "{room}", "<error:x> y"])
        for parts in ((), (schemes,))
    ]
    written = {action for action in models[0].info.actions if not action.startswith("{")}
    said = 0
    for _ in range(TEXTS):
        pieces = draw.choices(PIECES, k=draw.randint(1, 8))
        text = draw.choice(["", " "]).join(pieces) if draw.random() < 0.9 else _any_text(draw)
        for model in models:
            command = f"say {text}" + draw.choice(["", " and go 5 meters"])
            answer = model.translate(command)
            if answer.error is not None:
                assert not answer.actions
                continue
            tokens = {slot.token: slot for slot in answer.slots}
            for action in answer.actions:
                assert action in written or action in tokens
            assert all(ord(letter) < 127 and letter not in "\n\t" for letter in answer.text)
            for token, slot in tokens.items():
                assert parsed(token) == (slot.name, slot.text)
                is_entry = slot.name in ("room", "artist")
                assert is_entry or slot.text in " ".join(command.split()), "as it was said"
                assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in slot.text)
            said += len(tokens)
    assert said > TEXTS / 2


def _any_text(draw):
    return "".join(chr(draw.randrange(0x110000)) for _ in range(draw.randint(1, 40)))


def test_the_word_of_a_slot_is_no_answer(robot):
    """Only what filled it is written, so a program that reads `{room}` has not been told it by a user."""
    for name in ("number", "room", "text"):
        for command in (f"say {placeholder(name)}", f"play {placeholder(name)}"):
            assert placeholder(name) not in robot.translate(command).actions


def test_a_network_says_who_fills_slots():
    network = SimpleNamespace(info=SimpleNamespace(schemes=Schemes(slots=("room",)), path="m.onnx"))
    with pytest.raises(ModelError, match=r"m\.onnx: slots are filled by the program"):
        Translator(network).set_list("room", [])
