"""The real `lane-train` in processes of its own: it learns, it can be stopped, and it says what is wrong."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from lane.models import checkpoint
from lane.trainer.config import GROUPS, TrainConfig
from lane.trainer.dataset import padded

LANE_TRAIN = Path(sys.executable).with_name("lane-train")
# Networks too small to learn anything: for what has to do with runs and not with learning.
TINY = {"hidden": 8, "embedding": 8, "examples": 8, "samples": 6, "evaluate_every": 2, "patience": 3}
TINY |= {"stall": 6, "attempts": 2, "rounds": 1, "recombined": 40}
PAIRS = "walk\tW\nrun\tR\nwalk\tR\nwalk twice\tW W\nrun twice\tR R\n"


def with_settings(settings: dict[str, object]) -> list[str]:
    return [f"--set={key}={value}" for key, value in settings.items()]


def lane_train(*arguments: object, code: int = 0, **options: object) -> tuple[str, str]:
    done = subprocess.run(
        [LANE_TRAIN, *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
        timeout=240,
        env={**os.environ, "COLUMNS": "200"},
        **options,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def pairs_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    path.write_text(PAIRS)
    return path


@pytest.fixture
def tiny(pairs_file, tmp_path):
    """The arguments of a tiny run, to tmp_path/model.pt."""
    return ["--train", pairs_file, "--out", tmp_path / "model.pt", *with_settings(TINY)]


@pytest.fixture(scope="module")
def uninterrupted(pairs_file, tmp_path_factory):
    """The tiny run with one worker: its folder and what it said."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    arguments = ["--train", pairs_file, "--out", folder / "model.pt", *with_settings(TINY), "--workers", 1]
    return folder, *lane_train(*arguments, code=1)


def assert_same_model(path: Path, other: Path) -> None:
    one, two = checkpoint.load(path), checkpoint.load(other)
    assert one.card == two.card
    assert one.weights.keys() == two.weights.keys()
    for name, value in one.weights.items():
        assert torch.equal(value, two.weights[name]), name


def test_limit_is_learned_for_real(tmp_path):
    model = tmp_path / "model.pt"
    output, errors = lane_train("--task", "limit", "--seed", 1, "--set", "candidates=1", "--out", model)
    assert "accuracy: train 100.00%, test 100.00%\n" in output
    for rule in ("dax           -> RED", "$x fep        -> $X $X $X", "$x kiki $y    -> $Y $X"):
        assert f"  {rule}\n" in output
    assert f"model in {model}\n" in output
    assert errors.startswith("limit: 14 training pairs")
    assert "\x1b" not in errors, "plain lines where there is no terminal"

    kept = checkpoint.load(model)
    assert kept.card.converged
    assert kept.card.accuracy == {"train": 1.0, "test": 1.0}
    words = [[kept.source.number(word) for word in ("zup", "blicket", "wif", "kiki", "dax", "fep")]]
    actions, length, _ = kept.model()(padded(words))
    said = [kept.target.word(action) for action in actions[0, : length[0]].tolist()]
    assert " ".join(said) == "RED RED RED YELLOW GREEN YELLOW"

    records = [
        json.loads(line) for line in (tmp_path / "model.pt.run/metrics.jsonl").read_text().splitlines()
    ]
    assert [record["updates"] for record in records] == sorted(record["updates"] for record in records)
    assert records[-1]["outcome"] == "fitted"
    assert ElementTree.parse(tmp_path / "model.pt.run/run.svg").getroot().tag.endswith("svg")


def test_not_converged_keeps_the_model_and_says_what_to_try(uninterrupted):
    folder, output, errors = uninterrupted
    assert "error: not converged: " in errors
    assert f"the best model is kept in {folder}/model.pt" in errors
    assert "       the best attempt stalled in lesson " in errors
    assert "       1 command has more than one output, such as walk: R and W\n" in errors
    assert "       try: `lane-data check`" in errors
    assert "--minutes" not in errors, "it was not stopped"
    assert not checkpoint.load(folder / "model.pt").card.converged
    assert "does not fit: walk -> " in output, "one of two outputs of the same input is wrong"
    assert "   the rules say " in output
    assert "\n1 input has more than one output" in errors


