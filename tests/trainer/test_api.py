"""`train`, from Python: what it takes, what it leaves, and what its errors say."""

import random
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lane import trainer
from lane.base.errors import LaneError
from lane.models import checkpoint
from lane.trainer import Pair, build_config, candidate, train
from lane.trainer.api import slot_pairs
from lane.trainer.plot import read_metrics

# Too small to learn: for what has to do with runs and not with learning.
TINY = {"embedding": 8, "hidden": 8, "examples": 8, "samples": 6, "evaluate_every": 2, "patience": 3}
TINY |= {"stall": 4, "attempts": 1, "rounds": 1, "recombined": 40}
HANDLED = (signal.SIGINT, signal.SIGTERM)
PAIRS = [("walk", "W"), (["run"], ["R"]), Pair.of("walk twice", "W W"), ("run twice", "R R")]


def weights(path):
    return {name: value.tolist() for name, value in checkpoint.load(path).weights.items()}


def test_settings_by_keyword_or_as_a_record_and_any_form_of_pairs(tmp_path, capfd):
    reports = []
    one = train(PAIRS, out=tmp_path / "one.pt", workers=1, on_report=reports.append, **TINY)
    same = [(" ".join(p.source), list(p.target)) if isinstance(p, Pair) else p for p in PAIRS]
    two = train(same, out=tmp_path / "two.pt", workers=2, config=build_config("fast", TINY))
    assert weights(one.model) == weights(two.model)
    assert {report.candidate for report in reports} == {0, 1}
    assert "were read off the pairs" in str(reports[0])
    assert str(reports[1]).startswith("candidate 1 ")
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.pt", "two.pt"]


SLOTTED = [
    ("walk", "W"),
    ("run", "R"),
    ("go {n}", "GO {n}"),
    ("go {n} twice", "GO {n} GO {n}"),
    ("walk twice", "W W"),
]


def test_a_slot_stands_for_itself_though_no_pair_says_so(tmp_path):
    assert slot_pairs([Pair.of(*pair) for pair in SLOTTED], ["n"]) == (Pair.of("{n}", "{n}"),)
    assert slot_pairs([Pair.of("{n}", "{n}")], ["n"]) == ()
    with pytest.raises(LaneError, match=r"the slot \{n\} stands for itself, but a pair gives it 'N'"):
        slot_pairs([Pair.of("{n}", "N"), Pair.of("go {n}", "{n}")], ["n"])
    result = train(SLOTTED, out=tmp_path / "slots.pt", workers=1, seed=1)
    assert result.converged, result.reason
    made = checkpoint.load(result.model)
    assert made.card.slots == ("n",)
    assert (made.card.data.pairs, made.card.data.distinct) == (5, 5)
    assert any(str(rule) == "go $x -> GO $X" for rule in result.rules)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "there are no pairs to learn from"),
        ([("walk", "W"), ("", "W")], "pair 2: the input is empty"),
        ([("walk", "W"), "run"], "pair 2: .*a pair is two texts or two lists of words"),
        ([(["a b"], ["A"])], "pair 1: the input word 'a b' is empty or holds white space"),
        ([(1, 2)], "pair 1: "),
    ],
)
def test_a_wrong_pair_is_named_by_its_number(pairs, message, tmp_path):
    with pytest.raises(LaneError, match=message):
        train(pairs, out=tmp_path / "model.pt")


@pytest.mark.parametrize("wrong", [{"minutes": 0}, {"minutes": -1.0}, {"workers": 0}])
def test_limits_are_above_zero(wrong, tmp_path):
    with pytest.raises(LaneError, match=r"=(0|-1.0): a number above 0"):
        train(PAIRS, out=tmp_path / "model.pt", **wrong)


def test_config_and_settings_are_not_mixed(tmp_path):
    with pytest.raises(LaneError, match="config= or settings by keyword, not both"):
        train(PAIRS, out=tmp_path / "model.pt", config=build_config(), samples=3)
    with pytest.raises(LaneError, match="set template_limit=2 or more"):
        train(PAIRS, out=tmp_path / "model.pt", template_limit=1)


