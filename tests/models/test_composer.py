"""What the Composer records of its choices; test_oracle holds its derivations to the oracle."""

import random

import pytest
import torch

from lane.models import symbols
from lane.models.composer import Composer, Derivations
from lane.models.config import ModelConfig

WORDS = 5


@pytest.fixture
def composer() -> Composer:
    torch.manual_seed(3)
    return Composer(WORDS, ModelConfig(embedding=8, hidden=8))


def commands(rows: int, width: int) -> torch.Tensor:
    torch.manual_seed(4)
    words = torch.randint(1, WORDS + 1, [rows, width])
    length = torch.randint(1, width + 1, [rows, 1])
    return words * (torch.arange(width) < length)


def test_the_best_choice_is_the_one_recorded(composer):
    words = commands(40, 7)
    told = composer.compose(words, None, recorded=True)
    there = told.merged != symbols.NONE
    chosen = told.candidates.gather(2, told.choice.unsqueeze(2))[:, :, 0]
    assert torch.equal(chosen[there], told.merged[there])
    scores = told.nodes.score[told.candidates.clamp(min=0)].masked_fill(told.candidates < 0, -torch.inf)
    assert torch.equal(scores.argmax(dim=2)[there], told.choice[there])


def test_recording_changes_nothing_else(composer):
    words = commands(40, 7)
    plain, told = composer.compose(words, None), composer.compose(words, None, recorded=True)
    assert plain.candidates.numel() == plain.choice.numel() == 0
    for name in ("node", "arguments", "slot", "root", "merged", "decided", "fired", "whole"):
        assert torch.equal(getattr(plain, name), getattr(told, name)), name


def test_a_node_is_evaluated_once_whatever_the_number_of_rows(composer):
    words = commands(10, 6)
    once, often = composer.compose(words, None), composer.compose(words.repeat(5, 1), None)
    assert once.nodes.total == often.nodes.total


def test_commands_that_differ_in_recognised_words_have_one_shape(composer):
    fires = [w for w in range(1, WORDS + 1) if composer.leaf_nodes().check[w] > 0]
    other = [w for w in range(1, WORDS + 1) if w not in fires]
    rows = torch.tensor([[word, *other[:1]] for word in [*fires, *other]])
    example, shape = composer.distinct_shapes(rows)
    assert len(example) == len(other) + bool(fires)
    assert len(set(shape[: len(fires)].tolist())) == min(1, len(fires))


def some_plan(rng: random.Random, length: int, composer: Composer) -> dict[tuple[int, int], int]:
    """What a plan says of the spans of one derivation that the limits allow, by first and last word."""
    plan, items = {}, []
    for n in range(length):
        plan[n, n] = rng.choice([symbols.JOINED, symbols.RECOGNIZED])
        items.append((n, n, 1, int(plan[n, n] == symbols.RECOGNIZED)))
    while len(items) > 1:
        at = rng.randrange(len(items) - 1)
        (start, _, left, x), (_, end, right, y) = items[at : at + 2]
        size, variables = left + right, x + y
        forced = size >= composer.span_limit or variables >= composer.variable_limit or len(items) == 2
        plan[start, end] = symbols.RECOGNIZED if forced or rng.random() < 0.5 else symbols.JOINED
        known = plan[start, end] == symbols.RECOGNIZED
        items[at : at + 2] = [(start, end, 1, 1) if known else (start, end, size, variables)]
    return plan


def as_tensor(plans: list[dict[tuple[int, int], int]], width: int) -> torch.Tensor:
    made = torch.full([len(plans), width, width], symbols.APART)
    for row, plan in enumerate(plans):
        for (start, end), said in plan.items():
            made[row, start, end] = said
    return made