def test_a_language_without_rules_ends_and_shows_the_conflict(tmp_path):
    """What `hundred` writes depends on what follows."""
    digits = {"one": "1", "two": "2", "three": "3", "ten": "1 0", "twelve": "1 2"}
    lines = [f"{word}\t{digit}\n" for word, digit in digits.items()]
    for x in ("one", "two", "three"):
        for word, digit in digits.items():
            lines.append(f"{x} hundred {word}\t{digits[x]} {digit if ' ' in digit else f'0 {digit}'}\n")
    (tmp_path / "pairs.tsv").write_text("".join(lines))
    many = with_settings({**TINY, "rounds": 16, "attempts": 1})
    arguments = ["--train", tmp_path / "pairs.tsv", "--out", tmp_path / "model.pt", *many]
    output, errors = lane_train(*arguments, code=1)
    assert "\naccuracy: train " in output, "what it did learn"
    assert "\nround 1: " in errors
    assert "\nround 2: " not in errors, "it would stall again"
    _, shown = errors.split("no rules explain these pairs together")
    conflict = [line.strip() for line in shown.splitlines()[1:] if " -> " in line]
    assert len(conflict) == 4
    assert {line.replace(" -> ", "\t") + "\n" for line in conflict} <= set(lines)


def test_the_number_of_workers_changes_nothing(uninterrupted, tiny, tmp_path):
    lane_train(*tiny, "--workers", 2, code=1)
    assert_same_model(tmp_path / "model.pt", uninterrupted[0] / "model.pt")


def test_a_converged_model_is_not_replaced_by_an_unconverged_one(tiny, tmp_path):
    model, beside = tmp_path / "model.pt", tmp_path / "model.unconverged.pt"
    lane_train(*tiny, code=1)
    kept = checkpoint.load(model)
    checkpoint.save(replace(kept, card=kept.card.model_copy(update={"converged": True})), model)
    before = model.read_bytes()
    for _ in range(2):
        output, errors = lane_train(*tiny, "--quiet", code=1)
        assert f"{model} holds a converged model and was not replaced" in output
        assert f"the best model is kept in {beside}" in errors
        assert model.read_bytes() == before
    assert_same_model(beside, beside)
    lane_train(*tiny, "--quiet", "--force", code=1)
    assert not checkpoint.load(model).card.converged


