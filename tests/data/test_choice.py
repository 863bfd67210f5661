"""The choice of schemes: white space where it does, and the reason where it does not."""

import pytest

from lane.base.scheme import Schemes
from lane.data import load_task
from lane.data.choice import choose
from lane.data.pair import Pair


def schemes(*pairs, **given):
    return choose([Pair.of(*pair) for pair in pairs], **given).schemes[:2]


MUSIC = ("Play jazz in the kitchen!", "play(genre=jazz, room=kitchen)"), ("play rock.", "play(genre=rock)")


def test_glued_punctuation_is_split_with_the_reason():
    choice = choose([Pair.of(*pair) for pair in MUSIC])
    assert choice.schemes == Schemes("text", "code")
    assert (
        "inputs are split by the scheme 'text': punctuation is glued to words (kitchen!, rock.)"
        in (choice.reasons[0])
    )
    assert "play(genre=jazz," in choice.reasons[1]


def test_slots_are_words_and_no_punctuation():
    pairs = [("go {number} meters", "GO {number}"), ("play {artist}", "PLAY {artist}"), ("hall", "HALL")]
    pairs = [Pair.of(*pair) for pair in [*pairs, ("say {x} y", "SAY"), ("x{n}", "X {n}")]]
    choice = choose(pairs)
    assert choice.schemes == Schemes(slots=("artist", "number"))
    assert choice.reasons == ()
    music = [*MUSIC, ("Set it to {number}, in the {room}!", "set({number}, room={room})")]
    found = choose([Pair.of(*pair) for pair in music]).schemes
    assert found == Schemes("text", "code", (), ("number", "room"))
    last = Pair.of(*music[-1]).by(found)
    assert last.source == ("set", "it", "to", "{number}", ",", "in", "the", "{room}", "!")
    assert last.target == ("set", "￭(￭", "{number}", "￭,", "room", "￭=￭", "{room}", "￭)")
    assert found.join(last.target) == music[-1][1]


@pytest.mark.parametrize("task", ["addjump", "limit", "random:3", "practical:calls:1", "practical:home:1"])
def test_tasks_are_split_at_white_space(task):
    if ":" in task:
        pytest.importorskip("lane.experiments")
    assert choose(load_task(task).train).reasons == ()


def test_what_is_split_already_stays_so():
    assert schemes(("A rose .", "rose ( a , b{US} )"), ("a dog .", "dog ( a{UK} , b )")) == (
        ("whitespace", "whitespace")
    )
    assert schemes(
        ("red cube", "filter[cube] filter[red]"), ("cube", "count filter[cube]"), ("red", "count red")
    ) == (("whitespace", "whitespace"))


def test_a_single_glued_word_is_a_name():
    assert schemes(("gallon", "gal{US}"), ("litre", "L")) == ("whitespace", "whitespace")


def test_case_is_folded_only_where_it_says_nothing():
    assert schemes(("Lamp on", "A"), ("lamp off", "B"))[0] == "text"
    assert schemes(("US", "country"), ("us", "people"))[0] == "whitespace"
    assert schemes(("US!", "country"), ("us!", "people"), ("Hi!", "hi"))[0] == "code"


def test_names_given_are_kept():
    assert schemes(*MUSIC, source="whitespace", target="code") == ("whitespace", "code")
