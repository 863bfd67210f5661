import pytest

from lane.base.suggestion import Suggestions

KNOWN = ("walk", "look", "run", "jump", "turn", "left", "right", "around", "a")


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("Jump", "jump"),
        ("jmup", "jump"),
        ("jum", "jump"),
        ("jumps", "jump"),
        ("arownd", "around"),
        ("arond", "around"),
        ("rigth", "right"),
        ("LEFT", "left"),
        ("rum", "run"),
        ("b", None),
        ("rrr", None),
        ("somersault", None),
        ("x" * 1000, None),
    ],
)
def test_nearest(word, nearest):
    assert Suggestions(KNOWN).nearest(word) == nearest


def test_the_first_of_equally_near_words():
    assert Suggestions(("turn", "burn")).nearest("lurn") == "turn"
