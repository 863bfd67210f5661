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
PARTS = (
    "libfuzzer",
    "readers",
    "figures",
    "injection",
    "part_faults",
    "stream_faults",
    "train_faults",
    "export_faults",
)  # not commands of their own


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


needs_gcc = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None, reason="the faults need Linux and gcc"
)


@pytest.fixture
def faults(campaign, tmp_path):
    return campaign("injection").Campaign(tmp_path, 1)


@needs_gcc
def test_the_first_calls_of_a_stream_fail_and_nothing_is_lost(campaign, faults):
    stream = campaign("stream_faults").Stream(faults)
    stream.failing_calls(most=1)
    stream.clock()
    stream.signals()
    assert faults.losses == []
    assert set(faults.faults) > {"stream, output short", "stream, output ENOSPC", "stream, input EIO"}
    assert sum(faults.faults.values()) >= 17


@needs_gcc
def test_parts_and_programs_to_grow_lose_nothing(campaign, faults):
    parts = campaign("part_faults").Parts(faults, campaign("stream_faults").Stream(faults))
    parts.failing_calls()
    parts.failing_parts(most=2)
    for _ in range(2):
        parts.signals()
    assert faults.losses == []
    assert {"parts, SIGTERM", "parts, SIGKILL", "parts, rename SIGKILL"} < set(faults.faults)
    assert {"program, file ENOSPC", "program, read EIO", "program, sync SIGTERM"} < set(faults.faults)
    parts.right += b"more"
    parts.signals()
    assert "exit code 0 with" in faults.losses[0]


@needs_gcc
def test_a_loss_is_found(campaign, faults, monkeypatch, capsys):
    """A command that ignores short writes ends with 0, and its output is not whole."""
    streaming = campaign("stream_faults")
    careless = faults.folder / "lane-run"
    body = "import os, sys; data = sys.stdin.buffer.read(); os.write(1, data[:100]); os.write(1, data[100:])"
    careless.write_text(f"#!{sys.executable}\n{body}\n")
    careless.chmod(0o755)
    monkeypatch.setattr(streaming, "BIN", faults.folder)
    stream = streaming.Stream(faults)
    stream.failing_calls(most=1)
    lost = {loss.partition(": ")[0] for loss in faults.losses}
    assert {"stream, output short", "stream, output ENOSPC", "stream, input EIO"} <= lost
    assert "LOSS" in capsys.readouterr().err


@needs_gcc
@pytest.mark.parametrize(
    ("call", "kind"), [("file", "ENOSPC"), ("file", "EIO"), ("open", "EMFILE"), ("rename", "ENOSPC")]
)
def test_a_call_of_an_atomic_write_fails_and_the_old_file_stays(campaign, faults, call, kind, tmp_path):
    code = campaign("injection").KINDS[kind]
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(b"old")
    body = "import sys; from pathlib import Path; from lane.base.files import write_atomically\n"
    body += "write_atomically(Path(sys.argv[1]), b'new')"
    command = [sys.executable, "-c", body, str(path)]
    done = subprocess.run(command, env=faults.environment(f"{call} 1 {code}"), capture_output=True)
    assert faults.told.exists()
    assert done.returncode == 1
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_what_a_killed_or_careless_stream_loses_is_counted(campaign):
    soak = campaign("soak")
    load = soak.Load(0)
    for code, output in ((0, b"a\nb\n"), (3, b"a\n"), (0, b"a\n"), (3, b"b\n")):
        soak.check_output(load, code, output, b"a\nb\n")
    assert (load.counts["streams_cut_short"], load.counts["unreported_losses"]) == (1, 2)
    assert soak.grows([30, 31, 36])
    assert not soak.grows([30, 35, 33])


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_some_seconds_of_load(campaign, monkeypatch):
    soak = campaign("soak")
    monkeypatch.setattr(soak, "STREAM_LINES", 2000)
    figures = soak.soak(3)
    assert figures["requests"] > 0
    assert figures["streams"] > 0
    assert [figures[name] for name in soak.WRONG[:-1]] == [0, 0, 0, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="needs the peak of a process")
def test_the_memory_of_hostile_inputs(campaign, tmp_path):
    """The quick ones; `make campaign` measures all, and the time."""
    memory = campaign("memory")
    idle = memory.measured(memory.LANE_RUN, b"jump\n").memory
    small = tmp_path / "small.lane"
    small.write_bytes(memory.explosive())
    command = [*memory.LANE_RUN, "--model", str(small)]
    answer = memory.measured(command, memory.EXPLOSION).memory - idle
    assert memory.MAX_OUTPUT_BYTES < answer < memory.STREAM + 4 * memory.MAX_OUTPUT_BYTES
    for data in (memory.overlapping(1000, memory.MB), memory.filled(b"[],", memory.MB)):
        (tmp_path / "model").write_bytes(data)
        load = [sys.executable, "-c", memory.LOAD, str(tmp_path / "model")]
        assert memory.measured(load).memory - idle < 40 * len(data)
    (tmp_path / "model").write_bytes(memory.conjunctions())
    line = b"a" + b" and a" * 50_000 + b"\n"
    command = [*memory.LANE_RUN, "--model", str(tmp_path / "model")]
    assert memory.measured(command, line).memory - idle < memory.WORD_BYTES * 100_001


def test_no_crash_and_no_loss_in_the_committed_figures():
    figures = {
        name: json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("fuzz", "faults", "memory", "soak")
    }
    readers = figures["fuzz"]["readers"]
    assert {figure["crashes"] for figure in readers.values()} == {0}
    assert min(figure["inputs"] for figure in readers.values()) > 1000
    assert figures["faults"]["losses"] == []
    kinds = {name.partition(", ")[0] for name in figures["faults"]["faults"]}
    assert kinds >= {"stream", "core", "training", "export"}
    for row in figures["memory"]["inputs"]:
        assert row["peak_mb"] <= row["bound_mb"]
        assert row["seconds"] <= row["bound_seconds"]
    soak = figures["soak"]
    assert not any(soak[name] for name in ("failed_requests", "wrong_answers", "tracebacks", "grows"))
    assert soak["unreported_losses"] == 0
    assert soak["workers_killed"] > 0