def test_help_is_in_groups_and_experiments_come_last():
    output, _ = lane_train("--help")
    titles = [line for line in output.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Pairs:", "Model:", "Run:", "Recipe:", "Other:", "Commands:"]
    assert output.index("  settings") < output.index("  sweep") < output.index("  reproduce")


class Run:
    """A run in a session of its own, that can be struck by signals."""

    def __init__(self, arguments, folder: Path, resume: bool, workers: int) -> None:
        # Every stride is kept, so that there is something to lose.
        (folder / "sitecustomize.py").write_text(
            "import sys\n"
            "if any('lane-train' in word or 'lane.trainer.worker' in word for word in sys.orig_argv):\n"
            "    import lane.trainer.candidate\n"
            "    lane.trainer.candidate.SAVE_EVERY = -1\n"
        )
        self.metrics = folder / "model.pt.run" / "metrics.jsonl"
        command = [LANE_TRAIN, *arguments, "--workers", workers, *(["--resume"] if resume else [])]
        self.before = self.lines() if resume else 0
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )

    def lines(self) -> int:
        return len(self.metrics.read_text().splitlines()) if self.metrics.exists() else 0

    def children(self) -> list[int]:
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in listed.read_text().split()] if listed.exists() else []

    def wait_for(self, reached) -> None:
        deadline = time.monotonic() + 120
        while not reached() and self.process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=120)
        assert "Traceback" not in errors
        return self.process.returncode, errors


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_interrupted_at_any_moment_it_goes_on_to_the_same_model(uninterrupted, tiny, tmp_path):
    """Ctrl-C reaches all processes: while the workers start, and while they work."""
    run = Run(tiny, tmp_path, resume=False, workers=2)
    run.wait_for(lambda: len(run.children()) >= 2)
    os.killpg(run.process.pid, signal.SIGINT)
    code, errors = run.end()
    assert code == 130, errors
    assert "no plot:" not in errors
    assert "error: stopped by SIGINT; the best so far is in" in errors
    assert "command with --resume continues the run" in errors

    run = Run(tiny, tmp_path, resume=True, workers=1)
    run.wait_for(lambda: run.lines() >= run.before + 5)
    run.process.send_signal(signal.SIGTERM)
    code, errors = run.end()
    assert code == 143, errors
    assert "error: stopped by SIGTERM; the best so far is in" in errors
    assert checkpoint.load(tmp_path / "model.pt").card.task == "pairs.tsv"

    lane_train(*tiny, "--resume", "--workers", 1, code=1)
    assert_same_model(tmp_path / "model.pt", uninterrupted[0] / "model.pt")


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_killed_at_any_moment_it_goes_on_to_the_same_model(uninterrupted, tiny, tmp_path):
    rng = random.Random(1)
    for number in range(3):
        run = Run(tiny, tmp_path, resume=number > 0, workers=2 if number == 1 else 1)
        more = rng.randint(1, 8)
        run.wait_for(lambda run=run, more=more: run.lines() >= run.before + more)
        children = run.children()
        run.process.kill()
        run.process.communicate(timeout=60)
        assert run.process.returncode == -9, "it was to be killed while it worked"
        run.process.poll()
        deadline = time.monotonic() + 60
        while any(Path(f"/proc/{pid}").exists() for pid in children):
            assert time.monotonic() < deadline, "a worker outlives its parent"
            time.sleep(0.01)
        kept = [*tmp_path.glob("model.pt"), *tmp_path.glob("model.pt.run/candidate-*.pt")]
        for path in kept:
            assert checkpoint.load(path).training or path.name == "model.pt"
    assert kept
    lane_train(*tiny, "--resume", "--workers", 1, code=1)
    assert_same_model(tmp_path / "model.pt", uninterrupted[0] / "model.pt")
    assert not list(tmp_path.glob("model.pt.run/candidate-*.pt"))


def test_the_clock_stops_it(tiny, tmp_path):
    forever = with_settings({"stall": 100_000, "candidates": 1})
    _, errors = lane_train(*tiny, *forever, "--minutes", 0.02, code=1)
    assert "error: not converged: stopped early; " in errors
    assert "       the best attempt " in errors
    assert checkpoint.load(tmp_path / "model.pt.run/candidate-0.pt").training


def test_readers_that_have_gone_lose_nothing(tiny, tmp_path):
    """Neither standard output nor standard error has a reader: the model is written all the same."""
    ends = []
    for _ in range(2):
        read, write = os.pipe()
        os.close(read)
        ends.append(write)
    process = subprocess.Popen(
        [LANE_TRAIN, *map(str, tiny), "--workers", "1"], stdout=ends[0], stderr=ends[1], text=True
    )
    for end in ends:
        os.close(end)
    assert process.wait(timeout=120) in (0, 1)
    assert checkpoint.load(tmp_path / "model.pt").card.task == "pairs.tsv"


