"""Decisions: the best one, or one drawn with the right frequency."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.models import symbols
from lane.models.sampling import choose, draw, fires

NONE = symbols.NONE
DRAWS = 20_000


def share_of(drawn: torch.Tensor, options: int) -> torch.Tensor:
    return torch.bincount(drawn, minlength=options) / len(drawn)


def assert_near(share: torch.Tensor, probability: torch.Tensor) -> None:
    """Within five standard deviations of a binomial, for each option."""
    deviation = (probability * (1 - probability) / DRAWS).sqrt()
    assert ((share - probability).abs() <= 5 * deviation + 1e-6).all(), (share, probability)


def test_the_best_is_the_leftmost_of_equals():
    score = torch.tensor([0.5, 2.0, 2.0, 1.0])
    candidate = torch.tensor([[0, 1, 2], [3, 2, 1], [0, 0, 3], [NONE, 3, NONE], [0, NONE, NONE]])
    assert choose(score, candidate, None).tolist() == [1, 1, 2, 1, 0]


def test_a_negative_score_beats_no_candidate():
    assert choose(torch.tensor([-1e6]), torch.tensor([[NONE, 0, NONE]]), None).tolist() == [1]


def test_a_check_of_exactly_one_half_does_not_fire():
    assert fires(torch.tensor([-1.0, 0.0, 1.0]), None).tolist() == [False, False, True]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.0, 1e-6, 0.3, 1.0, 7.0]), min_size=1, max_size=8), st.integers(0, 99))
def test_what_weighs_nothing_is_never_drawn(weights, seed):
    if not any(weights):
        weights[-1] = 1.0
    torch.manual_seed(seed)
    drawn = draw(torch.tensor([weights]).expand(500, -1))
    assert {i for i in set(drawn.tolist()) if weights[i] == 0} == set()


@pytest.mark.parametrize("edge", [0.0, 1 - 2**-24])
def test_the_ends_of_the_random_numbers_draw_what_has_weight(monkeypatch, edge):
    monkeypatch.setattr(torch, "rand_like", lambda like: torch.full_like(like, edge))
    weights = torch.tensor([[0.0, 0.1, 0.7, 0.1, 0.0], [0.0, 0.0, 1e-30, 0.0, 0.0]])
    assert draw(weights).tolist() == [1 if edge == 0 else 3, 2]


def test_drawing_has_the_frequencies_of_the_weights():
    torch.manual_seed(1)
    weight = torch.tensor([2.0, 0.0, 1.0, 5.0, 0.01])
    assert_near(share_of(draw(weight.expand(DRAWS, -1)), 5), weight / weight.sum())


@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_merges_are_drawn_from_the_softmax_at_their_temperature(temperature):
    torch.manual_seed(2)
    score, candidate = torch.tensor([0.3, -1.0, 1.2]), torch.tensor([2, NONE, 0, 1])
    drawn = choose(score, candidate.expand(DRAWS, -1), torch.full([DRAWS], temperature))
    there = torch.softmax(score[[2, 0, 1]] / temperature, dim=0)
    assert_near(share_of(drawn, 4), torch.tensor([there[0], 0.0, there[1], there[2]]))


@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_checks_fire_with_the_probability_of_their_logit(temperature):
    torch.manual_seed(3)
    logit = torch.tensor([-2.0, 0.0, 0.7])
    fired = fires(logit.expand(DRAWS, -1), torch.full([DRAWS], temperature))
    assert_near(fired.float().mean(dim=0), torch.sigmoid(logit / temperature))


def test_each_row_has_its_own_temperature():
    """At temperature 1 nothing leaves a certainty; a hot row doubts it, and never picks what is not there."""
    torch.manual_seed(4)
    score, candidate = torch.tensor([0.0, 80.0]), torch.tensor([[0, 1, NONE]]).expand(DRAWS, -1)
    temperature = torch.ones([DRAWS])
    temperature[::2] = 2.5
    drawn = choose(score, candidate, temperature)
    assert (drawn[1::2] == 1).all()
    hot = share_of(drawn[::2], 3)
    assert hot[0] > 0.01
    assert hot[2] == 0
    fired = fires(torch.full([DRAWS, 2], 80.0), temperature)
    assert fired[1::2].all()
    assert 0.8 < fired[::2].float().mean() < 0.99


def test_the_hotter_the_more_doubt():
    torch.manual_seed(5)
    logit = torch.full([DRAWS], 300.0)
    shares = [1 - float(fires(logit, torch.full([DRAWS], t)).float().mean()) for t in (1.0, 1.5, 2.5, 20.0)]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] < 0.5
    assert all(math.isfinite(share) for share in shares)
