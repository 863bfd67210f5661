"""ONNX files by onnxruntime."""

import os
import subprocess
import sys

import pytest

from lane.runtime import ModelError, load, onnx_backend

pytest.importorskip("onnxruntime")


def test_a_session_is_of_one_kind_and_does_not_spin(exported):
    options = load(exported["onnx"], threads=2)._backend._call.__closure__
    (session,) = [
        cell.cell_contents for cell in options if hasattr(cell.cell_contents, "get_session_options")
    ]
    made = session.get_session_options()
    assert (made.intra_op_num_threads, made.inter_op_num_threads) == (2, 1)
    assert made.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    assert made.get_session_config_entry("session.load_model_format") == "ONNX"
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_a_network_of_another_form_is_refused(exported, monkeypatch):
    """Its card is right, but it takes or gives something else."""

    class Session:
        def get_inputs(self):
            return []

        def get_outputs(self):
            return [1, 2, 3]

    monkeypatch.setattr(onnx_backend, "_session", lambda *_: Session())
    with pytest.raises(ModelError, match="its network is not one of lane-export"):
        load(exported["onnx"])


def test_a_failure_of_onnxruntime_is_one_line(exported, monkeypatch):
    def fail(*_):
        raise RuntimeError("[ONNXRuntimeError] : 7\nstack")

    monkeypatch.setattr(onnx_backend, "_session", fail)
    with pytest.raises(ModelError, match=r"onnxruntime cannot load it: \[ONNXRuntimeError\] : 7$"):
        load(exported["onnx"])


def test_onnxruntime_records_nothing_about_the_user(exported, tmp_path):
    """Recent releases keep telemetry in the home directory and upload it, unless they are told not to."""
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "lane.cli.run", "--model", str(exported["onnx"])]
    subprocess.run(command, input=b"jump\n", env=environment, check=False)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
