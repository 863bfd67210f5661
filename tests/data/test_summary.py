import pytest

from lane.data.pair import Pair
from lane.data.summary import Contradiction, Lengths, summarize


def test_counts_lengths_and_vocabulary() -> None:
    pairs = [Pair.of("a", "A"), Pair.of("a b", "A B C"), Pair.of("a b b", "A B C D"), Pair.of("a", "A")]
    summary = summarize(enumerate(pairs, start=1))
    assert (summary.pairs, summary.distinct, summary.duplicates) == (4, 3, 1)
    assert summary.source_vocabulary == ("a", "b")
    assert summary.target_vocabulary == ("A", "B", "C", "D")
    assert summary.source_lengths == Lengths(1, 1, 3)
    assert summary.target_lengths == Lengths(1, 1, 4)
    assert summary.contradictions == ()


def test_the_median_is_a_length_that_occurs() -> None:
    pairs = [Pair(("a",) * size, ("A",)) for size in (9, 1, 4, 2, 8)]
    assert summarize(enumerate(pairs)).source_lengths == Lengths(1, 4, 9)
    assert summarize(enumerate(pairs[:2])).source_lengths == Lengths(1, 1, 9)


def test_contradictions_carry_their_lines() -> None:
    numbered = [
        (2, Pair.of("a", "A")),
        (3, Pair.of("a", "B")),
        (5, Pair.of("b", "B")),
        (9, Pair.of("a", "A")),
    ]
    summary = summarize(numbered)
    assert summary.contradictions == (Contradiction(("a",), ((("A",), (2, 9)), (("B",), (3,)))),)
    assert summary.duplicates == 1


def test_nothing_cannot_be_summarized() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        summarize([])
