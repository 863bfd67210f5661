"""Shapes, and which of their commands are looked at."""

import random

from lane.models import symbols
from lane.trainer.induction.shape import MEMBERS, shape_of, shapes_of
from lane.trainer.induction.text import text_of

V = symbols.VARIABLE
LEXICON = {word: text_of([word + 10]) for word in range(1, 8)}


def test_words_of_the_lexicon_are_variables():
    assert shape_of((1, 9, 2, 8), LEXICON) == (V, 9, V, 8)
    assert shape_of((1, 9), {}) == (1, 9)


def test_members_have_the_values_of_their_commands():
    rng = random.Random(1)
    commands = sorted({tuple(rng.choices(range(1, 10), k=rng.randint(1, 4))) for _ in range(500)})
    # The output tells which command it belongs to.
    outputs = [text_of([n + 100]) for n in range(len(commands))]
    shapes = shapes_of(commands, outputs, LEXICON)
    by_shape = {}
    for command, output in zip(commands, outputs, strict=True):
        by_shape.setdefault(shape_of(command, LEXICON), {})[output] = command
    assert [shape.tokens for shape in shapes] == sorted(
        (tokens for tokens in by_shape if len(tokens) > 1),
        key=lambda tokens: (len(tokens), -len(by_shape[tokens]), tokens),
    )
    for shape in shapes:
        own = by_shape[shape.tokens]
        assert shape.commands == len(own)
        assert len(shape.outputs) == min(MEMBERS, len(own))
        assert len(shape.values) == shape.tokens.count(V)
        for member, output in enumerate(shape.outputs):
            values = [LEXICON[word] for word in own[output] if word in LEXICON]
            assert [value[member] for value in shape.values] == values


def test_members_differ_in_their_values_where_they_can():
    commands = [(a, 9, b) for a in range(1, 8) for b in range(1, 8)]
    (shape,) = shapes_of(commands, ["x"] * len(commands), LEXICON)
    assert all(one != other for one, other in zip(*shape.values, strict=True))


def test_commands_with_equal_values_count_and_are_one_member():
    lexicon = {1: "a", 2: "a"}
    (shape,) = shapes_of([(1, 9), (2, 9)], ["aa", "aa"], lexicon)
    assert (shape.commands, shape.outputs, shape.values) == (2, ("aa",), (("a",),))


def test_a_few_members_without_their_values_are_spared_where_pairs_may_be_wrong():
    commands = [(word, 9) for word in range(1, 8)]
    outputs = [LEXICON[word] + text_of([20]) for word, _ in commands]
    outputs[3] = text_of([21])
    (strict,) = shapes_of(commands, outputs, LEXICON)
    (shape,) = shapes_of(commands, outputs, LEXICON, noisy=True)
    assert (strict.spared, shape.spared, shape.commands) == (0, 1, 7)
    assert outputs[3] in strict.members.values()
    assert outputs[3] not in shape.members.values()
    outputs[:3] = outputs[3:4] * 3
    (shape,) = shapes_of(commands, outputs, LEXICON, noisy=True)
    assert shape.spared == 0, "more than a third: that is how they are"
