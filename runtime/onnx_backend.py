"""The ONNX backend: an ONNX file by onnxruntime and numpy."""

import os
from typing import Any

from lane.runtime.embedded_card import card_of_onnx
from lane.runtime.model_file import ModelFile
from lane.runtime.network import Call, NetworkBackend, first_line, needs
from lane.runtime.network_card import read_card

KIND = "onnx"
_SILENT = 4  # no log lines: every failure raises an exception too


def load(file: ModelFile, threads: int, lenient: bool = False) -> NetworkBackend:
    """Open a file: its card and its checksum first, then the network."""
    card = read_card(file, KIND, card_of_onnx(file))
    numpy, onnxruntime = needs(file, "onnxruntime", "onnx", _imports)
    try:
        session = _session(onnxruntime, file.data, threads)
        inputs = [(part.name, part.type, len(part.shape)) for part in session.get_inputs()]
    except Exception as error:
        # The exceptions of onnxruntime have no common base class.
        raise file.error(f"onnxruntime cannot load it: {first_line(error)}") from None
    if inputs != [("words", "tensor(int64)", 2)] or len(session.get_outputs()) != 3:
        raise file.error("its network is not one of lane-export: it takes or gives something else")
    return NetworkBackend(file, card, threads, _call(numpy, session), lenient)


def _imports() -> tuple[Any, Any]:
    # Recent releases record each session in the home directory and upload that; set to 0 to let them.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import numpy
    import onnxruntime  # type: ignore[import-untyped]

    return numpy, onnxruntime


def _session(onnxruntime: Any, data: bytes, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads sleep instead of spinning, which would take cores from the calling program.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Never its own format, whatever the bytes look like: only ONNX was checked.
    options.add_session_config_entry("session.load_model_format", "ONNX")
    options.log_severity_level = _SILENT
    # Graph optimisation takes as long as dozens of translations, and speeds up none.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # The fallback would retry the same provider, and print to standard output.
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"], enable_fallback=0)


def _call(numpy: Any, session: Any) -> Call:
    def call(rows: list[list[int]]) -> tuple[list[int], list[int], list[int]]:
        table = numpy.array(rows, dtype=numpy.int64)
        actions, length, status = session.run(None, {"words": table})
        return actions.tolist(), length.tolist(), status.tolist()

    return call