def test_an_interrupted_run_can_be_resumed(tmp_path):
    expected = weights(train(PAIRS, out=tmp_path / "whole.pt", workers=1, **TINY).model)

    def interrupt(report):
        if report.updates >= 4:
            raise KeyboardInterrupt

    for workers in (1, 2):
        out, folder = tmp_path / f"{workers}.pt", tmp_path / f"{workers}.run"
        with pytest.raises(KeyboardInterrupt) as stopped:
            train(PAIRS, out=out, run_dir=folder, workers=workers, on_report=interrupt, **TINY)
        assert f"run_dir={str(folder)!r}, resume=True" in stopped.value.__notes__[0]
        assert weights(train(PAIRS, out=out, run_dir=folder, resume=True, **TINY).model) == expected


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder that temporary folders are made in."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_stopped_run_keeps_its_temporary_folder_and_can_be_resumed(tmp_path, temporary):
    whole = train(PAIRS, out=tmp_path / "whole.pt", workers=1, **TINY)
    assert (whole.stopped, whole.run_dir) == (False, None)
    assert not list(temporary.iterdir())
    reports = []
    arguments = {"out": tmp_path / "model.pt", "workers": 1, **TINY}
    stopped = train(PAIRS, on_report=reports.append, stop=lambda: len(reports) >= 2, **arguments)
    assert stopped.stopped
    assert stopped.reason.startswith("stopped early; no candidate fits: the best gets ")
    assert [stopped.run_dir] == list(temporary.iterdir())
    again = train(PAIRS, run_dir=stopped.run_dir, resume=True, **arguments)
    assert weights(again.model) == weights(whole.model)


def test_an_exception_names_the_folder_that_is_left_if_there_is_something_to_resume(tmp_path, temporary):
    def fail(report):
        raise RuntimeError("a bug of the user")

    with pytest.raises(RuntimeError) as failed:
        train(PAIRS, out=tmp_path / "model.pt", workers=1, on_report=fail, **TINY)
    (folder,) = temporary.iterdir()
    assert f"run_dir={str(folder)!r}, resume=True" in failed.value.__notes__[0]
    with pytest.raises(LaneError, match="no such folder for the model"):
        train(PAIRS, out=tmp_path / "gone" / "model.pt", **TINY)
    assert list(temporary.iterdir()) == [folder]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_needs_no_main_thread_and_leaves_neither_signal_handlers_nor_processes(tmp_path):
    def children():
        return {
            child for path in Path("/proc/self/task").glob("*/children") for child in path.read_text().split()
        }

    handlers, before = [signal.getsignal(number) for number in HANDLED], children()
    results = []
    arguments = {"out": tmp_path / "model.pt", "workers": 2, **TINY}
    thread = threading.Thread(target=lambda: results.append(train(PAIRS, **arguments)))
    thread.start()
    thread.join()
    assert results[0].model == tmp_path / "model.pt"
    assert [signal.getsignal(number) for number in HANDLED] == handlers
    assert children() == before


def test_works_in_a_script_without_a_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"from lane.trainer import train\nprint('once')\n"
        f"train([('walk', 'W'), ('run', 'R')], out='m.pt', workers=2, **{TINY!r})\n"
    )
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "once\n", "")


def test_importing_the_package_does_not_load_torch():
    code = "import sys, lane.trainer; assert 'torch' not in sys.modules; lane.trainer.build_config()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert all(getattr(trainer, name) for name in trainer.__all__)
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = trainer.trian


# Two candidates with two short attempts each: they stall, and that is all that is needed here.
CONFIG = build_config("fast", {**TINY, "attempts": 2})


class Counter:
    """Stops after some reports."""

    def __init__(self, most=10_000):
        self.reports, self.most, self.messages = 0, most, []

    def __call__(self, report):
        if report.message:
            self.messages.append(str(report))
        else:
            self.reports += 1

    def halted(self):
        return self.reports >= self.most


