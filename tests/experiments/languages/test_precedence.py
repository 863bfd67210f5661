"""The parser against a reader that tries every operator of a command as the root."""

from collections.abc import Iterator
from itertools import product

import pytest

from lane.base.errors import LaneError
from lane.data.miniscan import limit
from lane.experiments.languages.language import random_language
from lane.experiments.languages.precedence import Fixity, Language, Operator, Parse

MINISCAN = Language(
    primitives=(("dax", "RED"), ("lug", "BLUE"), ("wif", "GREEN"), ("zup", "YELLOW")),
    operators=(
        Operator("fep", Fixity.POSTFIX, 1, (0, 0, 0)),
        Operator("blicket", Fixity.INFIX, 2, (0, 1, 0)),
        Operator("kiki", Fixity.INFIX, 3, (1, 0)),
    ),
)


def readings(language: Language, words: tuple[str, ...], level: int) -> Iterator[Parse]:
    """All readings of `words` as an expression of at most `level`, by the grammar alone."""
    if len(words) == 1 and words[0] in language.actions:
        yield Parse(words[0])
    for at, word in enumerate(words):
        operator = language.by_word.get(word)
        if operator is None or operator.level > level:
            continue
        left, right = words[:at], words[at + 1 :]
        if operator.kind is Fixity.INFIX:
            for pair in product(
                readings(language, left, operator.level), readings(language, right, operator.level - 1)
            ):
                yield Parse(word, pair)
        elif operator.kind is Fixity.PREFIX and not left:
            yield from (Parse(word, (tree,)) for tree in readings(language, right, operator.level))
        elif operator.kind is Fixity.POSTFIX and not right:
            yield from (Parse(word, (tree,)) for tree in readings(language, left, operator.level))


def small(seed: int) -> Language:
    language = random_language(seed)
    return Language(language.primitives[:1], language.operators[:4])


@pytest.mark.parametrize(
    "language", [MINISCAN, *map(small, range(12))], ids=["miniscan", *map(str, range(12))]
)
def test_every_string_has_one_reading_or_none_and_the_parser_finds_it(language: Language) -> None:
    words = [language.primitives[0][0], *language.by_word]
    legal = 0
    for size in range(1, 6):
        for command in product(words, repeat=size):
            expected = list(readings(language, command, language.depth))
            assert len(expected) <= 1
            if expected:
                legal += 1
                assert language.parse(command) == expected[0]
                assert language.words(expected[0]) == command
                assert len(language.evaluate(command)) == language.size(expected[0])
            else:
                with pytest.raises(LaneError):
                    language.parse(command)
    assert legal > 3


def test_the_pairs_of_miniscan_follow_from_its_rules() -> None:
    task = limit()
    assert all(MINISCAN.evaluate(pair.source) == pair.target for pair in (*task.train, *task.test))


def toy(kinds: list[Fixity], templates: list[tuple[int | str, ...]]) -> Language:
    operators = [
        Operator(f"o{level}", kind, level, template)
        for level, (kind, template) in enumerate(zip(kinds, templates, strict=True), start=1)
    ]
    return Language((("x", "X"), ("y", "Y"), ("z", "Z")), tuple(operators))


def test_tighter_first_and_left_to_right() -> None:
    language = toy([Fixity.INFIX, Fixity.POSTFIX], [(1, "C", 0), (0, 0)])
    assert language.evaluate(["x", "o1", "y", "o1", "z"]) == tuple("ZCYCX")
    assert language.evaluate(["x", "o1", "y", "o2"]) == tuple("YCXYCX")
    assert [str(operator) for operator in language.operators] == ["$0 o1 $1 -> $1 C $0", "$0 o2 -> $0 $0"]


def test_prefixes_apply_from_the_inside() -> None:
    language = Language(
        (("x", "X"),),
        (Operator("p", Fixity.PREFIX, 1, ("A", 0)), Operator("q", Fixity.PREFIX, 1, (0, "B", 0))),
    )
    assert "".join(language.evaluate(["p", "q", "x"])) == "AXBX"
    assert "".join(language.evaluate(["q", "p", "x"])) == "AXBAX"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "ends where an argument is needed"),
        ("x o1", "ends where an argument is needed"),
        ("x y", "word 2, 'y', is not expected there"),
        ("x o2 o1 y", "word 3, 'o1', is not expected there"),
        ("x o1 what", "word 3, 'what', is not expected there"),
    ],
)
def test_what_is_no_command_is_refused(command: str, message: str) -> None:
    language = toy([Fixity.INFIX, Fixity.POSTFIX], [(1, 0), (0, 0)])
    with pytest.raises(LaneError, match=message):
        language.evaluate(command.split())


@pytest.mark.parametrize(
    ("operators", "message"),
    [
        ([Operator("x", Fixity.PREFIX, 1, (0,))], "used twice"),
        ([Operator("o", Fixity.PREFIX, 2, (0,))], "without a gap"),
        ([Operator("o", Fixity.INFIX, 1, (0, 0))], "does not use each of its arguments"),
        (
            [Operator("o", Fixity.INFIX, 1, (0, 1)), Operator("p", Fixity.INFIX, 1, (1, 0))],
            "more than one infix",
        ),
        (
            [Operator("o", Fixity.INFIX, 1, (0, 1)), Operator("p", Fixity.PREFIX, 1, (0,))],
            "more than one kind",
        ),
    ],
)
def test_an_ambiguous_or_deleting_language_is_refused(operators: list[Operator], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Language((("x", "X"),), tuple(operators))
