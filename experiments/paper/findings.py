"""What the experiments found: the result files of a study, read once."""

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lane.experiments.sweep import read_results
from lane.experiments.trial import trial_of

Record = dict[str, Any]


@dataclass(frozen=True)
class Findings:
    """The records of each experiment; empty where it was not done."""

    folder: Path
    tasks: tuple[Record, ...]
    ablations: tuple[Record, ...]
    rates: tuple[Record, ...]
    baselines: tuple[Record, ...]
    departures: tuple[Record, ...]
    published: tuple[Record, ...]  # of the preset `paper`, as the next three
    published_ablations: tuple[Record, ...]
    published_rates: tuple[Record, ...]
    behaviours: tuple[Record, ...]
    productivity: Record
    limit: dict[str, dict[str, float]]  # by seed and number of items
    rules: dict[str, dict[str, list[str]]]  # by task and seed

    @classmethod
    def read(cls, folder: Path) -> "Findings":
        """All there is in the folder of a study."""

        def records(name: str) -> tuple[Record, ...]:
            return tuple(read_results(folder / f"{name}.jsonl"))

        def figures(name: str) -> Record:
            path = folder / f"{name}.json"
            return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}

        return cls(
            folder,
            tasks=records("tasks"),
            ablations=records("ablations"),
            rates=records("rates"),
            baselines=records("baselines"),
            departures=records("departures"),
            published=records("published"),
            published_ablations=records("published-ablations"),
            published_rates=records("published-rates"),
            behaviours=records("published-behaviours"),
            productivity=figures("productivity"),
            limit=figures("limit"),
            rules=figures("rules"),
        )

    @property
    def seconds(self) -> float:
        """What all runs took, one after the other."""
        parts = (
            *(self.tasks, self.ablations, self.rates, self.baselines, self.departures),
            *(self.published, self.published_ablations, self.published_rates, self.behaviours),
        )
        return float(sum(record["seconds"] for part in parts for record in part))


def of_task(records: Iterable[Record], task: str) -> list[Record]:
    """The records of one task."""
    return [record for record in records if record["task"] == task]


def with_setting(records: Iterable[Record], *settings: str) -> list[Record]:
    """The trials with these settings, and perhaps others."""
    return [record for record in records if set(settings) <= set(trial_of(record).settings)]


def shares(records: Iterable[Record], name: str = "test") -> list[float]:
    """The accuracy of each run on one set, as percent."""
    return [100 * record["accuracy"][name] for record in records if name in record["accuracy"]]


def spread(values: Sequence[float]) -> str:
    """`99.2 ± 0.8`: mean and standard deviation, the latter only where there is more than one value."""
    if not values:
        return ""
    mean = f"{statistics.mean(values):.1f}"
    return f"{mean} ± {statistics.stdev(values):.1f}" if len(values) > 1 else mean
