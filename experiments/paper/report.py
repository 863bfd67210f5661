"""The report of a study: one page of Markdown, and the same as HTML that needs no other file."""

import os
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from lane.base.files import write_atomically
from lane.experiments.baseline import Recipe
from lane.experiments.paper import departures, figures, reported
from lane.experiments.paper.claims import claims
from lane.experiments.paper.experiments import (
    ABLATIONS,
    BASELINE_TASKS,
    LONG_COMMANDS,
    RATES,
    SCAN,
    TASKS,
    TREES,
)
from lane.experiments.paper.findings import Findings, Record, of_task, shares, spread, with_setting
from lane.experiments.paper.html_page import as_html
from lane.experiments.sweep import solved
from lane.experiments.trial import Trial

MISSING = "*Not done yet.*"
MEASURED = "**measured**"


def write(folder: Path, path: Path) -> list[Path]:
    """Write the pictures beside the results, the page, and the page as HTML; returns all paths."""
    findings = Findings.read(folder)
    pictures = figures.draw(findings)
    path.parent.mkdir(parents=True, exist_ok=True)  # pictures are found from there
    text = markdown(findings, path.parent)
    page = path.with_suffix(".html")
    for place, data in ((path, text), (page, as_html(text, path.parent))):
        write_atomically(place, data.encode())
    return [*pictures, path, page]


def markdown(findings: Findings, place: Path) -> str:
    """The page, as it stands in the folder `place`."""
    text = files("lane.experiments.paper").joinpath("report.md").read_text(encoding="utf-8")
    low, high = reported.GPU_HOURS
    recipe = asdict(Recipe())
    parts = {
        "seeds": str(max((run["seed"] for run in findings.tasks), default=5)),
        "hours": _duration(findings.seconds),
        "claims": _claims(findings),
        "systematicity": _systematicity(findings),
        "divergence": _divergence(findings),
        "limit": _limit(findings),
        "long": str(LONG_COMMANDS),
        "productivity": _productivity(findings),
        "ablations": _ablations(findings),
        "rates": _rates(findings),
        "trees": _trees(findings, place),
        "rules": _rules(findings),
        "baseline_recipe": ", ".join(f"{name} {value}" for name, value in recipe.items() if name != "shown"),
        "baselines": _baselines(findings),
        "gpu": f"{low} to {high}",
        "cost": _cost(findings),
        "departures": _departures(findings),
        "vectors": departures.times_as_long(departures.VECTORS, findings.departures),
        "departure_seeds": str(departures.SEEDS),
        "most_updates": f"{departures.MOST_UPDATES:,}",
        "constants_task": departures.CONSTANTS,
        "sources": "\n".join(f"- **{name}**: {source}." for name, source in reported.SOURCES.items()),
    }
    for name, label in (
        ("times", "Seconds of each run, by task"),
        ("productivity", "Lengths of training and test, and the share that is right, by length"),
        ("ablations", "Accuracy on each task with and without a part"),
        ("rates", "Accuracy by the learning rates of Composer and Solver"),
    ):
        parts[f"{name}_picture"] = _picture(findings.folder / f"{name}.svg", label, place)
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def headline(findings: Findings) -> str:
    """The findings in a sentence."""
    seconds = [run["seconds"] for run in findings.tasks]
    count = sum(map(solved, findings.tasks))
    return (
        f"{count} of {len(seconds)} runs of the paper's nine tasks end at 100 % on the official tests, and "
        f"on all 20,910 commands where the language is SCAN, after {statistics.median(seconds):.0f} seconds "
        f"(median; the slowest {max(seconds):.0f}) on two CPU cores."
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """Columns after the first `left` hold numbers."""
    lines = [" | ".join(heads), "|".join(["---"] * left + ["---:"] * (len(heads) - left))]
    lines += [" | ".join(map(str, row)) for row in rows]
    return "\n".join(f"| {line} |" if i != 1 else f"|{line}|" for i, line in enumerate(lines))


def _picture(path: Path, label: str, place: Path) -> str:
    return f"![{label}]({Path(os.path.relpath(path, place)).as_posix()})" if path.exists() else ""


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} hours and {minutes % 60} minutes" if minutes >= 60 else f"{minutes} minutes"


def _claims(findings: Findings) -> str:
    rows = [(c.says, c.found, f"**{c.verdict}**", f"`{c.evidence}`") for c in claims(findings)]
    return _table(["reported", "found here", "verdict", "evidence"], rows, left=4)


