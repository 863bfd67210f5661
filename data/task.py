"""A task: what to learn from, and what to be tested on."""

from dataclasses import dataclass

from lane.data.pair import Pair


@dataclass(frozen=True, slots=True)
class Task:
    """Training and test pairs under one name; `notes` say where they came from."""

    name: str
    train: tuple[Pair, ...]
    test: tuple[Pair, ...]
    notes: tuple[str, ...] = ()
