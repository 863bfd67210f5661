"""Rewards against brute force."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.trainer.config import build_config
from lane.trainer.dataset import padded
from lane.trainer.reward import reward, similarity, simplicity


def longest_common_substring(a: list[int], b: list[int]) -> int:
    parts = {tuple(a[i:j]) for i in range(len(a)) for j in range(i + 1, len(a) + 1)}
    return max(
        (j - i for i in range(len(b)) for j in range(i + 1, len(b) + 1) if tuple(b[i:j]) in parts), default=0
    )


rows = st.lists(st.integers(1, 3), max_size=9)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(rows, rows.filter(bool)), min_size=1, max_size=6))
def test_similarity_is_that_of_the_longest_common_substring(batch):
    outputs, golds = [a for a, _ in batch], [b for _, b in batch]
    lengths = [torch.tensor([len(row) for row in side]) for side in (outputs, golds)]
    found = similarity(padded(outputs), lengths[0], padded(golds), lengths[1])
    for value, (a, b) in zip(found.tolist(), batch, strict=True):
        common = longest_common_substring(a, b)
        assert value == pytest.approx(common / (len(a) + len(b) - common))
        assert (value == 1) == (a == b)


# 0 is a variable; words are 1 and 2. Two variables, so that actions are 3 and above.
RULES = {
    (1,): [3],
    (0, 1): [1, 1],
    (0, 2, 0): [1, 2, 3],
    (0, 1, 2): [1, 1],
    (1, 2): [3, 4],
    (0, 0): [2, 1],
}
WORD = ((1,),)
TREES = [
    WORD,
    ((0, 1), WORD),
    ((0, 2, 0), ((0, 1), WORD), WORD),
    ((0, 1, 2), WORD),
    ((1, 2),),
    ((0, 0), ((0, 1, 2), WORD), ((1, 2),)),
]


def directly(tree: tuple, dense: bool, penalty: float) -> list[float]:
    """The simplicity of each expression with more than one token."""
    span, *children = tree
    inner = [value for child in children for value in directly(child, dense, penalty)]
    if len(span) == 1:
        return inner
    template = RULES[span]
    share = sum(token <= 2 for token in template) / len(template)
    value = share if dense else float(share == 1)
    beyond = max(0, sum(leaf != 0 for leaf in span) - 1)
    return [*inner, value * (1 - penalty * beyond)]


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("penalty", [0.0, 0.25])
def test_simplicity_is_the_mean_over_expressions(hand_made, dense, penalty):
    config = build_config("fast", {"dense": dense, "word_penalty": penalty})
    found = simplicity(hand_made(RULES, TREES), 2, config)
    for value, tree in zip(found.tolist(), TREES, strict=True):
        each = directly(tree, dense, penalty)
        assert value == pytest.approx(sum(each) / len(each) if each else 1.0)


def test_a_root_that_is_not_recognised_earns_nothing():
    similar, simple = torch.tensor([1.0, 1.0, 0.0]), torch.tensor([1.0, 0.5, 1.0])
    whole = torch.tensor([False, True, True])
    product = build_config("fast", {"gamma": 1.0, "product": True})
    assert reward(similar, simple, whole, product).tolist() == [0.0, 1.5, 0.0]
    added = build_config("fast", {"gamma": 0.5, "product": False})
    assert reward(similar, simple, whole, added).tolist() == [0.0, 1.25, 0.5]


def test_simplicity_may_count_only_where_the_output_is_right():
    similar, simple = torch.tensor([1.0, 0.5, 1.0]), torch.tensor([1.0, 1.0, 0.5])
    whole = torch.tensor([True, True, False])
    config = build_config("fast", {"gamma": 0.5, "simple_if_right": True})
    assert reward(similar, simple, whole, config).tolist() == [1.5, 0.5, 0.0]


def test_a_derivation_of_words_alone_may_be_as_simple_as_can_be_or_not_at_all(hand_made):
    for alone in (True, False):
        config = build_config("fast", {"simple_alone": alone, "dense": False, "word_penalty": 0.0})
        found = simplicity(hand_made(RULES, [WORD, ((0, 1), WORD)]), 2, config)
        assert found.tolist() == [float(alone), 1.0]


@pytest.mark.parametrize("dense", [True, False])
def test_expressions_by_known_rules_are_simple(hand_made, dense):
    """Whatever constants and words they have; the others count as ever."""
    config = build_config("fast", {"dense": dense})
    rollout = hand_made(RULES, TREES)
    known_spans = {(0, 2, 0), (1, 2)}
    spans = list(RULES)
    node = rollout.derivations.node
    known = torch.tensor([[n >= 0 and spans[n] in known_spans for n in row] for row in node.tolist()])

    def values(tree: tuple) -> list[float]:
        span, *children = tree
        inner = [value for child in children for value in values(child)]
        if len(span) == 1:
            return inner
        own = 1.0 if span in known_spans else directly((span,), dense, config.word_penalty)[0]
        return [*inner, own]

    for value, tree in zip(simplicity(rollout, 2, config, known).tolist(), TREES, strict=True):
        each = values(tree)
        assert value == pytest.approx(sum(each) / len(each) if each else 1.0)
    none = torch.zeros_like(known)
    assert torch.equal(simplicity(rollout, 2, config, none), simplicity(rollout, 2, config))
    assert torch.equal(simplicity(rollout, 2, config, ~none), torch.ones([len(TREES)]))
