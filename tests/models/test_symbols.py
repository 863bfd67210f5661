"""The reserved numbers must not collide."""

import torch

from lane.models import symbols


def test_statuses_are_distinct_and_start_with_ok():
    statuses = [
        symbols.OK,
        symbols.OUTPUT_TOO_LONG,
        symbols.EMPTY,
        symbols.UNKNOWN_WORD,
        symbols.TOO_MANY_WORDS,
    ]
    assert statuses == list(range(5))  # exported files state them by number


def test_a_pair_of_any_two_nodes_has_a_number_of_its_own():
    largest = symbols.PAIR - 1
    pair = torch.tensor(largest) * symbols.PAIR + largest
    assert int(pair) == largest * symbols.PAIR + largest < 2**63
    assert (int(pair) // symbols.PAIR, int(pair) % symbols.PAIR) == (largest, largest)


def test_a_row_of_masked_options_has_no_nan():
    assert not torch.log_softmax(torch.full([1, 3], symbols.IMPOSSIBLE), dim=1).isnan().any()
