"""What the Composer records of its choices; test_oracle holds its derivations to the oracle."""

import pytest
import torch

from lane.models import symbols
from lane.models.composer import Composer
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
