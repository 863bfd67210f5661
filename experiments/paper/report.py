"""The report of a study: one page of Markdown, and the same as HTML that needs no other file."""

import os
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from lane.base.files import write_atomically
from lane.experiments.baseline import RECIPES
from lane.experiments.paper import departures, figures, published, reported
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
PUBLISHED = "`--preset paper`"


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
        "rates": _rates(findings.rates, RATES),
        "published": _published(findings),
        "published_seeds": str(published.SEEDS),
        "published_updates": f"{published.MOST_UPDATES:,}",
        "published_rates": _rates(findings.published_rates, published.RATES),
        "behaviours": _behaviours(findings),
        "behaviour_seeds": str(published.BEHAVIOUR_SEEDS),
        "released_updates": "{:,} to {:,}".format(*reported.UPDATES),
        "trees": _trees(findings, place),
        "rules": _rules(findings),
        "baseline_recipes": "; ".join(map(_baseline_recipe, RECIPES)),
        "patience": str(RECIPES["lstm"].patience),
        "evaluate_every": f"{RECIPES['lstm'].evaluate_every:,}",
        "baseline_updates": f"{RECIPES['lstm'].most_updates:,}",
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
        ("published", "Accuracy on the development pairs of the lesson, by updates, for each task"),
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
    sides = [(claim.says, side) for claim in claims(findings) for side in (claim.published, claim.ours)]
    rows = [
        (
            says if number % 2 == 0 else "",
            ("its recipe", "ours")[number % 2],
            o.found,
            f"**{o.verdict}**",
            f"`{o.evidence}`",
        )
        for number, (says, o) in enumerate(sides)
    ]
    return _table(["reported", "by", "found here", "verdict", "evidence"], rows, left=5)


def _systematicity(findings: Findings) -> str:
    heads = ["method", "by", *reported.SYSTEMATIC]
    rows = _measured(findings, reported.SYSTEMATIC)
    for kind, name in (("lstm", "LSTM with attention"), ("transformer", "Transformer")):
        cells = [spread(shares(of_kind(findings.baselines, task, kind))) for task in reported.SYSTEMATIC]
        rows.append([name, MEASURED, *cells])
    rows += [_row(row, reported.SYSTEMATIC) for row in reported.SYSTEMATICITY]
    return _table(heads, rows, left=2)


def _divergence(findings: Findings) -> str:
    columns = (*reported.MCD, "mean")
    means = (_mean_of(findings.tasks), _mean_of(findings.published))
    rows = [[*row, mean] for row, mean in zip(_measured(findings, reported.MCD), means, strict=True)]
    rows += [_row(row, columns) for row in reported.DIVERGENCE]
    return _table(["method", "by", *columns], rows, left=2)


def _mean_of(records: Sequence[Record]) -> str:
    return spread([share for task in reported.MCD for share in shares(of_task(records, task))])


def _measured(findings: Findings, tasks: Sequence[str]) -> list[list[str]]:
    """Our recipe, and the published one by the preset `paper`."""
    return [
        [name, MEASURED, *(spread(shares(of_task(records, task))) for task in tasks)]
        for name, records in (("**LAnE**", findings.tasks), (PUBLISHED, findings.published))
    ]


def _row(row: reported.Row, columns: Sequence[str]) -> list[str]:
    return [row.method, row.source, *(row.percent.get(column, "") for column in columns)]


def _limit(findings: Findings) -> str:
    if not findings.limit:
        return MISSING
    cells = [spread([100 * seed[items] for seed in findings.limit.values()]) for items in ("8", "10")]
    of_preset = spread(shares(of_task(findings.published, "limit")))
    rows = [["**LAnE**", MEASURED, *cells], [PUBLISHED, MEASURED, "", of_preset]]
    rows += [[method, "Liu 2020", percent, ""] for method, percent in reversed(reported.LIMIT.items())]
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
    """Each part left out: as the paper has it, by its recipe, and by ours."""
    if not findings.ablations:
        return MISSING
    rows = [_ablation("full model", "ours", findings.tasks)]
    rows.append(_ablation("", "its recipe", findings.published))
    for name, setting in ABLATIONS.items():
        percent = reported.ABLATED[name]
        rows.append([f"{name} (`{setting}`)", "Liu 2020", *(percent[task] for task in SCAN), "", ""])
        rows.append(_ablation("", "its recipe", with_setting(findings.published_ablations, setting)))
        rows.append(_ablation("", "ours", with_setting(findings.ablations, setting)))
    return _table(["", "by", *SCAN, "solved", "ended"], rows, left=2)


