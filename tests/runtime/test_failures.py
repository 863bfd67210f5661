"""What is said of commands that are wrong."""

import tracemalloc

from lane.runtime.failures import Failures


def test_the_nearest_word_is_the_same_whatever_the_order_of_the_vocabulary():
    words = ["walk", "talk", "balk", "jump"]
    for order in (words, words[::-1]):
        assert Failures(order, 9, 9).of_command(["calk"]).nearest == "balk"


def test_the_first_reason_counts():
    failures = Failures(["a"], 2, 5)
    assert failures.of_command(["a", "a"]) is None
    assert failures.of_command([]).code == "empty"
    assert failures.of_command(["b", "b", "b"]).code == "too-many-words"
    assert failures.of_command(["b", "a", "c"][:2]).position == 1


def test_a_translation_that_is_too_long_is_placed_where_the_place_is_known():
    failures = Failures(["a"], 2, 5)
    placed, plain = failures.too_long(["a", "b"], 1), failures.too_long(["a", "b"], None)
    assert (placed.word, placed.position) == ("b", 2)
    assert placed.message == f"{plain.message} (from word 2)"
    assert (plain.code, plain.word, plain.position) == ("too-many-actions", None, None)


def test_unknown_words_take_no_memory():
    """Some words are remembered, so that their nearest one is looked for once; none by its length."""
    failures = Failures(["jump", "walk"], 9, 9)
    tracemalloc.start()
    for number in range(500):
        assert failures.of_command([f"{number}" + "x" * 100_000]).code == "unknown-word"
    after_long, _ = tracemalloc.get_traced_memory()  # now: short words would push the long ones out
    for number in range(10_000):
        assert failures.of_command([f"{number:040}"]).nearest is None
    after_many, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after_long < 200_000, "50 MB where long words are kept too"
    assert after_many < 2_000_000


def test_messages_are_short():
    failure = Failures(["jump"], 9, 9).of_command(["\x1b[31m" + "x" * 100_000])
    assert failure.message == "unknown word '\\x1b[31m" + "x" * 52 + "...' (word 1)"
    assert len(failure.word) == 100_005
