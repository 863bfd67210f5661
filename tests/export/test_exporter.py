"""Exporting writes all files or none, and says what a file leaves out."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.export import Export, export, exporter, verify
from lane.export.batches import table
from lane.models import symbols
from lane.models.checkpoint import save
from lane.models.learned import Learned, LearnedKind, LearnedRule, steps_of
from lane.runtime import load


@pytest.fixture
def trained(tmp_path, checkpoint) -> Path:
    save(checkpoint, tmp_path / "model.pt")
    return tmp_path / "model.pt"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_difference_leaves_what_was_there(trained, monkeypatch):
    (trained.parent / "model.lane").write_text("the old one")
    seen = []

    def one_differs(path, commands, answers, complete):
        seen.append(path)
        return [verify.Difference("jump twice", ("ok", "A"), ("ok", "B"))]

    monkeypatch.setattr(verify, "differences", one_differs)
    with pytest.raises(LaneError, match=r"model\.lane answers 1 of .* nothing was written:\n  'jump twice'"):
        export(trained, formats=("program",), random=5)
    assert (trained.parent / "model.lane").read_text() == "the old one"
    assert names(trained.parent) == {"model.pt", "model.lane"}
    assert seen[0].parent.parent == trained.parent


def test_a_wrong_table_is_caught(trained, monkeypatch, commands_of):
    """One choice turned round in the program: the fresh process answers otherwise."""
    real = exporter.closures.close

    def turned(composer, budget, met):
        closure = real(composer, budget, met)
        rows = tuple(row._replace(score=-row.score) for row in closure.rows)
        return exporter.closures.Closure(closure.recognized, rows)

    monkeypatch.setattr(exporter.closures, "close", turned)
    with pytest.raises(LaneError, match="differently from the checkpoint"):
        export(trained, out=trained.parent / "out", formats=("program",), random=60)
    assert names(trained.parent / "out") == set()


def test_the_same_export_gives_the_same_bytes(trained, commands_of):
    def made(folder: str) -> Export:
        pairs = [("jump twice", "WALK"), "run"]
        return export(trained, out=trained.parent / folder, formats=["program"], random=5, pairs=pairs)

    first, again = made("a"), made("b")
    assert first.files[0].sha256 == again.files[0].sha256
    assert first.margin == again.margin
    assert first.files[0].path.read_bytes() == again.files[0].path.read_bytes()


def test_the_umask_decides_who_may_read(trained):
    old = os.umask(0o027)
    try:
        (written,) = export(trained, formats=("program",), random=5).files
    finally:
        os.umask(old)
    assert written.path.stat().st_mode & 0o777 == 0o640


def test_a_budget_is_kept_and_named(trained, commands_of):
    data = tuple(dict.fromkeys(commands_of(2, 30, 7)))
    done = export(trained, formats=("program",), pairs=data, random=100, budget=90)
    (warning,) = [text for text in done.warnings if "not complete" in text]
    assert "90 nodes" in warning
    assert "--budget" in warning
    translator = load(done.files[0].path)
    assert not translator.info.complete
    assert all(
        answer.ok or answer.error.code != "beyond-model" for answer in translator.translate_batch(data)
    )


def test_without_data_an_incomplete_program_answers_what_was_learned(checkpoint, tmp_path):
    """Two rules, met in a table that has no room for their nodes."""
    turn, left, jump = map(checkpoint.source.number, ("turn", "left", "jump"))
    composer = checkpoint.model().double().composer
    derivations = composer.compose(table([[turn, left, jump], [jump, turn, left]]), None)
    rules = {step.span: LearnedRule(1, 1) for steps in steps_of(derivations) for step in steps}
    variables = {span: span.count(symbols.VARIABLE) for span in rules}
    kinds = {count: number for number, count in enumerate(sorted(set(variables.values())), start=1)}
    learned = Learned(
        {span: LearnedRule(kinds[variables[span]], 1) for span in rules},
        tuple(LearnedKind(True, (tuple(kinds.values()),) * count) for count in kinds),
    )
    knowing = replace(checkpoint, learned=learned)
    done = export(knowing, out=tmp_path, formats=["program"], random=5, budget=0)
    translator = load(done.program)
    assert not translator.info.complete
    commands = learned.sample(200, seed=3, most_words=12)
    texts = [" ".join(knowing.source.word(word) for word in words) for words in commands]
    replies = translator.translate_batch(texts)
    assert len(replies) > 10
    assert not any(reply.error and reply.error.code == "beyond-model" for reply in replies)


def test_what_a_killed_export_left_goes_with_the_next_one(trained):
    left = trained.parent / ".lane-export-left"
    left.mkdir()
    (left / "model.lane").write_bytes(b"half")
    export(trained, formats=("program",), random=5)
    assert not left.exists()
    assert names(trained.parent) == {"model.pt", "model.lane"}


def test_a_thin_margin_of_what_is_answered_is_warned_of(trained, monkeypatch):
    monkeypatch.setattr(exporter, "THIN", 1e9)
    done = export(trained, formats=("program",), random=20)
    assert any("was decided by" in warning and "train longer" in warning for warning in done.warnings)
    real = exporter.derive

    def refused(*arguments):
        reference = real(*arguments)
        replies = [("not-learned", text) for _, text in reference.replies]
        return replace(reference, replies=replies)

    monkeypatch.setattr(exporter, "derive", refused)
    monkeypatch.setattr(exporter, "_check_file", lambda *_: None)
    done = export(trained, formats=("program",), random=20)
    assert not any("was decided by" in warning for warning in done.warnings)


@pytest.mark.parametrize(
    ("data", "message"), [("jump nowhere", "pair 2: .*'nowhere'"), (" ", "pair 2: it has no")]
)
def test_foreign_data_is_refused(trained, data, message):
    with pytest.raises(LaneError, match=message):
        export(trained, pairs=("run", data))


def test_a_place_that_cannot_be_written_is_named(trained):
    (trained.parent / "file").write_text("")
    with pytest.raises(LaneError, match="file"):
        export(trained, out=trained.parent / "file", formats=("program",), random=5)


def test_what_is_no_file_is_refused_before_the_work_and_a_link_is_followed(trained, monkeypatch):
    out = trained.parent / "out"
    out.mkdir()
    os.mkfifo(out / "model.lane")
    (out / "model.onnx").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(exporter, "derive", None)
        for kind, problem in (("program", "not a regular file"), ("onnx", "a directory; name a file in it")):
            with pytest.raises(LaneError, match=problem):
                export(trained, out=out, formats=(kind,), random=5)
    assert (out / "model.lane").is_fifo()
    (out / "model.lane").unlink()
    (out / "model.lane").symlink_to(trained.parent / "elsewhere")
    export(trained, out=out, formats=("program",), random=5)
    assert (out / "model.lane").is_symlink()
    assert load(trained.parent / "elsewhere").translate("run").ok
    assert not list(out.glob(".*"))


def test_a_model_that_no_program_holds(tmp_path, checkpoint_of):
    save(checkpoint_of(1, span_limit=6), tmp_path / "model.pt")
    with pytest.raises(LaneError, match="leave `program` out"):
        export(tmp_path / "model.pt")


def test_the_snippet_of_the_readme(trained, capfd):
    done = export(str(trained), random=5, pairs=[("run", "I_RUN")])
    assert [path.name for path in (done.program, done.onnx, done.torchscript)] == [
        "model.lane",
        "model.onnx",
        "model.ts",
    ]
    assert load(done.program).translate("run").ok
    assert capfd.readouterr() == ("", "")
    page = done._repr_html_()
    assert all(file.sha256[:16] in page and str(file.path) in page for file in done.files)
    assert all(file.size == file.path.stat().st_size for file in done.files)


@pytest.mark.parametrize("name", ["lane", ".lane", "program"])
def test_formats_go_by_name_or_suffix(trained, name):
    done = export(trained, formats=[name], random=0)
    assert done.program == trained.parent / "model.lane"
    assert (done.onnx, done.torchscript) == (None, None)


@pytest.mark.parametrize(("formats", "message"), [(["flac"], "'flac' is not a format"), ([], "no format")])
def test_formats_that_do_not_exist(trained, formats, message):
    with pytest.raises(LaneError, match=message):
        export(trained, formats=formats)


def test_a_checkpoint_in_memory_needs_a_folder(checkpoint, tmp_path):
    with pytest.raises(LaneError, match="out="):
        export(checkpoint)
    assert export(checkpoint, out=tmp_path, formats="lane", random=0).program == tmp_path / "model.lane"


def test_wrong_outputs_are_a_warning_with_the_count(trained):
    right = load(export(trained, formats="program", random=0).program).translate("run").text
    pairs = [("run", right), ("run", f"{right} WALK"), (["run"], right.split()), "jump"]
    done = export(trained, formats="program", random=0, pairs=pairs)
    assert (done.pairs, done.correct) == (3, 2)
    (warning,) = [text for text in done.warnings if "pairs wrong" in text]
    assert "1 of 3 pairs wrong: 'run' is" in warning


def test_something_else_than_a_pair_is_named(trained):
    with pytest.raises(LaneError, match="pair 2: 7; a pair is two texts"):
        export(trained, pairs=["run", 7])


INTERRUPTED = """
import os, signal, subprocess, sys
from pathlib import Path
from lane.export import export

real = subprocess.Popen.communicate

def interrupted(process, *arguments, **options):
    print(process.pid, flush=True)
    raise KeyboardInterrupt

subprocess.Popen.communicate = interrupted
before = signal.getsignal(signal.SIGINT)
try:
    export(sys.argv[1], formats=["program"], random=5)
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is before
else:
    raise AssertionError("not interrupted")
"""


def test_an_interrupt_leaves_neither_a_file_nor_a_process(trained):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(trained)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
    assert names(trained.parent) == {"model.pt"}


def test_a_file_in_place_of_the_folder_is_refused_before_the_work(trained, monkeypatch):
    monkeypatch.setattr(exporter, "derive", lambda *_: pytest.fail("work was done"))
    with pytest.raises(LaneError, match=r"model\.pt: is a file; name a folder"):
        export(trained, out=trained)
