"""`train`, from Python: what it takes, what it leaves, and what its errors say."""

import subprocess
import sys
import tempfile

import pytest

from lane import trainer
from lane.base.errors import LaneError
from lane.models import checkpoint
from lane.trainer import Pair, build_config, train

# Too small to learn: for what has to do with runs and not with learning.
TINY = {"embedding": 8, "hidden": 8, "examples": 8, "samples": 6, "evaluate_every": 2, "patience": 3}
TINY |= {"stall": 4, "attempts": 1, "rounds": 1, "recombined": 40}
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
    assert str(reports[0]).startswith("candidate 1 ")
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.pt", "two.pt"]


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
