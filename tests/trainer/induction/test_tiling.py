"""Right sides against all right sides."""

import random

import pytest

from lane.trainer.induction import tiling
from lane.trainer.induction.text import action_of, actions_of, text_of
from lane.trainer.induction.tiling import CONSTANT, tile


def written(right, values, member):
    return "".join(values[t - 1][member] if t > 0 else text_of([-t]) for t in right)


def cost(right):
    return len(right) + CONSTANT * sum(token < 0 for token in right)


def cheapest(outputs, values):
    """The cost of the cheapest right side, by trying all of them; None if there is none."""
    tokens = [*range(1, len(values) + 1), *sorted({-action_of(letter) for letter in outputs[0]})]
    best, begun = None, [()]
    while begun:
        longer = [(*right, token) for right in begun for token in tokens]
        begun = [
            right
            for right in longer
            if all(output.startswith(written(right, values, n)) for n, output in enumerate(outputs))
        ]
        for right in begun:
            ends = all(written(right, values, n) == output for n, output in enumerate(outputs))
            if ends and {t for t in right if t > 0} == set(range(1, len(values) + 1)):
                best = cost(right) if best is None else min(best, cost(right))
    return best


@pytest.mark.parametrize("seed", range(150))
def test_no_right_side_is_cheaper(seed):
    rng = random.Random(seed)
    members, variables = rng.randint(1, 3), rng.randint(0, 3)

    def text(longest):
        return text_of(rng.choices([1, 2], k=rng.randint(1, longest)))

    values = [tuple(text(2) for _ in range(members)) for _ in range(variables)]
    if seed % 3:  # a right side that exists
        tokens = [*range(1, variables + 1), *rng.choices([*range(1, variables + 1), -1, -2], k=2)]
        rng.shuffle(tokens)
        outputs = tuple(written(tokens, values, n) for n in range(members))
    else:
        outputs = tuple(text(4) for _ in range(members))
    right, best = tile(outputs, values), cheapest(outputs, values)
    assert (right is None) == (best is None)
    if right is not None:
        assert tuple(written(right, values, n) for n in range(members)) == outputs
        assert {token for token in right if token > 0} == set(range(1, variables + 1))
        assert cost(right) == best
    assert right is not None or not seed % 3


def test_variables_are_said_rather_than_their_letters():
    two = text_of([1]), text_of([2])
    assert tile((text_of([1, 9, 1]), text_of([2, 9, 2])), [two]) == (1, -9, 1)
    # Of one output alone a constant could be a variable just as well; the variable is cheaper.
    assert tile((text_of([1, 9, 1]),), [(two[0],)]) == (1, -9, 1)


def test_a_variable_more_is_better_than_a_constant():
    letters = [text_of([n]) for n in range(1, 8)]
    a, b, c, d, e, f, g = letters
    values = [(a + b,), (c + d,), (e + f,), (g,), (b + c + d + e + f + g,)]
    output = "".join(letters) * 2 + values[4][0]
    # With the constant `a` before the fifth it would be two tokens shorter.
    assert tile((output,), values) == (1, 2, 3, 4, 1, 2, 3, 4, 5)


def test_members_tell_apart_what_one_output_leaves_open():
    both = text_of([5]), text_of([6])
    assert tile((text_of([5, 5]),), [both[:1], both[:1]]) is not None
    outputs = text_of([5, 6]), text_of([6, 5])
    assert tile(outputs, [both, both[::-1]]) == (1, 2)
    assert tile(outputs, [both[::-1], both]) == (2, 1)
    assert tile(outputs, [both]) is None, "5 then 6, and 6 then 5: no constant serves both"


def test_the_search_is_bounded(monkeypatch):
    outputs, values = (text_of([1] * 12),), [(text_of([1]),), (text_of([1, 1]),)]
    right = tile(outputs, values)
    assert right is not None
    assert actions_of(written(right, values, 0)) == (1,) * 12
    monkeypatch.setattr(tiling, "MOST_STATES", 3)
    assert tile(outputs, values) is None
    monkeypatch.setattr(tiling, "MOST_STATES", 3000)
    monkeypatch.setattr(tiling, "LONGEST", 5)
    assert tile(outputs, values) is None