def _systematicity(findings: Findings) -> str:
    heads = ["method", "by", *reported.SYSTEMATIC]
    rows = [_measured(findings, reported.SYSTEMATIC)]
    for kind, name in (("lstm", "LSTM with attention"), ("transformer", "Transformer")):
        ours = [r for r in findings.baselines if r["kind"] == kind]
        cells = [spread(shares(of_task(ours, task))) for task in reported.SYSTEMATIC]
        rows.append([name, MEASURED, *cells])
    rows += [_row(row, reported.SYSTEMATIC) for row in reported.SYSTEMATICITY]
    return _table(heads, rows, left=2)


def _divergence(findings: Findings) -> str:
    columns = (*reported.MCD, "mean")
    rows = [[*_measured(findings, reported.MCD), _mean_of(findings)]]
    rows += [_row(row, columns) for row in reported.DIVERGENCE]
    return _table(["method", "by", *columns], rows, left=2)


def _mean_of(findings: Findings) -> str:
    found = [share for task in reported.MCD for share in shares(of_task(findings.tasks, task))]
    return spread(found)


def _measured(findings: Findings, tasks: Sequence[str]) -> list[str]:
    return ["**LAnE**", MEASURED, *(spread(shares(of_task(findings.tasks, task))) for task in tasks)]


def _row(row: reported.Row, columns: Sequence[str]) -> list[str]:
    return [row.method, row.source, *(row.percent.get(column, "") for column in columns)]


def _limit(findings: Findings) -> str:
    if not findings.limit:
        return MISSING
    cells = [spread([100 * seed[items] for seed in findings.limit.values()]) for items in ("8", "10")]
    rows = [["LAnE", MEASURED, *cells], ["LANE", "Liu 2020, Review 2020", "100.0", ""]]
    return _table(["method", "by", "the paper's 8 items", "all 10 items"], rows, left=2)


def _productivity(findings: Findings) -> str:
    if not findings.productivity:
        return MISSING
    beyond = list(findings.productivity["beyond"].values())
    ands = list(beyond[0])
    inside = [100 * share for seed in findings.productivity["accuracy"].values() for share in seed.values()]
    cells = [spread([100 * seed[count] for seed in beyond]) for count in ands]
    rows = [["right, %", f"{min(inside):.1f}", *cells]]
    return _table(["`and`", "2 to 9, worst length and seed", *ands], rows)


def _ablations(findings: Findings) -> str:
    if not findings.ablations:
        return MISSING
    rows = [_ablation("full model", findings.tasks)]
    for name, setting in ABLATIONS.items():
        rows.append(_ablation(f"{name} (`{setting}`)", with_setting(findings.ablations, setting)))
    return _table(["", *SCAN, "solved", "ended"], rows)


def _ablation(name: str, records: Iterable[Record]) -> list[str]:
    runs = [run for run in records if run["task"] in SCAN]
    cells = [spread(shares(of_task(runs, task))) for task in SCAN]
    ended = sum(run["converged"] for run in runs)
    return [name, *cells, f"{sum(map(solved, runs))}/{len(runs)}", f"{ended}/{len(runs)}"]


def _rates(findings: Findings) -> str:
    if not findings.rates:
        return MISSING
    rows = []
    for composer, solver in RATES:
        for run in with_setting(findings.rates, f"composer_rate={composer}", f"solver_rate={solver}"):
            right = f"{shares([run])[0]:.1f}"
            rows.append([f"{composer:g}", f"{solver:g}", f"{composer / solver:g}", right, run["seconds"]])
    return _table(["Composer", "Solver", "ratio", "right, %", "s"], rows, left=0)


def _trees(findings: Findings, place: Path) -> str:
    shown = []
    for task, command in TREES.items():
        path = findings.folder / f"tree-{task}.svg"
        if path.exists():
            shown.append(f"`{command}`, by the model of {task}, seed 1 (`lane-run --explain svg`):")
            shown.append(_picture(path, f"The derivation of {command}", place))
    return "\n\n".join(shown) or MISSING


def _rules(findings: Findings) -> str:
    """How many, whether they are the same with every seed, and which; one table for each language."""
    if not findings.rules:
        return MISSING
    heads = ["task", "rules", "different lists", "seeds with the commonest list"]
    parts = [_table(heads, (_lists(task, by_seed) for task, by_seed in findings.rules.items()))]
    mini = {"limit": findings.rules.get("limit", {})}
    scan = {task: by_seed for task, by_seed in findings.rules.items() if task not in mini}
    for of_language in (scan, mini):
        if any(of_language.values()):
            parts.append(_rule_table(of_language))
    return "\n\n".join(parts)


