"""Translations: what the mask lets through, in any state of the network."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.solver import Solver

WORDS, ACTIONS = 4, 3


@st.composite
def spans(draw, config):
    """A span of words and variables within the limits of the config."""
    length = draw(st.integers(1, config.max_span))
    most = min(length, config.max_variables)
    variables = draw(st.sets(st.integers(0, length - 1), max_size=most)) if length > 1 else set()
    leaves = [symbols.VARIABLE if i in variables else draw(st.integers(1, WORDS)) for i in range(length)]
    return leaves + [symbols.NONE] * (config.max_span - length)


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    seed=st.integers(0, 2**31),
    sharp=st.sampled_from([0.3, 3.0, 30.0]),
    span_limit=st.integers(2, 4),
    variable_limit=st.integers(2, 3),
    room=st.integers(0, 4),
    constants=st.one_of(st.booleans(), st.sets(st.integers(1, ACTIONS)).map(tuple)),
    temperature=st.sampled_from([None, 0.5, 1.0, 5.0]),
)
def test_a_translation_uses_every_variable_and_ends_in_time(
    data, seed, sharp, span_limit, variable_limit, room, constants, temperature
):
    most = min(2 * (span_limit - 1), 2 * (variable_limit - 1))
    config = ModelConfig(
        embedding=3,
        hidden=4,
        span_limit=span_limit,
        variable_limit=variable_limit,
        template_limit=most + room,
        constants=constants,
    )
    torch.manual_seed(seed)
    solver = Solver(WORDS, ACTIONS, config)
    with torch.no_grad():
        for parameter in solver.parameters():
            parameter.mul_(sharp)
        leaves = torch.tensor(data.draw(st.lists(spans(config), min_size=1, max_size=4)))
        owner = torch.arange(len(leaves)).repeat_interleave(1 if temperature is None else 30)
        warmth = None if temperature is None else torch.full([len(owner)], temperature)
        longest = most + data.draw(st.integers(0, room))
        translations = solver.solve(leaves, owner, warmth, longest)
    for row, span in zip(translations.template.tolist(), leaves[owner].tolist(), strict=True):
        variables = span.count(symbols.VARIABLE)
        template = [token for token in row if token != symbols.END]
        assert row == template + [symbols.END] * (len(row) - len(template)), "nothing follows the end"
        assert 1 <= len(template) <= longest
        used = {token for token in template if token <= config.max_variables}
        assert used == set(range(1, variables + 1))
        if variables and constants is not True:
            actions = {token - config.max_variables for token in set(template) - used}
            assert actions <= set(constants or ()), "no other actions in a rule with variables"
        assert max(template) < solver.tokens


def test_constants_are_drawn_where_they_may_be():
    torch.manual_seed(5)
    config = ModelConfig(embedding=3, hidden=4, constants=True)
    solver = Solver(WORDS, ACTIONS, config)
    leaves = torch.tensor([[symbols.VARIABLE, 1, symbols.NONE, symbols.NONE]])
    drawn = solver.solve(
        leaves, torch.zeros([300], dtype=torch.int64), torch.ones([300]), config.template_limit
    ).template
    assert (drawn > config.max_variables).any()


def test_where_one_token_is_left_it_is_forced():
    """A template that has just enough room for its variables has no choice at the end."""
    torch.manual_seed(6)
    config = ModelConfig(embedding=3, hidden=4, template_limit=2)
    solver = Solver(WORDS, ACTIONS, config)
    leaves = torch.tensor([[symbols.VARIABLE, 1, symbols.VARIABLE, symbols.NONE]])
    found = solver.solve(
        leaves, torch.zeros([50], dtype=torch.int64), torch.ones([50]), config.template_limit
    )
    assert {tuple(row) for row in found.template.tolist()} == {(1, 2), (2, 1)}
    chosen = found.log_prob[found.prefix[:, 1:]].max(dim=2).values
    assert found.forced[found.prefix[:, 1:]].all()
    assert not found.forced[found.prefix[:, 0]].any()
    assert torch.allclose(chosen, torch.zeros_like(chosen))


@pytest.mark.parametrize(
    ("leaves", "seen"),
    [
        ([0, 2, 0, -1], [0, 3, 1, -1]),
        ([4, -1, -1, -1], [5, -1, -1, -1]),
        ([1, 0, -1, -1], [2, 0, -1, -1]),
    ],
)
def test_variables_are_seen_by_local_name(leaves, seen):
    solver = Solver(WORDS, ACTIONS, ModelConfig(embedding=3, hidden=4))
    assert solver.localized(torch.tensor([leaves])).tolist() == [seen]


def test_a_mark_stands_behind_the_last_token():
    """It has a row of its own among the embeddings, whatever the words."""
    solver = Solver(WORDS, ACTIONS, ModelConfig(embedding=3, hidden=4, end_mark=True))
    mark = len(solver.source.weight) - 1
    leaves = torch.tensor([[0, 2, 0, -1], [WORDS, -1, -1, -1], [1, 0, 2, 3]])
    seen = [[0, 3, 1, mark, -1], [1 + WORDS, mark, -1, -1, -1], [2, 0, 3, 4, mark]]
    assert solver.localized(leaves).tolist() == seen
    assert max(map(max, [row[:1] for row in seen])) < mark


def test_names_of_variables_may_be_given():
    """A template then has the same names, and no other."""
    torch.manual_seed(7)
    solver = Solver(WORDS, ACTIONS, ModelConfig(embedding=3, hidden=4, constants=True))
    leaves = torch.tensor([[0, 2, -1, -1], [0, 2, 0, -1]])
    names = torch.tensor([[1, 0], [1, 0]])
    assert solver.localized(leaves, names).tolist() == [[1, 3, -1, -1], [1, 3, 0, -1]]
    owner = torch.tensor([0, 1]).repeat_interleave(100)
    drawn = solver.solve(leaves, owner, torch.ones([200]), 6, names=names).template
    used = [{token for token in row if token in (1, 2)} for row in drawn.tolist()]
    assert all(one == {2} for one in used[:100])
    assert all(one == {1, 2} for one in used[100:])


def test_only_drawn_translations_lose_embeddings_to_dropout():
    torch.manual_seed(8)
    solver = Solver(WORDS, ACTIONS, ModelConfig(embedding=8, hidden=4, dropout=0.5))
    leaves, owner = torch.tensor([[1, -1, -1, -1]]), torch.zeros([1], dtype=torch.int64)
    greedy = [solver.solve(leaves, owner, None, 5).log_prob[0] for _ in range(5)]
    drawn = [solver.solve(leaves, owner, torch.ones([1]), 5).log_prob[0] for _ in range(5)]
    assert all(torch.equal(one, greedy[0]) for one in greedy)
    assert not all(torch.equal(one, drawn[0]) for one in drawn)


def test_what_stands_behind_a_span_does_not_matter():
    """Padding changes neither the encoding nor the attention."""
    torch.manual_seed(7)
    solver = Solver(WORDS, ACTIONS, ModelConfig(embedding=3, hidden=4))
    short, owner = torch.tensor([[1, 2, -1, -1]]), torch.zeros([1], dtype=torch.int64)
    together = torch.tensor([[1, 2, -1, -1], [1, 2, 3, 4]])
    alone = solver.solve(short, owner, None, 10)
    beside = solver.solve(together, torch.arange(2), None, 10)
    assert torch.equal(alone.template[0], beside.template[0])
    assert torch.allclose(alone.log_prob[0], beside.log_prob[0])


@pytest.mark.parametrize("drawn", [True, False], ids=["drawn", "best"])
def test_given_translations_come_out_and_the_others_are_as_ever(drawn):
    torch.manual_seed(8)
    config = ModelConfig(embedding=3, hidden=4, constants=True)
    solver = Solver(WORDS, ACTIONS, config)
    none, longest = symbols.NONE, config.template_limit
    leaves = torch.tensor([[symbols.VARIABLE, 1, symbols.VARIABLE, none], [2, none, none, none]])
    owner = torch.tensor([0, 1] * 20)
    action = config.max_variables + 1
    templates = {0: [2, action, 1, 1], 1: [action + 1, action]}
    told = torch.full([len(owner), longest + 1], none)
    for row in range(0, len(owner), 3):
        template = templates[int(owner[row])]
        told[row] = symbols.END
        told[row, : len(template)] = torch.tensor(template)
    warmth = torch.ones([len(owner)]) if drawn else None
    translations = solver.solve(leaves, owner, warmth, longest, told)
    for row, template in enumerate(translations.template.tolist()):
        end = template.index(symbols.END) if symbols.END in template else len(template)
        expected = templates[int(owner[row])]
        if row % 3 == 0:
            assert template[:end] == expected
        elif not drawn:
            plain = solver.solve(leaves, owner, None, longest).template[row].tolist()
            assert template[:end] == [token for token in plain if token != symbols.END]
        else:
            used = {token for token in template[:end] if token <= config.max_variables}
            assert used == set(range(1, leaves[owner[row]].tolist().count(symbols.VARIABLE) + 1))
        # The prefixes are those of the tokens, so that the gradient belongs to them.
        path = [p for p in translations.prefix[row].tolist() if p != none]
        tokens = [*template[:end], symbols.END][: len(path)]
        chosen = translations.log_prob[path, tokens]
        assert (chosen > symbols.IMPOSSIBLE / 2).all(), "the mask allows what is given"
    if drawn:
        free = translations.template[1::3]
        assert len({tuple(row) for row in free.tolist()}) > 2


def test_nothing_given_changes_nothing():
    torch.manual_seed(9)
    config = ModelConfig(embedding=3, hidden=4)
    solver = Solver(WORDS, ACTIONS, config)
    leaves = torch.tensor([[symbols.VARIABLE, 1, symbols.VARIABLE, symbols.NONE]])
    owner, warmth = torch.zeros([30], dtype=torch.int64), torch.ones([30])
    longest = config.template_limit
    torch.manual_seed(10)
    plain = solver.solve(leaves, owner, warmth, longest)
    torch.manual_seed(10)
    told = solver.solve(leaves, owner, warmth, longest, torch.full([30, longest + 1], symbols.NONE))
    for one, other in zip(plain, told, strict=True):
        assert torch.equal(one, other)
