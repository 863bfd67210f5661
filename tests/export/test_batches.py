"""Commands as tables: whatever the lengths, each row is taken once and no portion grows too large."""

from hypothesis import given
from hypothesis import strategies as st

from lane.base.vocabulary import Vocabulary
from lane.export.batches import numbers, portions, table
from lane.models import symbols


def test_words_become_their_numbers_and_unknown_ones_minus_one():
    assert numbers("b  x a", Vocabulary(["a", "b"])) == [2, -1, 1]
    assert numbers(" ", Vocabulary(["a"])) == []


def test_rows_are_filled_up_with_zeros():
    assert table([[1, 2], [3], []]).tolist() == [[1, 2], [3, 0], [0, 0]]
    assert table([]).shape == (0, 0)
    assert table([[], []]).shape == (2, 0)


@given(
    lengths=st.lists(st.integers(0, 40) | st.just(symbols.CELLS) | st.just(3 * symbols.CELLS), max_size=60),
    most=st.integers(1, 20),
)
def test_portions_hold_every_row_once_and_keep_their_bounds(lengths, most):
    found = list(portions(lengths, most))
    assert sorted(place for portion in found for place in portion) == list(range(len(lengths)))
    for portion in found:
        assert len(portion) <= most
        widest = max(lengths[place] for place in portion)
        assert len(portion) == 1 or len(portion) * widest <= symbols.CELLS


@given(lengths=st.lists(st.integers(0, 9), max_size=30))
def test_portions_are_sorted_by_length(lengths):
    order = [lengths[place] for portion in portions(lengths, 4) for place in portion]
    assert order == sorted(lengths)