def _lists(task: str, by_seed: dict[str, list[str]]) -> list[object]:
    lists = Counter(tuple(rules) for rules in by_seed.values())
    sizes = sorted({len(rules) for rules in by_seed.values()})
    return [task, " or ".join(map(str, sizes)), len(lists), f"{max(lists.values())} of {len(by_seed)}"]


def _rule_table(of_language: dict[str, dict[str, list[str]]]) -> str:
    """A row for each rule that any model has: how many seeds of each task have it."""
    counts = {
        task: Counter(rule for rules in by_seed.values() for rule in rules)
        for task, by_seed in of_language.items()
    }
    seen = sum(counts.values(), Counter[str]())
    rows = [
        [f"`{rule}`", *(counts[task][rule] or "" for task in counts)]
        for rule in sorted(seen, key=lambda rule: (-seen[rule], len(rule.split(" -> ")[0].split()), rule))
    ]
    return _table(["rule, and the seeds that have it", *counts], rows)


def _baselines(findings: Findings) -> str:
    if not findings.baselines:
        return MISSING
    rows = []
    for task in BASELINE_TASKS:
        ours = of_task(findings.tasks, task)
        for name, runs in (("LAnE", ours), *((r["kind"], [r]) for r in of_task(findings.baselines, task))):
            if runs:
                cells = [f"{statistics.mean(shares(runs, kind)):.1f}" for kind in ("train", "test")]
                seconds = f"{statistics.median(run['seconds'] for run in runs):.0f}"
                weights = f"{runs[0]['parameters']:,}" if "parameters" in runs[0] else ""
                rows.append([task, name, *cells, seconds, weights])
    return _table(["task", "model", "training, %", "test, %", "s", "weights"], rows, left=2)


def _cost(findings: Findings) -> str:
    if not findings.tasks:
        return MISSING
    return _table(
        ["task", "runs", "solved", "median s", "worst s", "derivations, median", "peak memory, MB"],
        (_costs(task, of_task(findings.tasks, task)) for task in TASKS if of_task(findings.tasks, task)),
    )


def _costs(task: str, runs: Sequence[Record]) -> list[str]:
    seconds = [run["seconds"] for run in runs]
    drawn = statistics.median(run["trajectories"] for run in runs)
    memory = max(run["peak_mb"] for run in runs)
    times = [f"{statistics.median(seconds):.1f}", f"{max(seconds):.1f}"]
    return [task, f"{len(runs)}", f"{sum(map(solved, runs))}", *times, f"{drawn:,.0f}", f"{memory:.0f}"]


def _departures(findings: Findings) -> str:
    """Two tables: the departures measured on the common tasks, and those measured on other ones."""
    if not findings.departures:
        return MISSING
    heads = ["undone", "setting", "reason to depart", "verdict"]
    parts: list[list[departures.Departure]] = [[], []]
    for departure in departures.DEPARTURES:
        parts[departure.tasks != departures.TASKS].append(departure)
    tables = []
    for columns, part in zip((departures.TASKS, ("tasks", "solved")), parts, strict=True):
        tables.append(_table([*heads, *columns], _departure_rows(part, findings.departures), left=len(heads)))
    return "\n\n".join(tables)


def _departure_rows(part: Iterable[departures.Departure], records: Sequence[Record]) -> Iterator[list[str]]:
    """Each departure, after the runs that it is compared with."""
    shown: set[tuple[Trial, ...]] = set()
    for departure in part:
        recipe, changed = tuple(departure.with_it()), tuple(departure.without_it())
        base = _settings(departure.base)
        if recipe not in shown:
            yield [departure.bounds.recipe, base, "", "", *_departure_cells(departure, recipe, records)]
        shown |= {recipe, changed}
        verdict = departures.verdict(departure, records)
        if verdict and base:
            verdict += f" from {base}"
        settings = _settings(departure.base + departure.settings)
        cells = _departure_cells(departure, changed, records)
        yield [departure.name, settings, departure.why, verdict, *cells]


def _departure_cells(
    departure: departures.Departure, trials: Iterable[Trial], records: Iterable[Record]
) -> list[str]:
    """The outcome of each of the common tasks; or the tasks, and their outcome together."""
    own, tasks = departures.records_of(trials, records), departure.tasks
    if tasks == departures.TASKS:
        return [departures.outcome(own, [task]) for task in tasks]
    names = ", ".join(tasks) if len(tasks) < 4 else f"{tasks[0]} to {tasks[-1]}"
    return [names, departures.outcome(own, tasks)]


def _settings(settings: Iterable[str]) -> str:
    return " ".join(f"`{setting}`" for setting in settings)
