"""Values: shared, measured before they exist, and written out once."""

from hypothesis import given
from hypothesis import strategies as st

from lane.runtime.composer import compose
from lane.runtime.substitution import evaluate, flatten, write_out


def values_of(tables, text):
    words = text.split()
    actions = [tables.value_of.get(word, ()) for word in words]
    composition = compose(tables, [tables.leaf_of[word] for word in words])
    return composition, evaluate(
        tables, composition, [" ".join(some) for some in actions], list(map(len, actions))
    )


def test_a_value_for_each_word_and_each_reduction(tiny):
    composition, values = values_of(tiny.tables, "dax lug dax")
    assert len(values.pieces) == len(values.lengths) == 3 + len(composition.reductions)
    assert values.overflow is None
    for piece, length in zip(values.pieces, values.lengths, strict=True):
        assert len(write_out(piece).split()) == length


def test_lengths_are_known_before_a_value_is_made(scan):
    """A hundred times `twice` are 2**100 actions."""
    tables = scan.scan_program().tables
    composition, values = values_of(tables, "jump" + " twice" * 100)
    assert values.overflow is not None
    assert len(values.pieces) == 101 + values.overflow, "the lists end there"
    assert max(values.lengths) <= tables.limits.max_actions < 2 * max(values.lengths)
    assert composition.reductions[values.overflow].start == 0


PIECES = st.recursive(st.text("AB", min_size=1), lambda inner: st.lists(inner, min_size=1).map(tuple))


def plainly(piece):
    return [piece] if isinstance(piece, str) else [text for part in piece for text in plainly(part)]


@given(PIECES)
def test_pieces_from_left_to_right(value):
    assert list(flatten(value)) == plainly(value)
    assert write_out(value) == " ".join(plainly(value))


def test_values_nest_deeper_than_recursion_reaches():
    value = "A"
    for _ in range(100_000):
        value = (value, "B")
    assert write_out(value) == "A" + " B" * 100_000
