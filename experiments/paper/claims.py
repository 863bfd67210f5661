"""The claims of the paper, and our verdict on each."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from lane.experiments.paper.experiments import ABLATIONS, RATES, SCAN
from lane.experiments.paper.findings import Findings, Record, of_task, shares, spread, with_setting
from lane.experiments.paper.reported import GPU_HOURS
from lane.experiments.sweep import solved

REPRODUCED, EXCEEDED, PARTLY, NOT = "reproduced", "exceeded", "in part", "not reproduced"
UNKNOWN = "not measured"


@dataclass(frozen=True)
class Claim:
    """One line of the summary."""

    says: str  # the paper
    found: str  # here
    verdict: str
    evidence: str  # a result file


def claims(findings: Findings) -> Iterator[Claim]:
    """All claims, in the order of the paper."""
    for task in SCAN:
        yield _task(findings, task)
    yield _limit(findings)
    yield _extend(findings)
    yield _composer(findings)
    yield _curriculum(findings)
    yield _simplicity(findings)
    yield _rates(findings)
    yield _cost(findings)


def _task(findings: Findings, task: str) -> Claim:
    runs = of_task(findings.tasks, task)
    says = f"{task}: 100 % on the test"
    if not runs:
        return Claim(says, "", UNKNOWN, "tasks.jsonl")
    found = f"{spread(shares(runs))} % ({len(runs)} seeds)"
    whole = sum(run["accuracy"].get("language") == 1.0 for run in runs)
    found += f"; all 20,910 commands of SCAN right with {whole} of {len(runs)} seeds"
    return Claim(says, found, REPRODUCED if all(map(solved, runs)) else NOT, "tasks.jsonl")


def _limit(findings: Findings) -> Claim:
    says = "limit: 100 % on 8 items"
    if not findings.limit:
        return Claim(says, "", UNKNOWN, "limit.json")
    found = {items: [100 * seed[items] for seed in findings.limit.values()] for items in ("8", "10")}
    text = f"{spread(found['8'])} % on the 8, {spread(found['10'])} % on all 10 ({len(found['8'])} seeds)"
    verdict = NOT if min(found["8"]) < 100 else REPRODUCED if min(found["10"]) < 100 else EXCEEDED
    return Claim(says, text, verdict, "limit.json")


def _extend(findings: Findings) -> Claim:
    says = "extend: 100 % for 2 to 9 `and`"
    if not findings.productivity:
        return Claim(says, "", UNKNOWN, "productivity.json")
    figures = findings.productivity
    runs = of_task(findings.tasks, "extend")
    inside = min(min(by_length.values()) for by_length in figures["accuracy"].values())
    beyond = min(min(by_ands.values()) for by_ands in figures["beyond"].values())
    ands = max(int(ands) for of_seed in figures["beyond"].values() for ands in of_seed)
    text = f"{spread(shares(runs))} %; up to {ands} `and`: at least {100 * beyond:.0f} %"
    verdict = NOT if inside < 1 else REPRODUCED if beyond < 1 else EXCEEDED
    return Claim(says, text, verdict, "productivity.json")


def _ablation(findings: Findings, name: str) -> tuple[list[Record], str]:
    runs = with_setting(findings.ablations, ABLATIONS[name])
    counts = f"{sum(map(solved, runs))} of {len(runs)} runs solved"
    return runs, f"mean {statistics.mean(shares(runs)):.1f} % on the tests; {counts}" if runs else ""


def _composer(findings: Findings) -> Claim:
    runs, found = _ablation(findings, "without Composer")
    says = "without the Composer it fails"
    if not runs:
        return Claim(says, "", UNKNOWN, "ablations.jsonl")
    return Claim(says, found, NOT if any(map(solved, runs)) else REPRODUCED, "ablations.jsonl")


def _curriculum(findings: Findings) -> Claim:
    runs, found = _ablation(findings, "without curriculum")
    says = "without the curriculum it fails: 0 % everywhere"
    if not runs:
        return Claim(says, "", UNKNOWN, "ablations.jsonl")
    count = sum(map(solved, runs))
    verdict = REPRODUCED if max(shares(runs)) < 5 else PARTLY if 2 * count < len(runs) else NOT
    return Claim(says, found, verdict, "ablations.jsonl")


def _simplicity(findings: Findings) -> Claim:
    runs, found = _ablation(findings, "without simplicity")
    says = "without the reward for simplicity it fails on around_right and mcd3"
    named = [run for run in runs if run["task"] in ("around_right", "mcd3")]
    if not named:
        return Claim(says, "", UNKNOWN, "ablations.jsonl")
    count = sum(map(solved, named))
    found += f"; of these two tasks {count} of {len(named)}"
    verdict = REPRODUCED if not count else PARTLY if count < len(named) else NOT
    return Claim(says, found, verdict, "ablations.jsonl")


def _rates(findings: Findings) -> Claim:
    says = "the Composer must learn more slowly than the Solver"
    if len(findings.rates) < len(RATES):
        return Claim(says, "", UNKNOWN, "rates.jsonl")
    sides: dict[bool, list[Record]] = {True: [], False: []}
    for composer, solver in RATES:
        sides[composer < solver] += with_setting(
            findings.rates, f"composer_rate={composer}", f"solver_rate={solver}"
        )
    slower, other = ([solved(run) for run in sides[side]] for side in (True, False))
    text = f"{sum(slower)} of {len(slower)} solved where it does, {sum(other)} of {len(other)} where not"
    verdict = NOT if not any(slower) or all(other) else PARTLY if any(other) else REPRODUCED
    return Claim(says, text, verdict, "rates.jsonl")


def _cost(findings: Findings) -> Claim:
    says = f"{GPU_HOURS[0]} to {GPU_HOURS[1]} hours of a GPU a run, which may not converge"
    if not findings.tasks:
        return Claim(says, "", UNKNOWN, "tasks.jsonl")
    seconds = [run["seconds"] for run in findings.tasks]
    count = sum(map(solved, findings.tasks))
    text = f"median {statistics.median(seconds):.0f} s, worst {max(seconds):.0f} s of two CPU cores; "
    text += f"{count} of {len(seconds)} runs solved"
    ahead = count == len(seconds) and max(seconds) < GPU_HOURS[0] * 3600
    return Claim(says, text, EXCEEDED if ahead else NOT, "tasks.jsonl")
