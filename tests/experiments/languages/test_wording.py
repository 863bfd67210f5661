"""The choices of one seed."""

import random

from lane.experiments.languages.frames import Frame
from lane.experiments.languages.wording import NUMBERS, PLACES, THINGS, Wording


def test_the_seed_decides_everything() -> None:
    def choices(seed: int) -> tuple[object, ...]:
        wording = Wording(random.Random(seed))
        return (
            wording.call("add", "$0", "$1"),
            wording.end,
            wording.names("n", ["box"]),
            wording.words(2, 4, THINGS),
        )

    assert choices(3) == choices(3)
    assert len({str(choices(seed)) for seed in range(20)}) > 15


def test_calls_are_bracketed_in_one_manner() -> None:
    for seed in range(20):
        wording = Wording(random.Random(seed))
        assert wording.call("add", "$0", "$1") == f"add {wording.open} $0 {wording.comma} $1 {wording.close}"
        assert wording.bracketed("x") == f"{wording.open} x {wording.close}"
        assert (wording.open, wording.close) in {("(", ")"), ("[", "]"), ("{", "}")}


def test_some_are_distinct_and_as_many_as_asked_for() -> None:
    wording = Wording(random.Random(1))
    for _ in range(50):
        words = wording.words(2, 4, PLACES)
        assert 2 <= len(words) == len(set(words)) <= 4
        assert set(words) <= set(PLACES.split())


def test_number_words_are_written_in_digits() -> None:
    frames = Wording(random.Random(1)).numbers("number", 21, 21)
    assert {frame.source[0]: int(frame.target[0]) for frame in frames} == {
        word: number for number, word in enumerate(NUMBERS)
    }


def test_names_of_one_seed_are_all_written_alike() -> None:
    manners = set()
    for seed in range(30):
        names = Wording(random.Random(seed)).names("thing", ["box", "cup"])
        assert all(isinstance(name, Frame) and name.sort == "thing" for name in names)
        box, cup = (name.target[0] for name in names)
        assert box.replace("box", "cup").replace("BOX", "CUP") == cup
        manners.add(box)
    assert manners == {"box", "BOX", "box_1", "id:box"}


def test_lists_of_words_have_no_word_twice() -> None:
    for text in (THINGS, PLACES):
        assert len(set(text.split())) == len(text.split())