def arguments(folder):
    return {"out": folder / "model.pt", "run_dir": folder / "run", "config": CONFIG, "workers": 1}


@pytest.fixture
def tiny(tmp_path):
    return arguments(tmp_path)


@pytest.fixture(scope="module")
def uninterrupted(pairs, tmp_path_factory):
    counter = Counter()
    folder = tmp_path_factory.mktemp("uninterrupted")
    result = train(pairs, name="tiny", on_report=counter, **arguments(folder))
    return result, checkpoint.load(result.model), counter.reports


def assert_same(path, expected):
    assert checkpoint.load(path).weights.keys() == expected.weights.keys()
    for name, value in checkpoint.load(path).weights.items():
        assert torch.equal(expected.weights[name], value), name


def stopped_after(most, pairs, **kwargs):
    counter = Counter(most)
    return train(pairs, on_report=counter, stop=counter.halted, **kwargs)


def test_same_seed_same_model(tiny, uninterrupted, pairs):
    """Bit by bit, whatever the order of the pairs, repeated lines, and the test pairs."""
    mixed = [*pairs, pairs[0]]
    random.Random(1).shuffle(mixed)
    result = train(mixed, test=pairs[:2], **tiny)
    assert_same(result.model, uninterrupted[1])
    assert list(result.accuracy) == ["train", "test"]


def test_another_seed_another_model(tiny, uninterrupted, pairs):
    weights = checkpoint.load(train(pairs, seed=2, **tiny).model).weights
    assert not all(torch.equal(weights[name], value) for name, value in uninterrupted[1].weights.items())


def test_a_resumed_run_ends_as_if_it_had_not_been_interrupted(tiny, uninterrupted, pairs):
    """Stopped again and again, at every kind of moment."""
    _, expected, reports = uninterrupted
    assert reports >= 20
    result = stopped_after(1, pairs, **tiny)
    assert result.stopped
    times = 0
    while result.stopped:
        assert (tiny["run_dir"] / "candidate-0.pt").exists()
        result = stopped_after(4, pairs, resume=True, **tiny)
        times += 1
        assert times <= reports, "it makes no progress"
    assert times >= 4
    assert_same(result.model, expected)
    assert checkpoint.load(result.model).card == expected.card.model_copy(update={"task": "pairs"})


def test_the_state_that_a_killed_run_kept_last_is_enough(tiny, uninterrupted, pairs, monkeypatch):
    """Here, some strides back."""
    monkeypatch.setattr(candidate, "SAVE_EVERY", -1)

    class KilledError(Exception):
        pass

    class Killer(Counter):
        def __call__(self, report):
            super().__call__(report)
            if self.halted():
                raise KilledError

    for resume, most in ((False, 9), (True, 3), (True, 5), (True, 2)):
        with pytest.raises(KilledError):
            train(pairs, on_report=Killer(most), resume=resume, **tiny)
    assert_same(train(pairs, resume=True, **tiny).model, uninterrupted[1])


def test_states_are_removed_at_the_end(uninterrupted):
    names = sorted(path.name for path in uninterrupted[0].run_dir.iterdir())
    assert names == ["metrics.jsonl", "misfits.tsv", "result.json", "run.json"]


def test_a_new_run_ignores_the_old_one(tiny, uninterrupted, pairs):
    stopped_after(6, pairs, seed=5, **tiny)
    assert (tiny["run_dir"] / "candidate-0.pt").exists()
    result = train(pairs, **tiny)
    assert_same(result.model, uninterrupted[1])
    seeds = [
        {record["seed"] for record in read_metrics(folder / "metrics.jsonl")[0]}
        for folder in (result.run_dir, uninterrupted[0].run_dir)
    ]
    assert seeds[0] == seeds[1]


def test_only_a_named_run_with_the_same_arguments_is_resumed(tiny, pairs):
    with pytest.raises(LaneError, match="to resume a run, name its run_dir"):
        train(pairs, resume=True, **{**tiny, "run_dir": None})
    stopped_after(1, pairs, **tiny)
    others = {
        "seed": {"pairs": pairs, "seed": 2},
        "settings": {"pairs": pairs, "config": build_config("fast", {**TINY, "samples": 5})},
        "pairs": {"pairs": pairs[1:]},
    }
    for what, other in others.items():
        with pytest.raises(LaneError, match=f"the run to resume had other {what}; give the same"):
            train(**{**tiny, "resume": True, **other})


