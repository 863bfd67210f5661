"""Whole runs, tiny: the same every time, whatever interrupts them."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lane.base.errors import LaneError
from lane.data.pair import Pair
from lane.data.task import Task
from lane.models import checkpoint
from lane.trainer import worker
from lane.trainer.config import build_config
from lane.trainer.learner import Learner
from lane.trainer.plot import read_metrics
from lane.trainer.run import Plan, measure, run

# Two candidates with two short attempts each: they stall, and that is all that is needed here.
SETTINGS = {"embedding": 8, "hidden": 8, "examples": 8, "samples": 6, "evaluate_every": 2, "patience": 3}
CONFIG = build_config("fast", {**SETTINGS, "stall": 4, "attempts": 2, "rounds": 1, "recombined": 40})


class Counter:
    """Asks for a halt after some reports."""

    def __init__(self, most=10_000):
        self.reports, self.most, self.messages = 0, most, []

    def __call__(self, report):
        if report.message:
            self.messages.append(str(report))
        else:
            self.reports += 1

    def halted(self):
        return self.reports >= self.most


def new_plan(pairs, folder):
    return Plan(
        task=Task("tiny", pairs, ()), config=CONFIG, seed=1, out=folder / "model.pt", run_dir=folder / "run"
    )


@pytest.fixture
def plan(pairs, tmp_path):
    return new_plan(pairs, tmp_path)


@pytest.fixture(scope="module")
def uninterrupted(pairs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    plan = new_plan(pairs, folder)
    counter = Counter()
    result = run(plan, counter)
    return result, checkpoint.load(plan.out), counter.reports, plan


def assert_same(path, expected):
    found = checkpoint.load(path)
    assert found.card == expected.card
    assert found.weights.keys() == expected.weights.keys()
    for name, value in expected.weights.items():
        assert torch.equal(found.weights[name], value), name


def test_same_seed_same_model(plan, uninterrupted, pairs):
    """Bit by bit, whatever the order of the pairs, repeated lines, and the test pairs."""
    mixed = list(pairs)
    random.Random(1).shuffle(mixed)
    run(replace(plan, task=Task("tiny", tuple(mixed), pairs[:2])))
    found = checkpoint.load(plan.out)
    for name, value in uninterrupted[1].weights.items():
        assert torch.equal(found.weights[name], value), name
    assert "test" in found.card.accuracy


def test_another_seed_another_model(plan, uninterrupted):
    run(replace(plan, seed=2))
    weights = checkpoint.load(plan.out).weights
    assert not all(torch.equal(weights[name], value) for name, value in uninterrupted[1].weights.items())


def test_a_run_that_goes_on_ends_as_if_nothing_had_been(plan, uninterrupted):
    """Broken off again and again, at every kind of moment."""
    _, expected, reports, _ = uninterrupted
    assert reports >= 20
    result = run(plan, counter := Counter(1), counter.halted)
    assert result.stopped
    times = 0
    while result.stopped:
        assert (plan.run_dir / "candidate-0.pt").exists()
        result = run(replace(plan, resume=True), counter := Counter(4), counter.halted)
        times += 1
        assert times <= reports, "it goes round in circles"
    assert times >= 4
    assert_same(plan.out, expected)


def test_what_is_kept_on_the_way_is_enough_to_go_on(plan, uninterrupted, monkeypatch):
    """A kill leaves the last kept state: here, some strides back."""
    monkeypatch.setattr(worker, "SAVE_EVERY", -1)

    class KilledError(Exception):
        pass

    class Killer(Counter):
        def __call__(self, report):
            super().__call__(report)
            if self.halted():
                raise KilledError

    with pytest.raises(KilledError):
        run(plan, Killer(9))
    for most in (3, 5, 2):
        with pytest.raises(KilledError):
            run(replace(plan, resume=True), Killer(most))
    run(replace(plan, resume=True))
    assert_same(plan.out, uninterrupted[1])


def test_states_are_cleared_away_at_the_end(uninterrupted):
    _, _, _, plan = uninterrupted
    assert not list(plan.run_dir.glob("candidate-*"))
    assert not list(plan.run_dir.glob(".*"))


def test_a_new_run_forgets_the_old_one(plan, uninterrupted):
    run(replace(plan, seed=5), counter := Counter(6), counter.halted)
    assert (plan.run_dir / "candidate-0.pt").exists()
    run(plan)
    assert_same(plan.out, uninterrupted[1])
    assert {record["seed"] for record in read_metrics(plan.run_dir / "metrics.jsonl")[0]} == {
        record["seed"] for record in read_metrics(uninterrupted[3].run_dir / "metrics.jsonl")[0]
    }


def test_only_the_same_run_is_resumed(plan, pairs):
    with pytest.raises(LaneError, match=r"run.json: no such file: there is no run to resume"):
        run(replace(plan, resume=True))
    run(plan, counter := Counter(1), counter.halted)
    again = replace(plan, resume=True)
    others = {
        "seed": replace(again, seed=2),
        "settings": replace(again, config=build_config("fast", {**SETTINGS, "samples": 5})),
        "pairs": replace(again, task=Task("tiny", pairs[1:], ())),
    }
    for what, other in others.items():
        with pytest.raises(LaneError, match=f"the run to resume had other {what}; give the same"):
            run(other)


@pytest.mark.parametrize("content", ["{", "[]", "7", '{"seed": 1, "sha256": "0"}'])
def test_a_malformed_run_record_is_one_line_with_advice_that_works(plan, content, uninterrupted):
    run(plan, counter := Counter(1), counter.halted)
    (plan.run_dir / "run.json").write_text(content)
    with pytest.raises(LaneError, match=r"run.json: .*; start again without resume$") as raised:
        run(replace(plan, resume=True))
    assert "\n" not in str(raised.value)
    run(plan)
    assert_same(plan.out, uninterrupted[1])


def test_a_state_that_cannot_be_resumed_is_one_line_with_advice_that_works(plan, uninterrupted):
    run(plan, counter := Counter(3), counter.halted)
    path = plan.run_dir / "candidate-0.pt"
    kept, whole = checkpoint.load(path), path.read_bytes()
    malformed = [{}, {**kept.training, "attempt": {}}, {**kept.training, "tried": "x"}, [1]]
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for state in [*malformed, bytes(damaged), whole[:1000], b""]:
        if isinstance(state, bytes):
            path.write_bytes(state)
        else:
            checkpoint.save(replace(kept, training=state), path)
        with pytest.raises(
            LaneError, match=r"candidate-0.pt: a state that cannot be resumed .*delete"
        ) as raised:
            run(replace(plan, resume=True))
        assert "\n" not in str(raised.value)
    path.unlink()
    run(replace(plan, resume=True))
    assert_same(plan.out, uninterrupted[1])


def test_the_card_tells_what_it_is(uninterrupted, pairs):
    result, kept, _, plan = uninterrupted
    assert (kept.card.task, kept.card.seed, kept.card.data.pairs) == ("tiny", 1, len(pairs))
    assert kept.card.config == CONFIG.model_dump()
    assert (kept.card.converged, kept.card.agreement) == (result.converged, result.agreement)
    assert kept.training == {}
    assert json.loads((plan.run_dir / "result.json").read_text())["accuracy"] == result.accuracy


def test_what_contradicts_itself_is_listed(plan, pairs):
    both = (*pairs, Pair.of("walk", "R"))
    result = run(replace(plan, task=Task("tiny", both, ())))
    assert not result.converged
    assert any(misfit.source == ("walk",) for misfit in result.misfits)
    assert all(misfit.says != misfit.target for misfit in result.misfits)
    rows = [line.split("\t") for line in (plan.run_dir / "misfits.tsv").read_text().splitlines()]
    assert [tuple(row[0].split()) for row in rows] == [misfit.source for misfit in result.misfits]


def test_a_test_pair_with_an_unknown_word_is_wrong_and_repeated_ones_count(uninterrupted, dataset):
    learner = Learner(uninterrupted[1].model(), CONFIG)
    number = torch.tensor([[dataset.source.number("walk")]])
    values = learner.model.rollout(number, None, 100).values
    says = tuple(dataset.target.word(a) for a in values.actions[0, : values.length[0]].tolist())
    right, unknown = Pair(("walk",), says), Pair.of("fly", "F")
    assert measure(learner, (right, right, unknown, unknown), dataset) == 0.5
    assert measure(learner, (right, Pair(("walk",), (*says, "W"))), dataset) == 0.5
    assert measure(learner, (unknown,), dataset) == 0.0


@pytest.mark.parametrize("place", ["out", "run_dir"])
def test_a_place_that_cannot_be_written_is_found_before_the_work(plan, tmp_path, place):
    (tmp_path / "file").write_text("in the way")
    counter = Counter()
    with pytest.raises(LaneError, match="cannot be written"):
        run(replace(plan, **{place: tmp_path / "file" / "here"}), counter)
    assert counter.reports == 0


def test_a_directory_in_the_place_of_the_model(plan):
    plan.out.mkdir()
    with pytest.raises(LaneError, match=r"model.pt: is a directory; name a file for the model"):
        run(plan)


def test_metrics_that_cannot_be_written_are_told_of(plan):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    run(plan, counter := Counter(1), counter.halted)
    (plan.run_dir / "metrics.jsonl").unlink()
    (plan.run_dir / "metrics.jsonl").symlink_to("/dev/full")
    with pytest.raises(LaneError, match=r"metrics.jsonl: cannot be written: No space left on device"):
        run(replace(plan, resume=True))


def test_a_missing_folder_is_not_made(plan, tmp_path):
    with pytest.raises(LaneError, match=r"gone: no such folder for the model; create it, or name another"):
        run(replace(plan, out=tmp_path / "gone" / "model.pt", run_dir=tmp_path / "gone" / "run"))
    assert not (tmp_path / "gone").exists()


def test_rounds_and_contradictions_are_messages(plan, pairs):
    plan = replace(plan, task=Task("tiny", (*pairs, Pair.of("walk", "R"), Pair.of("walk", "W")), ()))
    two_rounds = plan.config.model_copy(update={"rounds": 2, "attempts": 1, "stall": 1})
    run(replace(plan, config=two_rounds), counter := Counter())
    assert [message.partition(":")[0] for message in counter.messages[1:]] == ["round 1", "round 2"]
    assert counter.messages[0].startswith("1 inputs have more than one output")
    metrics = (plan.run_dir / "metrics.jsonl").read_text().splitlines()
    assert len(metrics) == counter.reports
    assert "message" not in json.loads(metrics[0])


def mark_converged(path):
    kept = checkpoint.load(path)
    card = kept.card.model_copy(update={"converged": True})
    checkpoint.save(replace(kept, card=card), path)


def test_an_unconverged_model_goes_beside_a_converged_one(plan):
    assert run(plan).model == plan.out
    mark_converged(plan.out)
    before = plan.out.read_bytes()
    for _ in range(2):
        result = run(plan)
        assert (result.model, result.spared) == (plan.out.with_name("model.unconverged.pt"), plan.out)
        assert not checkpoint.load(result.model).card.converged
        assert plan.out.read_bytes() == before
        assert f"{plan.out} holds a converged model and was not replaced" in str(result)
    result = run(replace(plan, force=True))
    assert (result.model, result.spared) == (plan.out, None)
    assert not checkpoint.load(plan.out).card.converged
