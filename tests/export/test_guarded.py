"""The core against the oracle, and against whatever numbers it is given."""

import pytest
import torch

from lane.experiments.oracle import Oracle
from lane.export.batches import numbers, table
from lane.export.guarded import GuardedModel
from lane.models import symbols


def split(result) -> list[tuple[int, list[int]]]:
    actions, length, status = result
    assert actions.numel() == int(length.sum())
    rows = actions.split(length.tolist()) if len(length) else []
    return [(code, row.tolist()) for code, row in zip(status.tolist(), rows, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_oracle(checkpoint_of, commands_of, seed):
    checkpoint = checkpoint_of(seed, constants=bool(seed % 2), span_limit=3 + seed % 2)
    core = GuardedModel(checkpoint.model(), len(checkpoint.source), checkpoint.config)
    rows = [numbers(command, checkpoint.source) for command in commands_of(seed, 60, 9)]
    oracle = Oracle(core.model)
    for row, (status, actions) in zip(rows, split(core(table(rows))), strict=True):
        wanted = oracle.derive(row)
        if wanted.longest > checkpoint.config.max_actions:
            assert (status, actions) == (symbols.OUTPUT_TOO_LONG, [])
        else:
            assert (status, actions) == (symbols.OK, wanted.actions)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0), (2, 4)])
def test_tables_of_nothing(core, shape):
    assert split(core(torch.zeros(shape, dtype=torch.int64))) == [(symbols.EMPTY, [])] * shape[0]


def test_bad_rows_leave_the_others_alone(core):
    good = split(core(torch.tensor([[3, 7, 2]])))[0]
    rows = torch.tensor([[0, 3, 7], [3, 0, 7], [-1, 3, 7], [3, 7, 9], [3, 7, 2], [2**40, 0, 0], [0, 0, 0]])
    unknown = (symbols.UNKNOWN_WORD, [])
    assert split(core(rows)) == [unknown, unknown, unknown, unknown, good, unknown, (symbols.EMPTY, [])]


def test_the_word_limit_comes_before_unknown_words(core):
    rows = torch.ones([2, 61], dtype=torch.int64)
    rows[1, 5] = 99
    assert split(core(rows)) == [(symbols.TOO_MANY_WORDS, [])] * 2


def test_padding_does_not_matter(core):
    row = torch.tensor([[3, 7, 2, 5]])
    assert split(core(row)) == split(core(torch.nn.functional.pad(row, [0, 500])))


def test_outputs_are_written_in_portions(core, commands_of, checkpoint, monkeypatch):
    rows = table([numbers(command, checkpoint.source) for command in commands_of(3, 80, 12)])
    whole = split(core(rows))
    monkeypatch.setattr(symbols, "PORTION", 16)
    assert split(core(rows)) == whole


def test_a_thousand_words_take_memory_in_proportion(checkpoint_of):
    checkpoint = checkpoint_of(2, max_words=2000)
    core = GuardedModel(checkpoint.model(), len(checkpoint.source), checkpoint.config)
    words = torch.randint(1, 9, (32, 1000), generator=torch.Generator().manual_seed(0))
    largest = 0

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            nonlocal largest
            result = function(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                largest = max(largest, result.numel())
            return result

    with Watch():
        core(words[:, :300])
    # The widest table is [B, steps, variables]: 32 * 599 * 2; a table of pairs would be 32 * 300 * 300.
    assert largest <= 32 * 300 * 8
