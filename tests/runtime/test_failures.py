"""What is said of commands that are wrong."""

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
