"""Which words a command is, by hand-written examples and for any text."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.base.scheme import Schemes
from lane.runtime.hearing import Heard, Hearing, is_number
from lane.runtime.results import Failure, SlotText

SLOTS = ("artist", "number", "room", "text")
WORDS = ["go", "say", "hall", "and", "May", "5", *(f"{{{name}}}" for name in SLOTS)]


def hearing(**parts):
    return Hearing(Schemes(**{"slots": SLOTS, "skips": ("please", "the")} | parts), WORDS, 6, 100)


def lists(listener, **entries):
    return {name: listener.entries(name, texts)[0] for name, texts in sorted(entries.items())}


def heard(text, listener=None, **entries):
    listener = listener or hearing()
    return [
        one.code
        if isinstance(one, Failure)
        else " ".join(value or word for word, value in zip(*one[:2], strict=True))
        for one in listener.hearings(text, lists(listener, **entries))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go hall", "go hall"),
        ("go 12 and -3.5", "go {number:12} and {number:-3.5}"),
        ("go 5", "go 5"),  # a known word keeps its meaning
        ("go blue hall", "go {room:blue%20hall}"),
        ("go blue hall way", "go {room:blue%20hall%20way}"),  # the longest entry
        ("please go the hall please", "go hall"),
        ("say  hello\tthere and say you", "say {text:hello%20there} and say {text:you}"),
        ("say hello please there please", "say {text:hello%20please%20there}"),
        ("go {number}", "go {text:%7Bnumber%7D}"),  # the word of a slot is no word of a user
        ("go may", "go {text:may}"),
        ("", "empty"),
        ("please the", "empty"),
        ("go\x00 hall", "unknown-word"),
        ("say \ud800", "unknown-word"),
        ("go go go go go go go", "too-many-words"),
        ("say " + "x " * 33, "text-too-long"),
        ("say " + "x" * 257, "text-too-long"),
        ("go " * 300, "too-many-words"),
    ],
)
def test_the_first_hearing(text, expected):
    assert heard(text, room=["blue hall", "blue hall way"])[0] == expected


def test_an_entry_keeps_the_spelling_of_the_application():
    listener = hearing(folds=True)
    assert heard("GO BLUE  Hall", listener, room=["Blue hall"])[0] == "go {room:Blue%20hall}"
    assert heard("MAY and maY", listener)[0] == "May and May"


def test_entries_of_known_words_and_repeated_ones_are_never_heard():
    listener = hearing(folds=True)
    _, idle = listener.entries("room", ["hall", "go the hall", "Blue", "BLUE", "the hall way"])
    assert idle == ("hall", "go the hall", "BLUE")
    assert heard("go hall", listener, room=["hall"])[0] == "go hall"


def test_two_lists_with_one_entry_are_heard_by_name_then_the_other():
    found = heard("go moon", room=["moon"], artist=["moon"])
    assert found[:2] == ["go {artist:moon}", "go {room:moon}"]
    assert heard("go moon", room=["moon"])[0] == "go {room:moon}"
    assert heard("go 7", room=["7"])[:2] == ["go {room:7}", "go {number:7}"]


def test_free_text_takes_in_known_words_the_fewest_first():
    assert heard("say hello and may go") == [
        "say {text:hello} and {text:may} go",
        "say {text:hello%20and%20may} go",
        "{text:say%20hello%20and%20may} go",
        "say {text:hello%20and%20may%20go}",
        "{text:say%20hello%20and%20may%20go}",
    ]
    # Without an unknown word one of the others is left.
    assert heard("say go hall")[1:] == [
        "{text:say} go hall",
        "say {text:go} hall",
        "say go {text:hall}",
        "{text:say%20go} hall",
        "say {text:go%20hall}",
    ]


def test_the_number_of_hearings_is_bounded():
    listener = Hearing(Schemes(slots=SLOTS), WORDS, 10_000, 100)
    assert len(list(listener.hearings("say go " * 100, {}))) == 65
    assert len(list(listener.hearings("say go " * 101, {}))) == 1


def test_the_memory_of_a_hearing_is_bounded():
    """By the words that the model takes, however long the line is."""
    listener = Hearing(Schemes(slots=SLOTS, folds=True), WORDS, 100, 100)
    peaks = []
    for words in (10_000, 400_000):
        text = "go " * words
        tracemalloc.start()
        assert [one.code for one in listener.hearings(text, {})] == ["too-many-words"]
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


@pytest.mark.parametrize("scheme", ["whitespace", "text", "code"])
@pytest.mark.parametrize("number", ["-3.5", "+7", "1,000", "-1,000.50", "0", "9" * 32])
def test_a_number_is_one_however_it_is_split(scheme, number):
    listener = Hearing(Schemes(scheme, slots=("number",)), WORDS, 6, 100)
    for text in (f"go {number} and {number}", f"{number} {number}", f"\t{number} go {number} "):
        (one,) = listener.hearings(text, {})
        assert [slot.text for slot in one.slots] == [number, number]
        assert len(one.words) == len(text.split())


def test_what_is_no_number_in_any_scheme():
    for scheme in ("whitespace", "text", "code"):
        for text in ("go 8-3", "go - 3", "go 8 .3", "go --8", "go 1.,2", "go +-8", "go -" + "9" * 32):
            (one,) = Hearing(Schemes(scheme, slots=("number",)), WORDS, 6, 100).hearings(text, {})
            assert isinstance(one, Failure), (scheme, text, one)


def test_a_known_sign_is_a_word_and_no_part_of_a_number():
    listener = Hearing(Schemes("code", slots=("number",)), [*WORDS, "-", ","], 9, 100)
    assert heard("go 3-4 , -7", listener) == ["go {number:3} - {number:4} , - {number:7}"]
    assert heard("go -7,000", listener) == ["go - {number:7} , {number:000}"]


def test_an_entry_longer_than_a_number_is_heard_and_of_equal_ones_the_entry():
    listener = Hearing(Schemes("text", slots=("number", "room")), WORDS, 9, 100)
    assert heard("go -8 floor", listener, room=["-8 floor"]) == ["go {room:-8%20floor}"]
    assert heard("go -8", listener, room=["-8", "-"]) == ["go {room:-8}", "go {number:-8}"]
    assert heard("go -8", listener, room=["-"]) == ["go {number:-8}"]


def test_positions_and_texts_are_those_of_words_as_typed():
    listener = Hearing(
        Schemes("text", "code", (("smooth", "jazz"),), ("room", "text"), ("please",)),
        ["go", "smooth␣jazz", "{room}", "{text}"],
        9,
        100,
    )
    first = next(
        listener.hearings("Please, GO  Smooth jazz. Blue-Hall, ok!", lists(listener, room=["blue-hall"]))
    )
    assert isinstance(first, Heard)
    assert first.words == ["{text}", "go", "smooth␣jazz", "{text}", "{room}", "{text}"]
    assert first.shown == [",", "GO", "Smooth jazz", ".", "Blue-Hall", ", ok!"]
    assert first.positions == [1, 2, 3, 4, 5, 5]
    assert first.slots[2] == SlotText("room", "blue-hall", 5)


def test_a_missing_list_is_named():
    listener = Hearing(Schemes(slots=("artist", "room")), WORDS, 6, 100)
    messages = [
        next(listener.hearings("go attic", given)).message for given in ({}, lists(listener, room=["x"]))
    ]
    assert messages == [
        "unknown word 'attic' (word 2); no list is given for {artist}, {room}",
        "unknown word 'attic' (word 2); no list is given for {artist}",
    ]
    nearest = next(listener.hearings("gp", lists(listener, room=["x"], artist=["y"])))
    assert nearest.message == "unknown word 'gp' (word 1); did you mean 'go'?"


@given(
    st.lists(st.sampled_from([*WORDS, "please", "7", "moon", "x", "\x00", "blue"]), max_size=9).map(" ".join)
)
def test_words_of_all_hearings_cover_the_command(text):
    """Nothing but words to skip is lost, in any hearing, and slots are filled by what was said."""
    listener = hearing()
    for one in listener.hearings(text, lists(listener, room=["blue moon", "moon"])):
        if isinstance(one, Failure):
            continue
        said = " ".join(one.shown).split()
        rest = iter(text.split())
        assert all(word in rest for word in said), "in order"
        skipped = [word for word in text.split() if word != "please"]
        assert [word for word in said if word != "please"] == skipped
        assert all((value is None) == (word not in WORDS[6:]) for word, value in zip(*one[:2], strict=True))
        assert len(one.slots) == sum(value is not None for value in one.values)


def test_numbers():
    assert all(map(is_number, ["5", "-7.5", "+3", "1,000.50", "9" * 32]))
    assert not any(map(is_number, ["", "-", "5.", ".5", "1e3", "٣", "5%", "9" * 33, "1.,2", "--1"]))