def test_pairs_from_standard_input_with_some_held_out(tmp_path):
    arguments = ["--train", "-", "--format", "tsv", "--dev-fraction", 0.4, "--set", "candidates=1"]
    output, _ = lane_train(*arguments, *with_settings(TINY), "--out", tmp_path / "m", code=1, input=PAIRS)
    assert "accuracy: train " in output
    assert ", dev " in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "limit", "--train", "x.tsv"], "give --task or --train, not both"),
        (["--test", "x.tsv"], "--test goes with --train"),
        (["--task", "adjump"], "addjump"),
        (["--set", "sample=3"], "no setting 'sample'; did you mean 'samples'?"),
        (["--set", "samples=many"], "setting samples: "),
        (["--set", "template_limit=1"], "set template_limit=2 or more"),
        (["--set", "variable_limit=6", "--set", "span_limit=6"], "10 variables, and only 8 have names"),
        (["--set", "samples"], "--set samples: give it as key=value"),
        (["--preset", "quick"], "no preset 'quick': the presets are fast, unaided, paper"),
        (["--device", "tpu"], "'tpu' is not one of 'auto', 'cpu', 'cuda'"),
        (["--minutes", "0"], "--minutes"),
        (["--sead", "1"], "--sead"),
        (["no-such-command"], "no-such-command"),
        (["limit"], "limit is a task, not a command; to learn it: --task limit"),
        (["coffee.tsv"], "coffee.tsv is not a command; to learn from a file: --train coffee.tsv"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_exit_code_2_and_says_how(tmp_path, arguments, message):
    _, errors = lane_train(*arguments, code=2, cwd=tmp_path)
    assert message in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--train", "gone.tsv"], "gone.tsv"),
        (["--train", "broken.tsv"], "broken.tsv, line 2: "),
        (["--train", "good.tsv", "--out", "good.tsv/m.pt"], "cannot be written"),
        (["--train", "good.tsv", "--resume"], "there is no run to resume; start without resume"),
        (["--train", "good.tsv", "--out", "."], ".: a directory; name a file in it"),
        (["--train", "good.tsv", "--out", "gone/m.pt"], "gone: no such folder for the model; create it"),
        (["--task", "mcd1"], "--data-dir"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_failure_is_one_line_and_exit_code_1(tmp_path, arguments, message):
    (tmp_path / "good.tsv").write_text(PAIRS)
    (tmp_path / "broken.tsv").write_text("walk\tW\nrun\n")
    _, errors = lane_train(*arguments, code=1, cwd=tmp_path)
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    assert message in errors


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu(tmp_path):
    _, errors = lane_train("--device", "cuda", code=1, cwd=tmp_path)
    assert errors == "error: device cuda: torch sees no GPU here; use cpu or auto\n"


def test_every_setting_is_listed():
    output, _ = lane_train("settings")
    settings = [line.split()[0] for line in output.splitlines() if line.startswith("  ")]
    assert settings == list(TrainConfig.model_fields)
    assert [line for line in output.splitlines() if not line.startswith("  ")] == [
        f"{title}:" for title in GROUPS.values()
    ]


def test_the_exit_code_tells_even_if_nobody_reads(tiny, tmp_path):
    with subprocess.Popen(
        [LANE_TRAIN, *map(str, tiny)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        run.stdout.close()
        _, errors = run.communicate(timeout=240)
    assert run.returncode == 1, "these pairs contradict each other: it does not converge"
    assert "not converged" in errors
    assert "Traceback" not in errors
    assert (tmp_path / "model.pt.run" / "run.svg").exists()


def test_without_the_experiments_their_commands_say_what_to_install(tmp_path):
    code = (
        "import importlib.metadata as m, sys; m.entry_points = lambda **_: ();"
        "from lane.cli import train; sys.argv = ['lane-train', *sys.argv[1:]]; train.main()"
    )
    for command in ("sweep", "calibrate", "refusals", "reproduce"):
        done = subprocess.run(
            [sys.executable, "-c", code, command, "--seeds", "1"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.startswith(f"error: lane-train {command} is of lane-experiments")
        assert "`pip install ./experiments`" in done.stderr
