"""The proof itself, small: it compares what it says it compares, and finds what is wrong."""

import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lane.export import export
from lane.export.inspection import inspect
from lane.export.kinds import SUFFIXES
from lane.export.probe import open_file
from lane.models.checkpoint import save

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "equivalence.py"


@pytest.fixture(scope="module")
def proof():
    spec = importlib.util.spec_from_file_location("equivalence", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(files, tmp_path_factory) -> Path:
    """A checkpoint with its files beside it."""
    place = tmp_path_factory.mktemp("proof")
    shutil.copy(files["checkpoint"], place / "model.pt")
    for kind, suffix in SUFFIXES.items():
        shutil.copy(files[kind], place / f"model{suffix}")
    return place / "model.pt"


def test_all_files_in_all_batches_say_the_same(proof, model, monkeypatch):
    monkeypatch.setattr(proof, "SAMPLE", {run: 2 if run[1] == 1 else 10 for run in proof.SAMPLE})
    record, lines = proof.prove(model, "tiny", proof.Options(random=150))
    assert (record["differences"], lines) == (0, [])
    assert record["answers"]["ok"] > 30
    assert record["answers"].keys() >= {"empty", "unknown-word", "too-many-words"}
    assert record["commands"] == 150 + record["groups"]["bad"]
    assert record["margin"] > 0
    assert record["random_words"]["longest"] > record["random_words"]["mean"] > 1
    runs = {(run["file"], run["batch"], run["threads"]): run["compared"] for run in record["runs"]}
    sizes, callers = ("1", "7", "256", "2048"), ("4 callers", 1)
    networks = {(kind, size, n) for kind in ("torchscript", "onnx") for size in sizes for n in (1, 2)}
    plain = {("program", size, 1) for size in sizes}
    assert set(runs) == networks | plain | {(kind, *callers) for kind in SUFFIXES}
    bad, every = record["groups"]["bad"], record["commands"]
    assert runs["onnx", "1", 2] == bad + 2, "all that is not random, and a sample of that"
    for size in sizes:
        assert runs["onnx", size, 1] == runs["torchscript", size, 1] == runs["program", size, 1] == every
    assert runs["onnx", "256", 2] == runs["onnx", "2048", 2] == every
    assert runs["onnx", *callers] == bad + 2 + bad + 10 + 2 * every
    assert runs["program", *callers] == 4 * every
    assert record["compared"] == sum(runs.values())
    head, _, row = proof.table([record])
    assert head.count("|") == row.count("|")
    assert row.startswith(f"| tiny | {record['commands']} | {record['answers']['ok']} |")


def test_what_is_done_is_not_done_again(proof, model, tmp_path, monkeypatch):
    """Of the same files: with fewer answers, or of another file, it is."""
    out = tmp_path / "proof.jsonl"
    small = proof.Options(random=20, runs=((1, 7), (1, 256)), out=out)
    with monkeypatch.context() as sampled:
        sampled.setattr(proof, "SAMPLE", {(1, 256): 0})
        first, _ = proof.prove(model, "tiny", small)
        (kept,) = proof.read_results(out)
        again, _ = proof.prove(model, "tiny", small)
    assert len(first["runs"]) == 6
    assert kept["compared"] == first["compared"], "kept as it went"
    assert again["runs"] == []
    more, _ = proof.prove(model, "tiny", small)
    assert {(run["file"], run["batch"]) for run in more["runs"]} == {("torchscript", "256"), ("onnx", "256")}
    monkeypatch.setattr(proof, "inspect", lambda path: replace(inspect(path), sha256="f" * 64))
    other, _ = proof.prove(model, "tiny", small)
    assert len(other["runs"]) == 6
    (kept,) = proof.read_results(out)
    assert kept["compared"] == other["compared"], "nothing of other files is left"


@pytest.mark.parametrize("kind", SUFFIXES)
def test_a_single_wrong_word_is_found_at_every_size(proof, model, kind, checkpoint, commands_of):
    truth = proof.reference(checkpoint, commands_of(4, 60, 9))
    good, victim = open_file(model.with_suffix(SUFFIXES[kind])), truth.commands[33]

    def bad(commands):
        answers = good(commands)
        return [
            (c, t + " Ä") if line == victim else (c, t)
            for line, (c, t) in zip(commands, answers, strict=True)
        ]

    order = list(range(60))
    for size in proof.BATCHES:
        assert proof.compare(good, truth, order, size, True) == []
        assert [found.command for found in proof.compare(bad, truth, order, size, True)] == [victim]


def test_only_an_incomplete_program_may_lead_beyond(proof, checkpoint):
    truth = proof.reference(checkpoint, ["jump", "run"])
    beyond = lambda commands: [("beyond-model", "")] * len(commands)  # noqa: E731
    assert proof.compare(beyond, truth, [0, 1], 2, complete=False) == []
    assert len(proof.compare(beyond, truth, [0, 1], 2, complete=True)) == 2


def test_random_commands_repeat_nothing_and_join_phrases(proof):
    known = ["run", *(f"{verb} {how}" for verb in ("walk", "jump", "look") for how in ("left", "twice"))]
    made = list(proof.random_commands(("and", *" ".join(known).split()), known, ["and"], 500))
    assert made == list(proof.random_commands(("and", *" ".join(known).split()), known, ["and"], 500))
    assert len(set(made)) == 500
    assert not set(known) & set(made)
    assert max(len(command.split()) for command in made) in range(80, 101)
    assert sum(len(command.split()) < 15 for command in made) > 400, "most are short"
    joined = [c for c in made if set(c.split(" and ")) <= set(known)]
    assert len(joined) > 100, "a third of them"
    assert proof.joints_of([("$x and $y", "$X $Y", 3), ("$x or $y", "$X", 0), ("turn $x", "$X", 9)]) == [
        "and"
    ]


def test_what_a_model_is_asked(proof, checkpoint_of):
    scan = {word for pair in proof.scan_pairs() for word in pair.source}

    def asked(task, words):
        made = checkpoint_of(words=tuple(sorted(words)))
        checkpoint = replace(made, card=made.card.model_copy(update={"task": task}))
        return {group: len(texts) for group, texts in proof.language_commands(checkpoint, None).items()}

    groups = asked("addjump", scan)
    assert groups["language"] == 20_910
    assert groups.keys() >= {"simple test", "addjump test", "extend test", "limit test"}
    assert asked("limit", {"dax", "lug"})["language"] == 24
    assert asked("language3", {"bidi"}).keys() == {"language"}
    assert asked("language3", {"bidi"})["language"] > 500
    assert asked("mine.tsv", {"a"}) == {"language": 0}


def test_every_sample_has_all_that_is_not_random(proof, checkpoint, commands_of, monkeypatch):
    monkeypatch.setattr(proof, "SAMPLE", {(2, 7): 15})
    truth = proof.reference(checkpoint, commands_of(4, 60, 9), fixed=20)
    order = proof._places("onnx", 2, 7, truth)
    assert len(order) == len(set(order)) == 20 + 15
    assert set(order) >= set(range(20))
    assert order != sorted(order), "shuffled"
    assert sorted(proof._places("onnx", 1, 7, truth)) == list(range(60))
    assert sorted(proof._places("program", 2, 7, truth)) == list(range(60)), "it is fast enough"


def record_of(name, answers=9, **runs):
    """A record of runs by file: answers compared, differences."""
    made = [
        {"file": kind, "batch": "1", "threads": 1, "compared": compared, "differences": wrong}
        for kind, (compared, wrong) in runs.items()
    ]
    sums = {"compared": sum(c for c, _ in runs.values()), "differences": sum(d for _, d in runs.values())}
    card = {"groups": {"random": 9}, "answers": {"ok": answers}, "files": {"onnx": "ab"}, "margin": 0.5}
    return {"name": name, **card, "runs": made, **sums}


@pytest.mark.parametrize(
    ("again", "kept"),
    [
        (record_of("a", onnx=(5, 0)), {"onnx": (7, 0), "program": (9, 0)}),  # compares less
        (record_of("a", onnx=(8, 0)), {"onnx": (8, 0), "program": (9, 0)}),  # compares more
        (record_of("a", onnx=(5, 1)), {"onnx": (5, 1), "program": (9, 0)}),  # what is wrong is never lost
        (record_of("a", answers=8, onnx=(5, 0)), {"onnx": (5, 0)}),  # another model
    ],
)
def test_a_record_is_merged_with_the_older_one_of_its_name(proof, tmp_path, again, kept):
    out = tmp_path / "new" / "results.jsonl"
    for record in (record_of("a", onnx=(7, 0), program=(9, 0)), record_of("b", onnx=(3, 0)), again):
        proof.keep(record, out)
    first, second = (json.loads(line) for line in out.read_text().splitlines())
    assert {run["file"]: (run["compared"], run["differences"]) for run in first["runs"]} == kept
    assert first["compared"] == sum(compared for compared, _ in kept.values())
    assert first["differences"] == sum(wrong for _, wrong in kept.values())
    assert second == record_of("b", onnx=(3, 0))


def test_the_command_finds_a_wrong_file_and_exports_missing_ones(checkpoint, checkpoint_of, tmp_path):
    """The program of another model in the place of the right one; and no network files at all."""
    for name, weights in (("right", checkpoint), ("wrong", checkpoint_of(seed=9))):
        save(weights, tmp_path / name / "model.pt")
    wrong = tmp_path / "wrong"
    export(wrong / "model.pt", out=tmp_path / "right", formats=("program",), random=5)
    out = tmp_path / "proof.jsonl"
    command = [sys.executable, str(SCRIPT), str(tmp_path / "right" / "model.pt"), "--out", str(out)]
    done = subprocess.run([*command, "--random", "60"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    (record,) = [json.loads(line) for line in out.read_text().splitlines()]
    wrong_runs = {run["file"] for run in record["runs"] if run["differences"]}
    assert wrong_runs == {"program"}
    assert record["name"] == "random, seed 1"
    assert "program, batch 1, " in done.stdout
    assert "the checkpoint gives" in done.stdout
    assert "model.onnx" in done.stderr
    shown = subprocess.run(
        [sys.executable, str(SCRIPT), "--out", str(out)], capture_output=True, text=True, check=True
    )
    assert shown.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
    assert not [name for name in (tmp_path / "right").iterdir() if name.suffix == ".tmp"]


def test_a_missing_checkpoint_is_named(proof, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["equivalence.py", str(tmp_path / "none.pt")])
    assert proof.main() == 2
    assert "none.pt: no such file" in capsys.readouterr().err
