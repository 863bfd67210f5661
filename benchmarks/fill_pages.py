"""Fills the tables of docs/benchmarks.md, scale.md, security.md, and the README's training time, from files.

    python benchmarks/fill_pages.py

A table is whatever stands between `<!-- results/NAME -->` and `<!-- end -->`.
"""

import importlib.util
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from types import ModuleType

from lane.experiments import calibration
from lane.experiments.sweep import read_results, solved, table
from lane.models.card import Comparison

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
SECURITY = ROOT / "docs" / "security.md"
SCALE = ROOT / "docs" / "scale.md"
README = ROOT / "README.md"
CAMPAIGN = ("fuzz", "faults", "memory", "soak")
_SWEEPS = re.compile(r"<!-- sweeps -->.*?<!-- end -->", re.DOTALL)
_BLOCK = re.compile(r"(<!-- results/(\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def benchmark(name: str, folder: str = "benchmarks") -> ModuleType:
    """A script, as a module."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def filled(page: str) -> str:
    """The page with every table made from its result file; where that is not there yet, as it is."""

    def new(block: re.Match[str]) -> str:
        path = ROOT / "results" / block[2]
        return block[1] + render(path) + block[3] if path.exists() else block[0]

    return _BLOCK.sub(new, page)


def timed(readme: str) -> str:
    """The README with the figures of results/robot.json, and of the sweeps of the default recipe."""
    robot = json.loads((ROOT / "results" / "robot.json").read_text(encoding="utf-8"))
    readme = re.sub(r"That takes \d+ seconds", f"That takes {robot['seconds']:.0f} seconds", readme)
    compared = f"compared: {Comparison(**robot['comparison'])}"
    return _SWEEPS.sub(_sweeps(), re.sub(r"(?m)^compared: .*$", compared, readme))


def _sweeps() -> str:
    """How many trainings of the default recipe end right, and after how long."""
    tasks, random, practical = map(_summary, ("tasks", "random", "practical"))
    return (
        f"<!-- sweeps -->{tasks}. Of twenty random languages, three trainings each, {random}; of practical "
        f"languages, {practical}<!-- end -->"
    )


def _summary(name: str) -> str:
    records = read_results(ROOT / "results" / f"{name}.jsonl")
    seconds = sorted(record["seconds"] for record in records)
    right = sum(map(solved, records))
    return f"{right} of {len(records)} (median {median(seconds):.0f} s, the slowest {seconds[-1]:.0f} s)"


def render(path: Path) -> str:
    """The table or tables of a result file."""
    kind = {"equivalence": _equivalence, "export": _export, "runtime": _figures}
    kind |= {"growth": _growth, "calibration": _calibration}
    kind |= dict.fromkeys(("answered", "javascript", "objects", "scale", "trainer"), _figures)
    kind |= dict.fromkeys(CAMPAIGN, _campaign)
    return "".join(f"{line}\n" for line in kind.get(path.stem, _sweep)(path))


def _sweep(path: Path) -> Iterable[str]:
    return ["```text", *table(read_results(path)), "```"]


def _equivalence(path: Path) -> Iterable[str]:
    return benchmark("equivalence").table(read_results(path))  # type: ignore[no-any-return]


def _export(path: Path) -> Iterable[str]:
    figures = json.loads(path.read_text(encoding="utf-8"))
    for lines in benchmark("export").tables(figures):
        yield from [*lines, ""]
    if "export_seconds" in figures:
        yield f"All three files written and verified: {figures['export_seconds']:.1f} s."


def _growth(path: Path) -> Iterable[str]:
    return benchmark("growth").table(read_results(path))  # type: ignore[no-any-return]


def _calibration(path: Path) -> Iterable[str]:
    return calibration.table(read_results(path))


def _figures(path: Path) -> Iterable[str]:
    make: Callable[[object], Iterable[str]] = benchmark(path.stem).table
    return make(json.loads(path.read_text(encoding="utf-8")))


def _campaign(path: Path) -> Iterable[str]:
    make: Callable[[object], Iterable[str]] = benchmark("figures", "campaign").TABLES[path.stem]
    return make(json.loads(path.read_text(encoding="utf-8")))


def main() -> None:
    """Rewrite the pages."""
    for page in (PAGE, SCALE, SECURITY):
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
    calibration.draw(read_results(ROOT / "results" / "calibration.jsonl"), ROOT / "docs" / "calibration.svg")
    README.write_text(timed(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
