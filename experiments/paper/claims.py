"""The claims of the paper, and our verdict on each."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lane.experiments.paper import published
from lane.experiments.paper.experiments import ABLATIONS, RATES, SCAN
from lane.experiments.paper.findings import Findings, Record, of_task, shares, spread, with_setting
from lane.experiments.paper.reported import GPU_HOURS
from lane.experiments.sweep import solved

REPRODUCED, EXCEEDED, PARTLY, NOT = "reproduced", "exceeded", "in part", "not reproduced"
UNKNOWN = "not measured"


@dataclass(frozen=True)
class Judgement:
    """What was found, by one of the two recipes."""

    found: str
    verdict: str
    evidence: str  # a result file


@dataclass(frozen=True)
class Claim:
    """One line of the summary."""

    says: str  # the paper
    ours: Judgement  # by our recipe
    published: Judgement  # by the preset `paper`


def claims(findings: Findings) -> Iterator[Claim]:
    """All claims, in the order of the paper."""
    for task in SCAN:
        yield Claim(
            f"{task}: 100 % on the test",
            _task(of_task(findings.tasks, task), "tasks.jsonl"),
            _task(of_task(findings.published, task), "published.jsonl", by_test=True),
        )
    yield Claim(
        "limit: 100 % on 8 items",
        _limit(findings),
        _task(of_task(findings.published, "limit"), "published.jsonl", by_test=True, note=" on all 10"),
    )
    yield Claim(
        "extend: 100 % for 2 to 9 `and`",
        _extend(findings),
        _task(of_task(findings.published, "extend"), "published.jsonl", by_test=True),
    )
    for says, judge in (
        ("without the Composer it fails", _composer),
        ("without the curriculum it fails: 0 % everywhere", _curriculum),
        ("without the reward for simplicity it fails on around_right and mcd3", _simplicity),
    ):
        yield Claim(
            says,
            judge(findings.ablations, "ablations.jsonl"),
            judge(findings.published_ablations, "published-ablations.jsonl"),
        )
    yield Claim(
        "the Composer must learn more slowly than the Solver",
        _rates(findings.rates, RATES, "rates.jsonl"),
        _rates(findings.published_rates, published.RATES, "published-rates.jsonl"),
    )
    yield Claim(
        f"{GPU_HOURS[0]} to {GPU_HOURS[1]} hours of a GPU a run, which may not converge",
        _cost(findings.tasks, "tasks.jsonl", "two CPU cores"),
        _cost(findings.published, "published.jsonl", "one CPU core"),
    )


def _task(runs: Sequence[Record], evidence: str, by_test: bool = False, note: str = "") -> Judgement:
    """Whether every run is right; `by_test`: on the paper's test, else on the whole language too."""
    if not runs:
        return Judgement("", UNKNOWN, evidence)
    found = f"{spread(shares(runs))} %{note} ({len(runs)} seeds)"
    whole = [run["accuracy"]["language"] == 1.0 for run in runs if "language" in run["accuracy"]]
    if whole:
        found += f"; all 20,910 commands of SCAN right with {sum(whole)} of {len(runs)} seeds"
    right = [run["accuracy"]["test"] == 1.0 if by_test else solved(run) for run in runs]
    if by_test:
        found += f"; {sum(right)} of {len(runs)} at 100 %"
    partly = PARTLY if by_test and any(right) else NOT
    return Judgement(found, REPRODUCED if all(right) else partly, evidence)


def _limit(findings: Findings) -> Judgement:
    if not findings.limit:
        return Judgement("", UNKNOWN, "limit.json")
    found = {items: [100 * seed[items] for seed in findings.limit.values()] for items in ("8", "10")}
    text = f"{spread(found['8'])} % on the 8, {spread(found['10'])} % on all 10 ({len(found['8'])} seeds)"
    verdict = NOT if min(found["8"]) < 100 else REPRODUCED if min(found["10"]) < 100 else EXCEEDED
    return Judgement(text, verdict, "limit.json")


def _extend(findings: Findings) -> Judgement:
    if not findings.productivity:
        return Judgement("", UNKNOWN, "productivity.json")
    figures = findings.productivity
    runs = of_task(findings.tasks, "extend")
    inside = min(min(by_length.values()) for by_length in figures["accuracy"].values())
    beyond = min(min(by_ands.values()) for by_ands in figures["beyond"].values())
    ands = max(int(ands) for of_seed in figures["beyond"].values() for ands in of_seed)
    text = f"{spread(shares(runs))} %; up to {ands} `and`: at least {100 * beyond:.0f} %"
    verdict = NOT if inside < 1 else REPRODUCED if beyond < 1 else EXCEEDED
    return Judgement(text, verdict, "productivity.json")


def _ablation(records: Iterable[Record], name: str) -> tuple[list[Record], str]:
    runs = with_setting(records, ABLATIONS[name])
    counts = f"{sum(map(solved, runs))} of {len(runs)} runs solved"
    return runs, f"mean {statistics.mean(shares(runs)):.1f} % on the tests; {counts}" if runs else ""


def _composer(records: Sequence[Record], evidence: str) -> Judgement:
    runs, found = _ablation(records, "without Composer")
    if not runs:
        return Judgement("", UNKNOWN, evidence)
    return Judgement(found, NOT if any(map(solved, runs)) else REPRODUCED, evidence)


def _curriculum(records: Sequence[Record], evidence: str) -> Judgement:
    runs, found = _ablation(records, "without curriculum")
    if not runs:
        return Judgement("", UNKNOWN, evidence)
    count = sum(map(solved, runs))
    verdict = REPRODUCED if max(shares(runs)) < 5 else PARTLY if 2 * count < len(runs) else NOT
    return Judgement(found, verdict, evidence)


def _simplicity(records: Sequence[Record], evidence: str) -> Judgement:
    runs, found = _ablation(records, "without simplicity")
    named = [run for run in runs if run["task"] in ("around_right", "mcd3")]
    if not named:
        return Judgement("", UNKNOWN, evidence)
    count = sum(map(solved, named))
    found += f"; of these two tasks {count} of {len(named)}"
    return Judgement(found, REPRODUCED if not count else PARTLY if count < len(named) else NOT, evidence)


def _rates(records: Sequence[Record], grid: Sequence[tuple[float, float]], evidence: str) -> Judgement:
    if len(records) < len(grid):
        return Judgement("", UNKNOWN, evidence)
    sides: dict[bool, list[Record]] = {True: [], False: []}
    for composer, solver in grid:
        sides[composer < solver] += with_setting(
            records, f"composer_rate={composer}", f"solver_rate={solver}"
        )
    slower, other = ([solved(run) for run in sides[side]] for side in (True, False))
    text = f"{sum(slower)} of {len(slower)} solved where it does, {sum(other)} of {len(other)} where not"
    verdict = NOT if not any(slower) or all(other) else PARTLY if any(other) else REPRODUCED
    return Judgement(text, verdict, evidence)


def _cost(runs: Sequence[Record], evidence: str, machine: str) -> Judgement:
    if not runs:
        return Judgement("", UNKNOWN, evidence)
    seconds = [run["seconds"] for run in runs]
    count = sum(map(solved, runs))
    text = f"median {statistics.median(seconds):.0f} s, worst {max(seconds):.0f} s of {machine}; "
    text += f"{count} of {len(seconds)} runs solved"
    ahead = count == len(seconds) and max(seconds) < GPU_HOURS[0] * 3600
    return Judgement(text, EXCEEDED if ahead else NOT, evidence)
