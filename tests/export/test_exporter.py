"""Exporting writes all files or none, and says what a file leaves out."""

import os
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.export import exporter, verify
from lane.export.exporter import Request, export
from lane.models.checkpoint import save
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
        export(Request(trained, trained.parent, formats=("program",), random=5))
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
    with pytest.raises(LaneError, match="otherwise than the checkpoint"):
        export(Request(trained, trained.parent / "out", formats=("program",), random=60))
    assert names(trained.parent / "out") == set()


def test_the_same_export_gives_the_same_bytes(trained, commands_of):
    request = Request(
        trained, trained.parent / "a", formats=("program",), random=5, data=("jump twice", "run")
    )
    first = export(request)
    again = export(Request(**{**vars(request), "out": trained.parent / "b"}))
    assert first.files[0].sha256 == again.files[0].sha256
    assert first.margin == again.margin
    assert first.files[0].path.read_bytes() == again.files[0].path.read_bytes()


def test_the_umask_decides_who_may_read(trained):
    old = os.umask(0o077)
    try:
        (written,) = export(Request(trained, trained.parent, formats=("program",), random=5)).files
    finally:
        os.umask(old)
    assert written.path.stat().st_mode & 0o777 == 0o600


def test_a_budget_is_kept_and_named(trained, commands_of):
    data = tuple(dict.fromkeys(commands_of(2, 30, 7)))
    done = export(Request(trained, trained.parent, formats=("program",), data=data, random=100, budget=90))
    (warning,) = [text for text in done.warnings if "not complete" in text]
    assert "90 nodes" in warning
    assert "--budget" in warning
    translator = load(done.files[0].path)
    assert not translator.info.complete
    assert all(
        answer.ok or answer.error.code != "beyond-model" for answer in translator.translate_batch(data)
    )


def test_a_thin_margin_is_warned_of(trained, monkeypatch):
    monkeypatch.setattr(exporter, "THIN", 1e9)
    done = export(Request(trained, trained.parent, formats=("program",), random=20))
    assert any("was decided by" in warning and "train longer" in warning for warning in done.warnings)


@pytest.mark.parametrize(
    ("data", "message"), [("jump nowhere", "pair 2: .*'nowhere'"), (" ", "pair 2: it has no")]
)
def test_foreign_data_is_refused(trained, data, message):
    with pytest.raises(LaneError, match=message):
        export(Request(trained, trained.parent, data=("run", data)))


def test_a_place_that_cannot_be_written_is_named(trained):
    (trained.parent / "file").write_text("")
    with pytest.raises(LaneError, match="file"):
        export(Request(trained, trained.parent / "file", formats=("program",), random=5))


def test_a_model_that_no_program_holds(tmp_path, checkpoint_of):
    save(checkpoint_of(1, span_limit=6), tmp_path / "model.pt")
    with pytest.raises(LaneError, match="leave `program` out"):
        export(Request(tmp_path / "model.pt", tmp_path))
