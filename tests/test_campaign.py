"""The campaign: its commands start, the committed corpus breaks nothing, and a planted fault is found."""

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "campaign"
PARTS = ("libfuzzer", "readers", "figures")  # not commands of their own


@pytest.fixture
def campaign(monkeypatch):
    """A script of the campaign by its name, as a module."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.mark.parametrize(
    "path", sorted(path for path in FOLDER.glob("*.py") if path.stem not in PARTS), ids=lambda path: path.stem
)
def test_a_command_shows_its_help(path):
    done = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: {path.name}" in done.stdout


@pytest.mark.parametrize("name", ["core", "program", "tables", "onnx", "archive", "checkpoint", "pairs"])
def test_seeds_and_corpus_break_nothing(campaign, name, monkeypatch):
    readers = campaign("readers")
    for module, attribute in (
        (readers.embedded_card, "checksum_around"),
        (readers.embedded_card, "checksum_of_records"),
    ):
        monkeypatch.setattr(module, attribute, getattr(module, attribute))
    from lane.models import checkpoint

    monkeypatch.setattr(checkpoint, "_read", checkpoint._read)
    inputs = [*readers.READERS[name].seeds(), *campaign("fuzz").corpus(name)]
    assert len(inputs) > 5
    for data in inputs:
        readers.READERS[name].read(data)


def read_all(read, inputs):
    for data in inputs:
        read(data)


def test_a_wrong_answer_and_an_accepted_reference_are_found(campaign, monkeypatch):
    """The readers' own assertions bite."""
    readers = campaign("readers")
    monkeypatch.setattr(readers.embedded_card, "checksum_around", None)
    monkeypatch.setattr("lane.runtime.onnx_message._REFUSED", {})
    with pytest.raises(AssertionError, match="external data was accepted"):
        read_all(readers.read_onnx, readers.READERS["onnx"].seeds())
    monkeypatch.setattr(readers, "_by_dictionary", lambda *_: "wrong")
    with pytest.raises(AssertionError):
        read_all(readers.read_core, campaign("fuzz").corpus("core"))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc and its sanitizers")
def test_an_overflow_in_the_core_is_found(campaign, tmp_path, monkeypatch):
    pytest.importorskip("atheris")
    fuzz = campaign("fuzz")
    monkeypatch.setattr(fuzz, "PLACE", tmp_path)
    planted = tmp_path / "planted.c"
    text = fuzz.SOURCE.read_text(encoding="utf-8")
    assert "values[MOST_WORDS];" in text
    planted.write_text(text.replace("values[MOST_WORDS];", "values[2];"), encoding="utf-8")
    assert fuzz.fuzz("core", fuzz.build_core(planted), 60)["crashes"] == 1
    assert list(tmp_path.glob("core-crash-*"))


def test_no_crash_and_no_loss_in_the_committed_figures():
    for name in ("fuzz",):
        figures = json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))
        assert figures
    readers = json.loads((ROOT / "results" / "fuzz.json").read_text(encoding="utf-8"))["readers"]
    assert {figure["crashes"] for figure in readers.values()} == {0}
    assert min(figure["inputs"] for figure in readers.values()) > 1000
