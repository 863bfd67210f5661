"""What was learned: the tensor code refuses exactly the derivations that plain Python refuses."""

import pytest
import torch

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.learned import Combination, Learned, LearnedKind, LearnedRule, refused_rows, steps_of, tables
from lane.models.model import LaneModel
from lane.trainer.automaton import Derived, Observations


def random_model(seed: int) -> LaneModel:
    torch.manual_seed(seed)
    model = LaneModel(5, 3, ModelConfig(embedding=6, hidden=8)).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(4.0)
    return model.eval()


def random_words(count: int) -> torch.Tensor:
    words = torch.randint(1, 6, [count, 7])
    length = torch.randint(1, 8, [count, 1])
    return torch.where(torch.arange(7).unsqueeze(0) < length, words, 0)


@pytest.mark.parametrize("seed", range(8))
@torch.no_grad()
def test_tensors_and_plain_python_refuse_the_same(seed):
    model = random_model(seed)
    observed = Observations()
    for steps in steps_of(model.rollout(random_words(12), None, 0).derivations):
        observed.add(Derived(steps, {}))
    learned = observed.closed()
    words = random_words(200)
    found = model.translate(words)
    of = tables(learned, model.composer.max_span, model.composer.max_variables)
    refused = refused_rows(of, found.spans, found.solution, found.arguments, found.root).tolist()
    assert refused == learned.refused(model.rollout(words, None, 0).derivations)
    assert len(set(refused)) == 2, "the example shows both outcomes"


def automaton() -> Learned:
    v = symbols.VARIABLE
    rules = {(1,): LearnedRule(1, 3), (v, 2): LearnedRule(2, 2), (v, 3, v): LearnedRule(3, 1)}
    return Learned(
        rules, (LearnedKind(True, ()), LearnedKind(True, ((1,),)), LearnedKind(True, ((1, 2), (1,))))
    )


def test_plain_values_are_read_back():
    assert Learned.read(automaton().plain()) == automaton()


@pytest.mark.parametrize("content", [[[[1], 4, 1]], [[[0, 2], 1, 1]]])
def test_a_malformed_automaton_is_refused(content):
    with pytest.raises(ValueError, match="learned: "):
        Learned.read(automaton().plain() | {"rules": content})


def test_samples_are_all_commands_of_the_automaton():
    assert set(automaton().sample(50, seed=1, most_words=9)) == {
        (1,),
        (1, 2),
        (1, 3, 1),
        (1, 2, 3, 1),
    }
    assert set(automaton().sample(50, seed=1, most_words=2)) == {(1,), (1, 2)}


def test_the_output_of_nested_rules_is_bounded():
    v = symbols.VARIABLE
    templates = {(1,): [3], (v, 2): [1, 1, 1]}  # `x thrice`, with two variables
    tree = Combination((1,), ())
    assert tree.output(templates, 2, 9) == [1]
    for _ in range(2):
        tree = Combination((v, 2), (tree,))
    assert tree.words() == [1, 2, 2]
    assert tree.output(templates, 2, 9) == [1] * 9
    for _ in range(60):  # without a bound on each value, more actions than any memory holds
        tree = Combination((v, 2), (tree,))
    assert tree.output(templates, 2, 9) is None
