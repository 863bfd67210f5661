"""The ONNX file: word numbers in, action numbers out, the whole loop inside as ONNX control flow.

torch's exporter refuses or breaks some constructs of TorchScript, so the scripted graph is rewritten first:
no tuples inside loops, correct types, and no LSTM operator.
"""

import io
import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import onnx
import torch

from lane.export.guarded import GuardedModel
from lane.export.metadata import NO_CHECKSUM
from lane.runtime.embedded_card import CARD, checksum_around

OPSET = 17  # of 2022; onnxruntime reads it from 1.12 on

_CELL = "graph(%x, %state, %w_x, %w_h, %b_x, %b_h):"
_LSTM = f"""{_CELL}
    %h : Tensor, %c : Tensor = aten::lstm_cell(%x, %state, %w_x, %w_h, %b_x, %b_h)
    return (%h, %c)
"""
# The same equations in plain operators: onnxruntime has no LSTM in double precision.
_PLAIN = f"""{_CELL}
    %h : Tensor, %c : Tensor = prim::ListUnpack(%state)
    %one : int = prim::Constant[value=1]()
    %four : int = prim::Constant[value=4]()
    %of_x : Tensor = aten::linear(%x, %w_x, %b_x)
    %of_h : Tensor = aten::linear(%h, %w_h, %b_h)
    %gates : Tensor = aten::add(%of_x, %of_h, %one)
    %parts : Tensor[] = aten::chunk(%gates, %four, %one)
    %part_i : Tensor, %part_f : Tensor, %part_g : Tensor, %part_o : Tensor = prim::ListUnpack(%parts)
    %i : Tensor = aten::sigmoid(%part_i)
    %f : Tensor = aten::sigmoid(%part_f)
    %g : Tensor = aten::tanh(%part_g)
    %o : Tensor = aten::sigmoid(%part_o)
    %kept : Tensor = aten::mul(%f, %c)
    %new : Tensor = aten::mul(%i, %g)
    %c_next : Tensor = aten::add(%kept, %new, %one)
    %squashed : Tensor = aten::tanh(%c_next)
    %h_next : Tensor = aten::mul(%o, %squashed)
    return (%h_next, %c_next)
"""


def onnx_file(core: GuardedModel, metadata: dict[str, Any]) -> bytes:
    """The bytes of the file, checked by onnx, with `metadata` among its properties."""
    model = onnx.load_model_from_string(_exported(core))
    model.producer_name, model.producer_version = "lane", ""
    # Compact and pure ASCII: the place of the checksum is then unique in the file.
    card = json.dumps(metadata, separators=(",", ":"))
    onnx.helper.set_model_props(model, {CARD: card})
    onnx.checker.check_model(model, full_check=True)
    data: bytes = model.SerializeToString(deterministic=True)
    return data.replace(NO_CHECKSUM.encode(), checksum_around(data, NO_CHECKSUM).encode(), 1)


def _exported(core: GuardedModel) -> bytes:
    target = io.BytesIO()
    example = torch.tensor([[1, 1, 1], [1, 0, 0]])
    with _quiet():
        scripted = torch.jit.freeze(torch.jit.script(core.eval()))
        _prepare(scripted.graph)
        torch.onnx.export(
            scripted,
            (example,),
            target,  # type: ignore[arg-type]  # a stream is taken too
            dynamo=False,
            opset_version=OPSET,
            input_names=["words"],
            output_names=["actions", "length", "status"],
            dynamic_axes={
                "words": {0: "batch", 1: "length"},
                "actions": {0: "total"},
                "length": {0: "batch"},
                "status": {0: "batch"},
            },
        )
    return target.getvalue()


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence warnings: all are about shapes that are dynamic on purpose or TorchScript's deprecation."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _prepare(graph: torch.Graph) -> None:
    torch._C._jit_pass_inline(graph)
    torch._C._jit_pass_lower_all_tuples(graph)
    _mend_types(graph)
    torch._C._jit_pass_custom_pattern_based_rewrite_graph(_LSTM, _PLAIN, graph)
    # A method must return one value: build again the tuple that was just lowered.
    outputs = list(graph.outputs())
    together = graph.create("prim::TupleConstruct", outputs, 1)
    graph.appendNode(together)
    together.output().setType(torch._C.TupleType([value.type() for value in outputs]))
    for _ in outputs:
        graph.eraseOutput(0)
    graph.registerOutput(together.output())


def _mend_types(block: Any) -> None:
    """Correct the types: lowering tuples makes tensors of the integers that loops and branches carry."""
    for node in block.nodes():
        inner = list(node.blocks())
        if node.kind() == "prim::Loop":
            given, carried, made = list(node.inputs())[2:], list(inner[0].inputs())[1:], list(node.outputs())
            for source, inside, outside in zip(given, carried, made, strict=True):
                if isinstance(source.type(), torch.IntType):
                    inside.setType(source.type())
                    outside.setType(source.type())
        for part in inner:
            _mend_types(part)
        if node.kind() == "prim::If":
            for source, outside in zip(inner[0].outputs(), node.outputs(), strict=True):
                if isinstance(source.type(), torch.IntType):
                    outside.setType(source.type())
