"""A task: pairs to train on, and pairs to test on."""

from dataclasses import dataclass

from lane.data.pair import Pair


@dataclass(frozen=True, slots=True)
class Task:
    """Training and test pairs under one name; `notes` describe their origin."""

    name: str
    train: tuple[Pair, ...]
    test: tuple[Pair, ...]
    notes: tuple[str, ...] = ()
