"""Hash-consing: each distinct pair and each distinct span once, whatever the number of rows."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.models import symbols
from lane.models.composer import Composer
from lane.models.config import ModelConfig
from lane.models.model import LaneModel
from lane.models.nodes import distinct_spans, joined, place_pairs

NONE = symbols.NONE
WORDS = 5
CONFIG = ModelConfig(embedding=4, hidden=4, span_limit=4, variable_limit=3)


def counted(composer: Composer) -> list[int]:
    """How many parents each later call of `merge` computes."""
    rows: list[int] = []
    composer.parent.register_forward_hook(lambda module, given, output: rows.append(len(output)))
    return rows


pairs = st.lists(st.tuples(st.integers(0, WORDS), st.integers(0, WORDS)), max_size=12)


@settings(max_examples=80, deadline=None)
@given(st.lists(pairs, min_size=1, max_size=4))
def test_every_distinct_pair_is_evaluated_once(rounds):
    torch.manual_seed(1)
    composer = Composer(WORDS, CONFIG)
    rows, nodes = counted(composer), composer.leaf_nodes()
    number_of: dict[tuple[int, int], int] = {}
    for asked in rounds:
        left, right = (torch.tensor([pair[side] for pair in asked], dtype=torch.int64) for side in (0, 1))
        nodes, number = composer.parents(nodes, left, right)
        for pair, n in zip(asked, number.tolist(), strict=True):
            assert number_of.setdefault(pair, n) == n
            assert nodes.leaves[n].tolist() == [*pair, NONE, NONE, NONE, NONE]
            assert (nodes.size[n], nodes.variables[n]) == (2, pair.count(symbols.VARIABLE))
            h, c = composer.merge(*(part[i : i + 1] for i in pair for part in (nodes.h, nodes.c)))
            assert torch.allclose(nodes.h[n], h[0])
            assert torch.allclose(nodes.c[n], c[0])
            rows.pop()  # the merge of this very check
    assert len(set(number_of.values())) == len(number_of)
    assert sum(rows) == len(number_of) == nodes.total - (WORDS + 1)
    assert nodes.h.size(0) == nodes.total


def test_a_batch_of_equal_commands_costs_what_one_costs():
    torch.manual_seed(2)
    model = LaneModel(WORDS, 3, CONFIG)
    command = torch.tensor([[1, 2, 3, 4, 5, 1]])
    parents, spans = counted(model.composer), []
    model.solver.encoder.register_forward_hook(lambda module, given, output: spans.append(len(output[0])))
    with torch.no_grad():
        model.rollout(command, None, 50)
        alone = (sum(parents), sum(spans))
        parents.clear()
        spans.clear()
        model.rollout(command.expand(64, -1), None, 50)
    assert (sum(parents), sum(spans)) == alone


def test_draws_share_their_beginnings():
    """Equal expressions with equal beginnings are decoded once: far fewer prefixes than tokens drawn."""
    torch.manual_seed(3)
    model = LaneModel(WORDS, 3, CONFIG)
    with torch.no_grad():
        rollout = model.rollout(torch.ones([200, 1], dtype=torch.int64), torch.ones([200]), 50)
    translations = rollout.translations
    beginnings = {
        tuple(row[:end])
        for row in translations.template.tolist()
        for end in range(len(row) + 1)
        if 0 not in row[:end]
    }
    reached = translations.prefix[translations.prefix != NONE]
    assert len(reached.unique()) == translations.log_prob.size(0) == len(beginnings)


@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=2), st.lists(st.integers(0, 9), max_size=2))))
def test_joined_rows_stand_one_behind_the_other(rows):
    if not rows:
        return

    def padded(row: list[int]) -> list[int]:
        return [*row, *[NONE] * (4 - len(row))]

    left, right = (torch.tensor([padded(row[side]) for row in rows]) for side in (0, 1))
    assert joined(left, right).tolist() == [padded(a + b) for a, b in rows]


def test_pairs_keep_their_numbers_and_new_ones_follow():
    nodes = Composer(WORDS, CONFIG).leaf_nodes()
    leaves = WORDS + 1
    number, fresh = place_pairs(nodes, leaves, torch.tensor([9, 3, 9]))
    assert number.tolist() == [leaves + 1, leaves, leaves + 1]
    assert fresh.tolist() == [3, 9]
    nodes = nodes._replace(pair=fresh, total=leaves + 2)
    number, fresh = place_pairs(nodes, leaves, torch.tensor([5, 9, 3]))
    assert number.tolist() == [leaves + 2, leaves + 1, leaves]
    assert fresh.tolist() == [5]


def test_trees_with_the_same_leaves_have_one_span():
    composer = Composer(WORDS, CONFIG)
    nodes = composer.leaf_nodes()
    nodes, inner = composer.parents(nodes, torch.tensor([1, 2]), torch.tensor([2, 3]))
    nodes, outer = composer.parents(
        nodes, torch.stack([inner[0], torch.tensor(1)]), torch.stack([torch.tensor(3), inner[1]])
    )
    assert outer[0] != outer[1]
    node = torch.tensor([[int(outer[0]), NONE], [int(outer[1]), int(inner[0])]])
    spans, span = distinct_spans(nodes, node)
    assert span[0, 0] == span[1, 0] != span[1, 1]
    assert span[0, 1] == NONE
    assert [leaf for leaf in spans[span[0, 0]].tolist() if leaf != NONE] == [1, 2, 3]
    assert len(spans) == 2