def test_the_card_says_what_was_trained(uninterrupted, pairs):
    result, kept, _ = uninterrupted
    assert (kept.card.task, kept.card.seed, kept.card.data.pairs) == ("tiny", 1, len(pairs))
    assert kept.card.config == CONFIG.model_dump(mode="json")
    assert (kept.card.converged, kept.card.agreement) == (result.converged, result.agreement)
    assert kept.card.accuracy == result.accuracy
    assert kept.training == {}


def test_contradictory_pairs_are_misfits(tiny, pairs):
    result = train([*pairs, Pair.of("walk", "R")], **tiny)
    assert not result.converged
    assert any(misfit.source == ("walk",) for misfit in result.misfits)
    assert all(misfit.says != misfit.target for misfit in result.misfits)


@pytest.mark.parametrize("place", ["out", "run_dir"])
def test_a_place_that_cannot_be_written_is_found_before_the_work(tiny, pairs, tmp_path, place):
    (tmp_path / "file").write_text("in the way")
    counter = Counter()
    with pytest.raises(LaneError, match="cannot be written"):
        train(pairs, on_report=counter, **{**tiny, place: tmp_path / "file" / "here"})
    assert counter.reports == 0


def test_a_directory_in_the_place_of_the_model(tiny, pairs):
    tiny["out"].mkdir()
    with pytest.raises(LaneError, match=r"model.pt: is a directory; name a file for the model"):
        train(pairs, **tiny)


def test_a_missing_folder_is_not_created(tiny, pairs, tmp_path):
    with pytest.raises(LaneError, match=r"gone: no such folder for the model; create it, or name another"):
        train(pairs, **{**tiny, "out": tmp_path / "gone" / "model.pt", "run_dir": tmp_path / "gone" / "run"})
    assert not (tmp_path / "gone").exists()


def test_rounds_and_contradictions_are_messages(tiny, pairs):
    two_rounds = CONFIG.model_copy(update={"rounds": 2, "attempts": 1, "stall": 1})
    counter = Counter()
    both = [*pairs, Pair.of("walk", "R"), Pair.of("walk", "W")]
    train(both, on_report=counter, **{**tiny, "config": two_rounds})
    assert [message.partition(":")[0] for message in counter.messages[2:]] == ["round 1", "round 2"]
    assert counter.messages[0].startswith("1 input has more than one output")
    assert "were read off the pairs" in counter.messages[1]


def mark_converged(path):
    kept = checkpoint.load(path)
    card = kept.card.model_copy(update={"converged": True})
    checkpoint.save(replace(kept, card=card), path)


def test_an_unconverged_model_goes_beside_a_converged_one(tiny, pairs):
    out = tiny["out"]
    assert train(pairs, **tiny).model == out
    mark_converged(out)
    before = out.read_bytes()
    for _ in range(2):
        result = train(pairs, **tiny)
        assert (result.model, result.spared) == (out.with_name("model.unconverged.pt"), out)
        assert not checkpoint.load(result.model).card.converged
        assert out.read_bytes() == before
        assert f"{out} holds a converged model and was not replaced" in str(result)
    result = train(pairs, force=True, **tiny)
    assert (result.model, result.spared) == (out, None)
    assert not checkpoint.load(out).card.converged


def test_the_card_records_what_was_trained_without_the_composer(tmp_path):
    done = train(PAIRS, out=tmp_path / "flat.pt", workers=1, composer=False, **TINY)
    kept = checkpoint.load(done.model)
    assert (kept.card.config["composer"], kept.card.config["induction"]) == (False, False)
    limits = ("span_limit", "variable_limit", "template_limit")
    assert [getattr(kept.config, name) for name in limits] == [kept.card.config[name] for name in limits]
