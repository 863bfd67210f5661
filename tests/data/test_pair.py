import pytest

from lane.data.pair import Pair, checked_pair


def test_of_splits_at_white_space() -> None:
    assert Pair.of(" jump  twice", "JUMP JUMP") == Pair(("jump", "twice"), ("JUMP", "JUMP"))


def test_a_good_pair_is_itself() -> None:
    assert checked_pair(["jump"], ["cost$"]) == Pair(("jump",), ("cost$",))


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ([], ["A"], "input is empty"),
        (["a"], [], "output is empty"),
        (["$0"], ["A"], "reserved for variables"),
        (["a"], ["$x"], "reserved for variables"),
        (["a b"], ["A"], "white space"),
        ([""], ["A"], "empty or holds"),
        (["a\x00"], ["A"], "control character"),
        (["a"], ["\ud800"], "half of a character"),
    ],
)
def test_a_bad_pair_is_refused_with_its_reason(source: list[str], target: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        checked_pair(source, target)
