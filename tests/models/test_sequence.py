"""The rows under derivation, one operation at a time."""

import torch

from lane.models import sequence as seq
from lane.models import symbols

NONE, VARIABLE = symbols.NONE, symbols.VARIABLE


def started() -> seq.Sequences:
    """`5 6 7`, of which the first and the last word are recognised; and `5` alone."""
    words = torch.tensor([[5, 6, 7], [5, 0, 0]])
    return seq.start(words, torch.tensor([[True, False, True], [False, False, False]]), variables=2)


def test_recognised_words_become_variables_in_slots_from_left_to_right():
    rows = started()
    assert rows.item[0].tolist() == [VARIABLE, 6, VARIABLE]
    assert rows.held[0].tolist() == [[0, NONE], [NONE, NONE], [1, NONE]]
    assert rows.memory[0].tolist() == [0, 2, NONE]  # slots hold the numbers of steps
    assert rows.remaining.tolist() == [3, 1]


def test_the_slots_of_a_pair_are_in_order():
    rows = started()
    assert seq.slots_of_pair(rows, torch.tensor([0, 0]))[0].tolist() == [0, NONE]
    assert seq.slots_of_pair(rows, torch.tensor([1, 0]))[0].tolist() == [1, NONE]


def test_a_pair_is_replaced_and_rows_that_have_ended_stay():
    rows = started()
    slots = torch.tensor([[1, NONE], [NONE, NONE]])
    node = torch.tensor([9, 9])
    after = seq.replace_pair(rows, torch.tensor([1, 0]), node, slots, torch.tensor([True, False]))
    assert after.item[0].tolist() == [VARIABLE, 9]
    assert after.held[0].tolist() == [[0, NONE], [1, NONE]]
    assert after.remaining.tolist() == [2, 1]
    assert after.item[1, 0] == 5


def test_candidates_beyond_the_merge_move_up():
    candidate = torch.tensor([[10, 11, 12], [10, 11, 12]])
    left = seq.drop_candidate(candidate, torch.tensor([0, 2]), torch.tensor([True, True]))
    assert left.tolist() == [[11, 12], [10, 11]]
