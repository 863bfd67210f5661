"""The ONNX file by itself; tests/export/test_files.py compares all files with the checkpoint."""

import json
import logging

import onnx
import pytest
import torch

from lane.export.metadata import NO_CHECKSUM, describe
from lane.export.onnx_file import _LSTM, _PLAIN, OPSET, _quiet, onnx_file
from lane.runtime.embedded_card import CARD, checksum_around


def test_the_onnx_file_stands_alone(files):
    model = onnx.load(files["onnx"], load_external_data=False)
    onnx.checker.check_model(model, full_check=True)
    assert {domain.domain for domain in model.opset_import} <= {"", "ai.onnx"}
    dims = [d.dim_param for d in model.graph.input[0].type.tensor_type.shape.dim]
    assert dims == ["batch", "length"]
    assert [output.name for output in model.graph.output] == ["actions", "length", "status"]
    assert not any(t.data_location for t in model.graph.initializer)


def test_it_states_its_operators_and_its_checksum(files, checkpoint):
    data = files["onnx"].read_bytes()
    model = onnx.load_model_from_string(data)
    assert [opset.version for opset in model.opset_import] == [OPSET]
    (card,) = [json.loads(prop.value) for prop in model.metadata_props if prop.key == CARD]
    assert card["words"] == list(checkpoint.source)
    assert card["sha256"] == checksum_around(data, card["sha256"]) != NO_CHECKSUM


def test_no_operator_lacks_double_precision(files):
    """onnxruntime has no LSTM in double precision."""

    def operators(graph):
        for node in graph.node:
            yield node.op_type
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield from operators(attribute.g)

    found = set(operators(onnx.load(files["onnx"]).graph))
    assert "Loop" in found
    assert not found & {"LSTM", "GRU", "RNN"}


def test_the_same_model_gives_the_same_bytes(core, checkpoint):
    metadata = describe(checkpoint, "onnx", None, [], {})
    assert onnx_file(core, metadata) == onnx_file(core, metadata)


@pytest.mark.parametrize("seed", range(3))
def test_the_plain_cell_is_torchs_lstm_cell(seed):
    """Both texts of the rewriting, run as graphs on the same numbers."""
    torch.manual_seed(seed)
    cell = torch.nn.LSTMCell(3, 4).double()
    numbers = torch.rand(2, 3).double(), [torch.rand(2, 4).double(), torch.rand(2, 4).double()]
    weights = cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh
    results = []
    for text in (_LSTM, _PLAIN):
        body, _, returned = text.replace("%state,", "%state : Tensor[],", 1).partition("    return ")
        graph = torch._C.parse_ir(
            f"{body}    %both : (Tensor, Tensor) = prim::TupleConstruct{returned}    return (%both)"
        )
        run = torch._C._create_function_from_graph("cell", graph)
        results.append(run(*numbers, *weights))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-15)


def test_silence_ends_with_the_block_even_after_an_error():
    logger = logging.getLogger("torch.onnx")
    level, levels = logger.level, []

    def fails():
        levels.append(logger.level)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), _quiet():
        fails()
    assert (levels, logger.level) == ([logging.ERROR], level)
