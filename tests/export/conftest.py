"""Models with random weights: they decide like any other, and nothing about them was trained to agree."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.export.batches import numbers, table
from lane.export.guarded import GuardedModel
from lane.export.verify import refusal, replies
from lane.models.card import ModelCard
from lane.models.checkpoint import Checkpoint, save
from lane.models.config import ModelConfig
from lane.models.model import LaneModel

WORDS = ("and", "größe", "jump", "left", "run", "turn", "twice", "walk")
ACTIONS = ("I_JUMP", "I_LEFT", "I_RUN", "Ä", "WALK")


def make_checkpoint(
    seed: int = 1, sharp: float = 4.0, words: tuple[str, ...] = WORDS, **limits
) -> Checkpoint:
    config = ModelConfig(embedding=6, hidden=8, **({"max_actions": 300, "max_words": 60} | limits))
    torch.manual_seed(seed)
    model = LaneModel(len(words), len(ACTIONS), config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(sharp)
    card = ModelCard(task="random", seed=seed, agreement=0.5)
    return Checkpoint(config, Vocabulary(words), Vocabulary(ACTIONS), model.state_dict(), card)


def make_commands(seed: int, count: int, longest: int, words: tuple[str, ...] = WORDS) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(words, k=draw.randint(1, longest))) for _ in range(count)]


@pytest.fixture(scope="session")
def expected() -> Callable[..., list[tuple[str, str]]]:
    """The checkpoint's own replies: the loop that was trained, with its values written out in Python."""

    def ask(model: LaneModel, checkpoint: Checkpoint, commands: list[str]) -> list[tuple[str, str]]:
        rows = [numbers(command, checkpoint.source) for command in commands]
        found = [refusal(row, checkpoint.config.max_words) for row in rows]
        good = [place for place, reply in enumerate(found) if reply[0] == "ok"]
        rollout = model.rollout(table([rows[place] for place in good]), None, 0)
        for place, reply in zip(good, replies(rollout, checkpoint), strict=True):
            found[place] = reply
        return found

    return ask


@pytest.fixture(scope="session")
def checkpoint_of() -> Callable[..., Checkpoint]:
    return make_checkpoint


@pytest.fixture(scope="session")
def commands_of() -> Callable[..., list[str]]:
    return make_commands


@pytest.fixture(scope="session")
def checkpoint() -> Checkpoint:
    return make_checkpoint()


@pytest.fixture(scope="session")
def model(checkpoint: Checkpoint) -> LaneModel:
    return checkpoint.model().double()


@pytest.fixture(scope="session")
def core(checkpoint: Checkpoint) -> GuardedModel:
    return GuardedModel(checkpoint.model(), len(checkpoint.source), checkpoint.config).eval()


@pytest.fixture(scope="session")
def files(tmp_path_factory, checkpoint) -> dict[str, Path]:
    """All three files of the random model, and its checkpoint."""
    from lane.export import export

    torch.set_num_threads(1)
    place = tmp_path_factory.mktemp("exported")
    save(checkpoint, place / "model.pt")
    done = export(place / "model.pt", out=place / "out", pairs=make_commands(5, 40, 6), random=150)
    return {written.kind: written.path for written in done.files} | {"checkpoint": place / "model.pt"}


@pytest.fixture(autouse=True)
def _one_thread_and_no_gradients():
    """Small tensors: more threads only fight for the cores that other tests use."""
    torch.set_num_threads(1)
    with torch.no_grad():
        yield
    torch.set_num_threads(1)
