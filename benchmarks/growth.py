"""How time and memory of a training grow with the pairs and with the names: a table and a plot.

    lane-train sweep --seeds 1 --out results/growth.jsonl --tasks \
        limit,growth:100,growth:1000,growth:10000,growth:100000,practical:names4:0,...,practical:names2000:0
    python benchmarks/growth.py

The first needs an idle machine; the second draws docs/growth.svg. `fill_pages.py` writes the table.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lane.experiments.sweep import read_results

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "growth.jsonl"
PLOT = ROOT / "docs" / "growth.svg"
LIMIT = 14  # pairs of the task limit
Record = dict[str, Any]


def size_of(record: Record) -> tuple[str, int]:
    """What grows in a record, and its size."""
    family, *rest = record["task"].split(":")
    if family == "practical":
        return "names", int(rest[0].removeprefix("names"))
    return "pairs", int(rest[0]) if rest else LIMIT


def table(records: Sequence[Record]) -> Iterable[str]:
    """A row for each size."""
    yield "| size | test right | converged | time | memory |"
    yield "|---|---|---|---|---|"
    for record in sorted(records, key=size_of):
        what, size = size_of(record)
        right = f"{record['accuracy']['test']:.1%} | {'yes' if record['converged'] else 'no'}"
        yield f"| {size:,} {what} | {right} | {record['seconds']:.0f} s | {record['peak_mb']:,.0f} MB |"


def plot(records: Sequence[Record], path: Path) -> None:
    """Seconds and megabytes against the size, a line for pairs and one for names."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "growth"  # the same file for the same figures
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for panel, key, title in zip(panels, ("seconds", "peak_mb"), ("seconds", "megabytes"), strict=True):
        for what, style in (("pairs", "o-"), ("names", "s--")):
            points = sorted(
                (size_of(record)[1], record[key]) for record in records if size_of(record)[0] == what
            )
            panel.plot(*zip(*points, strict=True), style, label=what)
        panel.set(xscale="log", yscale="log", xlabel="size", title=title)
        panel.grid(visible=True, alpha=0.3)
    panels[0].legend()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Draw the plot."""
    parser = argparse.ArgumentParser(
        prog="growth.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.parse_args()
    plot(read_results(RESULTS), PLOT)


if __name__ == "__main__":
    main()
