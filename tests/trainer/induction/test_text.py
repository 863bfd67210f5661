"""Actions as characters: nothing is lost, and no character is one that texts may not hold."""

import pytest

from lane.trainer.induction.text import GAP, action_of, actions_of, text_of


@pytest.mark.parametrize("around", [1, 1000, GAP - 1, GAP, GAP + 1, 200_000])
def test_actions_come_back(around):
    actions = tuple(range(max(1, around - 3), around + 3))
    text = text_of(actions)
    assert len(text) == len(set(text)) == len(actions)
    assert actions_of(text) == actions
    assert [action_of(letter) for letter in text] == list(actions)
    text.encode()  # a surrogate would raise


def test_padding_is_left_out():
    assert text_of([3, 0, 5, 0, 0]) == text_of([3, 5])
    assert text_of([0]) == ""
