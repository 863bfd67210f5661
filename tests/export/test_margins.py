"""The smallest margin, against the oracle's own choices."""

import pytest

from lane.experiments.oracle import Oracle, best
from lane.export import margins
from lane.export.batches import numbers, table


def smallest(model, rows):
    words = table(rows)
    return margins.smallest(model.rollout(words, None, 0, recorded=True), words)


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_thinnest_choice_of_the_oracle(checkpoint_of, commands_of, seed):
    checkpoint = checkpoint_of(seed)
    model = checkpoint.model().double()
    gaps = []

    def decide(log_probs):
        first, second = log_probs.topk(2).values.tolist() if len(log_probs) > 1 else (0.0, -1e9)
        # An exact tie is the same node at another place, and no choice.
        gaps.append(first - second if first - second > 1e-12 else 1e9)
        return best(log_probs)

    rows = [numbers(command, checkpoint.source) for command in commands_of(seed, 40, 8)]
    thinnest, where = 1e9, -1
    for place, row in enumerate(rows):
        gaps.clear()
        Oracle(model, decide).derive(row)
        if min(gaps) < thinnest:
            thinnest, where = min(gaps), place
    found = smallest(model, rows)
    assert found.size == pytest.approx(thinnest, rel=1e-6)
    assert smallest(model, [rows[where]]).size == pytest.approx(thinnest, rel=1e-6)


def test_the_check_of_every_word_counts_whatever_its_shape(model):
    """Commands of one shape share their merges, and each has the checks of its own words."""
    apart = [smallest(model, [[word]]) for word in range(1, model.composer.words + 1)]
    together = smallest(model, [[word] for word in range(1, model.composer.words + 1)])
    assert together.size == min(margin.size for margin in apart)
