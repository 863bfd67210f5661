"""Hand-made derivations, and a small language to train on."""

from types import SimpleNamespace

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.models import symbols
from lane.trainer.config import build_config
from lane.trainer.dataset import Dataset


@pytest.fixture(scope="session")
def hand_made():
    """Make a rollout of trees: a tree is a span and the trees of its variables; `rules` translates spans."""

    def make(rules: dict[tuple[int, ...], list[int]], trees: list, variables: int = 2) -> SimpleNamespace:
        spans = list(rules)
        rows, roots = [], []
        for tree in trees:
            steps: list[tuple[int, list[int]]] = []

            def add(tree: tuple, steps: list = steps) -> int:
                span, *children = tree
                arguments = [add(child) for child in children]
                steps.append((spans.index(span), arguments + [symbols.NONE] * (variables - len(arguments))))
                return len(steps) - 1

            roots.append(add(tree))
            rows.append(steps)
        width = max(map(len, rows))
        nothing = (symbols.NONE, [symbols.NONE] * variables)
        rows = [steps + [nothing] * (width - len(steps)) for steps in rows]
        numbers = torch.tensor([[number for number, _ in steps] for steps in rows])
        longest = max(map(len, spans))
        leaves = torch.tensor([[*span, *[symbols.NONE] * (longest - len(span))] for span in spans])
        room = max(map(len, rules.values()))
        nodes = SimpleNamespace(
            leaves=leaves,
            size=(leaves != symbols.NONE).sum(dim=1),
            variables=(leaves == symbols.VARIABLE).sum(dim=1),
        )
        template = torch.tensor([[*t, *[symbols.END] * (room - len(t))] for t in rules.values()])
        return SimpleNamespace(
            derivations=SimpleNamespace(
                nodes=nodes,
                node=numbers,
                arguments=torch.tensor([[arguments for _, arguments in steps] for steps in rows]),
                root=torch.tensor(roots),
            ),
            translations=SimpleNamespace(template=template),
            solution=numbers.clone(),
        )

    return make


@pytest.fixture(scope="session")
def pairs():
    texts = {"walk": "W", "run": "R", "look": "L", "walk twice": "W W", "run twice": "R R"}
    return tuple(Pair.of(source, target) for source, target in texts.items())


@pytest.fixture(scope="session")
def vocabularies(pairs):
    return Vocabulary.of(pair.source for pair in pairs), Vocabulary.of(pair.target for pair in pairs)


@pytest.fixture(scope="session")
def dataset(pairs, vocabularies):
    return Dataset(pairs, *vocabularies)


@pytest.fixture(scope="session")
def tiny_config():
    """A recipe of little work, with the numbers that tests count on."""
    settings = {"embedding": 8, "hidden": 8, "examples": 8, "samples": 4, "evaluate_every": 3}
    return build_config("fast", {**settings, "patience": 3, "stall": 6, "attempts": 2, "recombined": 40})
