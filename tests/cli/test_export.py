"""`lane-export` as a user runs it."""

import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lane.base.vocabulary import Vocabulary
from lane.cli.export import _show
from lane.export import FileCard
from lane.models.card import ModelCard
from lane.models.checkpoint import Checkpoint, load, save
from lane.models.config import ModelConfig
from lane.models.model import LaneModel

COMMAND = [sys.executable, "-c", "from lane.cli.export import main; main()"]


def lane_export(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    """A folder with a checkpoint of random weights, its training pairs, and its files."""
    place = tmp_path_factory.mktemp("export")
    config = ModelConfig(embedding=6, hidden=8, max_actions=200, max_words=50)
    torch.manual_seed(3)
    model = LaneModel(4, 3, config)
    weights = {name: 4 * tensor for name, tensor in model.state_dict().items()}
    words = Vocabulary(["fep", "jump", "run", "twice"])
    card = ModelCard(task="toy", agreement=0.995, rules=("jump -> A", "$x twice -> $X $X"))
    save(
        Checkpoint(config, words, Vocabulary(["A", "B", "C"]), weights, card),
        place / "model.pt",
    )
    (place / "pairs.tsv").write_text("jump twice\tA A\nrun\tB\njump fep run\tB A\n")
    done = lane_export(
        place / "model.pt", "--out", place / "out", "--verify", place / "pairs.tsv", "--random", "60"
    )
    assert done.returncode == 0, done.stderr
    assert "no difference" in done.stderr
    assert "of 3 pairs right" in done.stderr
    assert "of 3 pairs wrong" in done.stderr
    lines = done.stdout.splitlines()
    assert [Path(line.split("  ")[1]).name for line in lines] == ["model.lane", "model.onnx", "model.ts"]
    assert {path.name for path in (place / "out").iterdir()} == {"model.ts", "model.onnx", "model.lane"}
    return place


@pytest.mark.parametrize("name", ["model.ts", "model.onnx", "model.lane"])
def test_info_shows_the_card(exported, name):
    done = lane_export("info", exported / "out" / name)
    assert done.returncode == 0, done.stderr
    for part in (
        "format version 2",
        "sha256",
        "4: fep jump run twice",
        "max_words 50",
        "task toy",
        "agreement   99.50% of new commands",
        " -> ",
    ):
        assert part in done.stdout
    card = json.loads(lane_export("info", "--json", exported / "out" / name).stdout)
    assert card["words"] == ["fep", "jump", "run", "twice"]
    assert any(uses for _, _, uses in card["rules"])
    # Facts are sentences for people, and values for programs.
    sentence = (
        "commands that leave what was learned" if card["notes"]["refuses"] else "nothing: it does not know"
    )
    assert f"\nrefuses     {sentence}" in done.stdout


def test_info_of_a_checkpoint(exported):
    done = lane_export("info", exported / "model.pt")
    assert done.returncode == 0
    assert "checkpoint, format version 1" in done.stdout
    assert "\nagreement   99.50% of new commands\n" in done.stdout
    assert done.stdout.endswith("\nrules       2\n  jump -> A\n  $x twice -> $X $X\n")


def test_info_of_another_file(exported):
    done = lane_export("info", exported / "pairs.tsv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert "no file of lane-export" in done.stderr


def test_only_the_formats_asked_for(exported, tmp_path):
    done = lane_export(
        exported / "model.pt", "--out", tmp_path, "--formats", ".lane", "--random", 5, "--quiet"
    )
    assert done.returncode == 0
    assert done.stderr.startswith("warning: the model has not converged (training has not ended)")
    assert done.stderr.splitlines()[1:] == [
        "warning: the checkpoint is of an earlier release: its files cannot refuse what was never learned"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["model.lane"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Missing argument"),
        (("x.pt", "--formats", "program,flac"), 2, "'flac' is not a format"),
        (("x.pt", "--formats", ""), 2, "no format is named"),
        (("x.pt", "--random", "-1"), 2, "--random"),
        (("info",), 2, "Missing argument"),
        (("x.pt",), 1, "x.pt: no such file"),
        (("info", "x.lane"), 1, "x.lane: No such file"),
        ((__file__,), 1, "not a checkpoint"),
    ],
)
def test_wrong_use_and_missing_files(arguments, code, message):
    done = lane_export(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["out/model.ts", "out/model.onnx", "out/model.lane", "pairs.tsv"])
def test_what_is_no_checkpoint_is_named(exported, name):
    done = lane_export(exported / name)
    assert done.returncode == 1
    assert ("not a checkpoint" if name == "pairs.tsv" else "already exported") in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["out/model.ts", "out/model.onnx", "out/model.lane", "model.pt"])
def test_an_unconverged_model_says_so(exported, name):
    assert "NO: training has not ended" in lane_export("info", exported / name).stdout


def test_foreign_pairs_are_refused(exported, tmp_path):
    (tmp_path / "other.tsv").write_text("fly away\tX\n")
    done = lane_export(exported / "model.pt", "--out", tmp_path, "--verify", tmp_path / "other.tsv")
    assert done.returncode == 1
    assert "does not know 'fly'" in done.stderr


def test_info_prints_nothing_that_a_terminal_obeys(exported, tmp_path):
    kept = load(exported / "model.pt")
    card = kept.card.model_copy(update={"task": "\x1b]0;title\x07", "reason": "x" * 100_000})
    save(replace(kept, card=card), tmp_path / "model.pt")
    done = lane_export("info", tmp_path / "model.pt")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert r"task \x1b]0;title\x07" in done.stdout
    assert len(done.stdout) < 10_000


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
JSON = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.text(max_size=5), PLAIN, max_size=3)


def records(**parts):
    """Objects with any of these keys, or something else."""
    return st.fixed_dictionaries({}, optional=parts) | JSON


DATA = records(pairs=JSON, distinct=JSON)
TRAINING = records(data=DATA, accuracy=JSON, converged=JSON, reason=JSON, task=JSON, seed=JSON, version=JSON)


@settings(max_examples=300, deadline=None)
@example({"training": {"data": {"pairs": "many", "distinct": 3}}})
@given(provenance=st.fixed_dictionaries({}, optional={"training": TRAINING, "export": records(lane=JSON)}))
def test_info_of_any_provenance(provenance):
    """Its content is free, and the file may come from anywhere."""
    card = FileCard(
        path="m.lane",
        kind="program",
        version=1,
        size=1,
        sha256="",
        words=("a",),
        actions=(),
        limits={},
        margin=None,
        agreement=None,
        provenance=provenance,
        rules=(),
    )
    with redirect_stdout(StringIO()) as output:
        _show(card)
    assert output.getvalue().isascii() or output.getvalue().replace("\n", "").isprintable()


STOPPED = """
import signal, subprocess, sys
from lane.cli.export import main

def waits(process, *arguments, **options):
    print(process.pid, flush=True)
    signal.pause()

subprocess.Popen.communicate = waits
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_a_termination_leaves_neither_a_file_nor_a_process(exported, tmp_path):
    command = [
        sys.executable,
        "-c",
        STOPPED,
        str(exported / "model.pt"),
        "--out",
        str(tmp_path),
        "--random",
        "5",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        helper = int(process.stdout.readline())
        process.terminate()
        assert process.wait(timeout=60) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(helper, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [("--help",), ("info", "--help"), ("--version",), ("info", "--version")]
)
def test_help_and_version_are_quick(arguments):
    code = "import sys; from lane.cli.export import main\n"
    code += "try: main()\nfinally: assert not {'torch', 'numpy', 'onnx'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ("lane-export" if "--help" in arguments else "lane 0.") in done.stdout
