"""No verdict is kinder than the result files."""

from dataclasses import replace

from lane.experiments.paper import claims as verdicts
from lane.experiments.paper import published
from lane.experiments.paper.claims import claims
from lane.experiments.paper.experiments import SCAN
from lane.experiments.trial import trial_of


def verdict(findings, says, by="ours"):
    (claim,) = [claim for claim in claims(findings) if claim.says.startswith(says)]
    return getattr(claim, by).verdict


def test_everything_as_the_paper_has_it(findings):
    found = [outcome.verdict for claim in claims(findings) for outcome in (claim.ours, claim.published)]
    assert set(found) == {verdicts.REPRODUCED, verdicts.EXCEEDED}
    assert [claim.says.partition(":")[0] for claim in claims(findings)][: len(SCAN)] == list(SCAN)


def test_one_bad_seed_is_enough(findings, run):
    tasks = [record for record in findings.tasks if (record["task"], record["seed"]) != ("mcd1", 2)]
    spoiled = replace(findings, tasks=(*tasks, run("mcd1", 2, 0.99)))
    assert verdict(spoiled, "mcd1") == verdicts.NOT
    assert verdict(spoiled, "mcd2") == verdicts.REPRODUCED
    assert verdict(spoiled, "20 to 25 hours") == verdicts.NOT


def test_a_model_that_passes_the_test_and_not_the_language_does_not_count(findings, run):
    bad = run("around_right", 3)
    bad["accuracy"]["language"] = 0.999
    assert verdict(replace(findings, tasks=(*findings.tasks, bad)), "around_right") == verdicts.NOT


def test_ablations_that_succeed_contradict_the_paper(findings, run):
    better = tuple(run(record["task"], 1, 1.0) | record for record in findings.ablations)
    solved = tuple(run(r["task"], 1, 1.0, trial_of(r).settings) for r in better)
    for says in ("without the Composer", "without the curriculum", "without the reward"):
        assert verdict(replace(findings, ablations=solved), says) == verdicts.NOT
    some = (
        *findings.ablations,
        run("mcd3", 2, 1.0, ["gamma=0"]),
        run("simple", 2, 1.0, ["curriculum=false"]),
    )
    for says in ("without the curriculum", "without the reward"):
        assert verdict(replace(findings, ablations=some), says) == verdicts.PARTLY


def test_items_and_lengths_that_only_we_try(findings):
    fewer = {"1": {"8": 1.0, "10": 0.9}}
    assert verdict(replace(findings, limit=fewer), "limit") == verdicts.REPRODUCED
    assert verdict(replace(findings, limit={"1": {"8": 0.875, "10": 0.9}}), "limit") == verdicts.NOT
    beyond = findings.productivity | {"beyond": {"1": {"10": 1.0, "100": 0.5}}}
    assert verdict(replace(findings, productivity=beyond), "extend") == verdicts.REPRODUCED
    inside = findings.productivity | {"accuracy": {"1": {"10": 0.5}}}
    assert verdict(replace(findings, productivity=inside), "extend") == verdicts.NOT


def test_rates(findings):
    everywhere = tuple(record | {"accuracy": {"test": 1.0}} for record in findings.rates)
    assert verdict(replace(findings, rates=everywhere), "the Composer must") == verdicts.NOT
    assert verdict(replace(findings, rates=findings.rates[1:]), "the Composer must") == verdicts.UNKNOWN
    nowhere = tuple(record | {"accuracy": {"test": 0.9}} for record in findings.rates)
    assert verdict(replace(findings, rates=nowhere), "the Composer must") == verdicts.NOT


def test_its_recipe_has_verdicts_of_its_own(findings, of_paper):
    """What the other recipe found does not count, and one converged run of five is a part."""
    nothing = replace(findings, published=(), published_ablations=(), published_rates=())
    assert {claim.published.verdict for claim in claims(nothing)} == {verdicts.UNKNOWN}
    assert verdict(nothing, "addjump") == verdicts.REPRODUCED
    trials = [trial for trial in published.tasks() if trial.task == "addjump"]
    for right, expected in (
        ([1.0] * 5, verdicts.REPRODUCED),
        ([1.0, 0.5, 0.5, 0.5, 0.5], verdicts.PARTLY),
        ([0.5] * 5, verdicts.NOT),
    ):
        records = tuple(of_paper(trial, share) for trial, share in zip(trials, right, strict=True))
        assert verdict(replace(findings, published=records), "addjump", "published") == expected
        assert verdict(replace(findings, published=records), "simple", "published") == verdicts.UNKNOWN


def test_its_recipe_is_judged_by_the_papers_test(findings, of_paper):
    """The released weights of around_right are wrong outside of it."""
    trials = [trial for trial in published.tasks() if trial.task == "around_right"]
    records = [of_paper(trial) for trial in trials]
    for record in records:
        record["accuracy"] = {**record["accuracy"], "language": 0.99}
    changed = replace(findings, published=tuple(records))
    assert verdict(changed, "around_right", "published") == verdicts.REPRODUCED
    (claim,) = [claim for claim in claims(changed) if claim.says.startswith("around_right")]
    assert "right with 0 of 5 seeds" in claim.published.found