def decisions(derivations: Derivations, row: int, length: int, width: int) -> dict[tuple[int, int], int]:
    """The spans that were made, and what was said of them."""

    def said(step: int) -> int:
        return symbols.RECOGNIZED if derivations.fired[row, step] else symbols.JOINED

    items = [(n, n) for n in range(length)]
    found = {(n, n): said(n) for n in range(length)}
    for r in range(length - 1):
        at = int(derivations.choice[row, r])
        items[at : at + 2] = [(items[at][0], items[at + 1][1])]
        found[items[at]] = said(width + r)
    return found


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("drawn", [True, False], ids=["drawn", "best"])
@pytest.mark.parametrize("limits", [(3, 2), (5, 3)], ids=str)
def test_a_plan_is_followed_exactly(seed, drawn, limits):
    torch.manual_seed(seed)
    config = ModelConfig(embedding=8, hidden=8, span_limit=limits[0], variable_limit=limits[1])
    composer, words = Composer(WORDS, config), commands(20, 7)
    length, rng = (words > 0).sum(dim=1).tolist(), random.Random(seed)
    plans = [some_plan(rng, n, composer) for n in length]
    temperature = torch.full([len(words)], 1.5) if drawn else None
    made = composer.compose(words, temperature, recorded=True, plan=as_tensor(plans, 7))
    for row, plan in enumerate(plans):
        assert decisions(made, row, length[row], 7) == plan
        if length[row] > 1:
            assert made.whole[row]


def test_rows_without_a_plan_are_as_ever(composer):
    """In a batch of which some rows have one, from the same random numbers."""
    words = commands(40, 6)
    length, rng = (words > 0).sum(dim=1).tolist(), random.Random(1)
    plan = as_tensor([some_plan(rng, n, composer) for n in length], 6)
    plan[::2] = symbols.FREE
    temperature = torch.full([len(words)], 2.0)
    torch.manual_seed(7)
    plain = composer.compose(words, temperature)
    torch.manual_seed(7)
    mixed = composer.compose(words, temperature, plan=plan)
    differ = False
    for name in ("arguments", "slot", "root", "decided", "fired", "whole", "choice"):
        one, other = getattr(plain, name), getattr(mixed, name)
        assert torch.equal(one[::2], other[::2]), name
        differ |= not torch.equal(one[1::2], other[1::2])
    assert differ
    # Nodes are numbered anew where other rows make others: their leaves tell.
    for made in ("node", "merged"):
        one, other = getattr(plain, made)[::2], getattr(mixed, made)[::2]
        assert torch.equal(one < 0, other < 0)
        there = one >= 0
        assert torch.equal(plain.nodes.leaves[one[there]], mixed.nodes.leaves[other[there]])


def test_where_a_plan_allows_no_merge_the_network_decides(composer):
    words = torch.randint(1, WORDS + 1, [30, 4])
    plan = torch.full([30, 4, 4], symbols.APART)
    made = composer.compose(words, None, recorded=True, plan=plan)
    assert not made.fired[:, :4].any(), "words, too, are recognised only where the plan says so"
    plan[:, range(4), range(4)] = symbols.FREE
    plain = composer.compose(words, None, recorded=True)
    made = composer.compose(words, None, recorded=True, plan=plan)
    assert torch.equal(made.choice[:, 0], plain.choice[:, 0])
    assert plain.choice[:, 0].any()


def test_vectors_may_be_bounded_and_merges_begin_nearly_even():
    """As the published networks have it; by default leaves are not bounded."""
    torch.manual_seed(4)
    published = Composer(WORDS, ModelConfig(embedding=8, hidden=8, bounded=True, orthogonal=True))
    plain = Composer(WORDS, ModelConfig(embedding=8, hidden=8))
    for composer in (published, plain):
        with torch.no_grad():
            composer.embedding.weight.mul_(100)
    leaves = published.leaf_nodes()
    assert leaves.c.abs().max() <= 1 < plain.leaf_nodes().c.abs().max()
    h, c = leaves.h[:2], leaves.c[:2]
    for _ in range(30):  # cells with open forget gates would grow
        h, c = published.merge(h, c, h, c)
    assert c.abs().max() <= 1
    size = published.query.size(0)
    assert published.parent.bias[size : 3 * size].eq(1).all()
    weight = published.parent.weight
    torch.testing.assert_close(weight.T @ weight, torch.eye(weight.size(1)), atol=1e-5, rtol=1e-5)
    assert published.query.std() < 0.05 < plain.query.std()