def _ablation(name: str, by: str, records: Iterable[Record]) -> list[str]:
    runs = [run for run in records if run["task"] in SCAN]
    cells = [spread(shares(of_task(runs, task))) for task in SCAN]
    ended = sum(run["converged"] for run in runs)
    counts = [f"{sum(map(solved, runs))}/{len(runs)}", f"{ended}/{len(runs)}"] if runs else ["", ""]
    return [name, by, *cells, *counts]


def _published(findings: Findings) -> str:
    """The preset `paper` on each task, beside the paper's figure and our recipe's."""
    if not findings.published:
        return MISSING
    rows = []
    for task in TASKS:
        runs = of_task(findings.published, task)
        if runs:
            right = sum(run["accuracy"]["test"] == 1.0 for run in runs)
            whole = [run["accuracy"]["language"] == 1.0 for run in runs if "language" in run["accuracy"]]
            drawn = statistics.median(run["trajectories"] for run in runs)
            updates = statistics.median(run["updates"] for run in runs)
            rows.append(
                [
                    *(task, "100.0", spread(shares(runs)), f"{right}/{len(runs)}"),
                    f"{sum(whole)}/{len(runs)}" if whole else "",
                    *(f"{updates:,.0f}", f"{drawn:,.0f}", spread(shares(of_task(findings.tasks, task)))),
                ]
            )
    heads = ["task", "Liu 2020, %", "its recipe, %", "at 100 %", "all of SCAN", "updates", "derivations"]
    return _table([*heads, "ours, %"], rows)


def _behaviours(findings: Findings) -> str:
    """The runs of the preset `paper` without each behaviour of the published code."""
    if not findings.behaviours:
        return MISSING
    own = [r for r in findings.published if r["seed"] <= published.BEHAVIOUR_SEEDS]
    rows = [["the preset `paper`", "", *_behaviour(own)]]
    for behaviour in published.BEHAVIOURS:
        records = published.without(behaviour, findings.behaviours)
        if records:
            rows.append([behaviour.name, _settings(behaviour.settings), *_behaviour(records)])
    heads = ["taken back", "setting"]
    heads += [f"{task}, {what}" for task in published.BEHAVIOUR_TASKS for what in ("at 100 %", "mean, %")]
    return _table(heads, rows, left=2)


def _behaviour(records: Sequence[Record]) -> Iterator[str]:
    for task in published.BEHAVIOUR_TASKS:
        runs = of_task(records, task)
        yield published.count(runs)
        yield spread(shares(runs))


def _rates(records: Sequence[Record], grid: Sequence[tuple[float, float]]) -> str:
    if not records:
        return MISSING
    rows = []
    for composer, solver in grid:
        for run in with_setting(records, f"composer_rate={composer}", f"solver_rate={solver}"):
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


def _baseline_recipe(kind: str) -> str:
    recipe = RECIPES[kind]
    return f"{kind}: {recipe.layers} layers of {recipe.size}, dropout {recipe.dropout:g}"


def _baselines(findings: Findings) -> str:
    """Baselines trained to the end; where there are none, those of a fixed number of updates."""
    if not findings.baselines:
        return MISSING
    rows = []
    for task in BASELINE_TASKS:
        kinds = {"LAnE": of_task(findings.tasks, task)}
        kinds |= {kind: of_kind(findings.baselines, task, kind) for kind in RECIPES}
        for name, runs in kinds.items():
            if runs:
                cells = [spread(shares(runs, kind)) for kind in ("train", "test")]
                seconds = f"{statistics.median(run['seconds'] for run in runs):.0f}"
                weights = f"{runs[0]['parameters']:,}" if "parameters" in runs[0] else ""
                rows.append([task, name, len(runs), *cells, _ended(runs), seconds, weights])
    heads = ["task", "model", "seeds", "training, %", "test, %", "ended", "median s", "weights"]
    return _table(heads, rows, left=2)


def of_kind(records: Iterable[Record], task: str, kind: str) -> list[Record]:
    """The runs of one kind on one task; those of a fixed number of updates only where there are no others."""
    runs = [record for record in of_task(records, task) if record["kind"] == kind]
    return [run for run in runs if "stopped" in run] or runs


def _ended(runs: Sequence[Record]) -> str:
    if "kind" not in runs[0]:
        return ""
    updates = f"{statistics.median(run['updates'] for run in runs):,.0f}"
    if "stopped" not in runs[0]:
        return f"after {updates} updates of a small network"
    return (
        f"no gain, {updates} updates" if all(run["stopped"] for run in runs) else f"after {updates} updates"
    )


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
    names = ", ".join(tasks) if tasks != departures.LANGUAGES else f"{tasks[0]} to {tasks[-1]}"
    return [names, departures.outcome(own, tasks)]


def _settings(settings: Iterable[str]) -> str:
    return " ".join(f"`{setting}`" for setting in settings)
