"""The compiler: a byte-exact file, and the models that no program can hold."""

from pathlib import Path

import pytest
import torch

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.export.closure import close
from lane.export.compiler import compile_program, refuse_limits, solve, spans_of
from lane.models.card import ModelCard
from lane.models.checkpoint import Checkpoint
from lane.models.config import ModelConfig
from lane.models.model import LaneModel
from lane.runtime import Program

GOLDEN = Path(__file__).with_name("golden.lane")


def waves() -> Checkpoint:
    """Weights by a formula, so that no generator of random numbers has a say in the bytes."""
    config = ModelConfig(embedding=4, hidden=5, max_words=50, max_actions=400, constants=True)
    model = LaneModel(4, 3, config).double()
    count = 0
    for parameter in model.parameters():
        index = torch.arange(count, count + parameter.numel(), dtype=torch.float64)
        parameter.copy_((2.5 * torch.sin(index * 2.233 + 0.3)).view_as(parameter))
        count += parameter.numel()
    words, actions = Vocabulary(["dax", "größe", "kiki", "lug"]), Vocabulary(["BLUE", "RED", "Ä"])
    return Checkpoint(config, words, actions, model.state_dict(), ModelCard(agreement=0.75))


def compiled(checkpoint: Checkpoint) -> Program:
    model = LaneModel(len(checkpoint.source), len(checkpoint.target), checkpoint.config).double()
    model.load_state_dict(checkpoint.weights)
    closure = close(model.composer, 10**6)
    rules = solve(model.solver, spans_of(closure), checkpoint.config.max_span)
    return compile_program(checkpoint, closure, rules, {(1,): 3}, 0.25, {"by": "formula"})


def test_byte_exact():
    assert compiled(waves()).dumps() == GOLDEN.read_bytes()


def test_reads_back_complete():
    program = Program.load(GOLDEN)
    assert program == compiled(waves())
    assert program.complete
    assert (program.margin, program.agreement, program.provenance) == (0.25, 0.75, {"by": "formula"})
    assert program.rules[0].span == ("dax",)
    assert program.rules[0].uses == 3


@pytest.mark.parametrize("limits", [{"span_limit": 6}, {"span_limit": 5, "variable_limit": 4}])
def test_limits_beyond_the_format_are_refused_at_once(checkpoint_of, limits):
    with pytest.raises(LaneError, match="leave `program` out of --formats"):
        refuse_limits(checkpoint_of(1, **limits))


def test_words_that_the_format_refuses_are_named(checkpoint_of):
    checkpoint = checkpoint_of(1, words=("<error:x", "b"))
    with pytest.raises(LaneError, match="<error:x"):
        compiled(checkpoint)


def test_the_same_model_gives_the_same_program(checkpoint):
    def made() -> bytes:
        model = checkpoint.model().double()
        closure = close(model.composer, 10**6)
        rules = solve(model.solver, spans_of(closure), checkpoint.config.max_span)
        return compile_program(checkpoint, closure, rules, {}, None, {}).dumps()

    threads = torch.get_num_threads()
    first = made()
    torch.set_num_threads(1 if threads > 1 else 2)
    try:
        assert made() == first
    finally:
        torch.set_num_threads(threads)
