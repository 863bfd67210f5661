"""The page about the network files: its Python runs as it stands, and its tables are those of the code."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from lane.export.metadata import STATUSES, describe
from lane.models import symbols
from lane.runtime.network_card import VERSION

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")


def cells(pattern: str) -> list[tuple[str, ...]]:
    return re.findall(pattern, PAGE, re.MULTILINE)


def test_the_snippets_run_one_after_the_other(files, tmp_path):
    shutil.copy(files["onnx"], tmp_path / "model.onnx")
    shutil.copy(files["torchscript"], tmp_path / "model.ts")
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 3
    code = "import warnings\nwarnings.simplefilter('ignore', DeprecationWarning)\n" + "\n".join(snippets)
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        capture_output=True,
        cwd=tmp_path,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    # A comment behind a print is what it prints.
    for said in re.findall(r"print\(.*\)  # (.+)", code):
        assert done.stdout.splitlines().count(said) == 2


def test_statuses_and_keys_are_those_of_the_code(checkpoint):
    assert cells(r"^\| (\d) \| `([a-z-]+)` \|") == [
        (str(code), name) for code, name in sorted(STATUSES.items())
    ]
    card = describe(checkpoint, "onnx", None, [], {})
    section = PAGE.partition("## The card")[2].partition("**Checksum.**")[0]
    keys = [
        key for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE) for key in re.findall(r"\w+", row)
    ]
    assert keys == list(card)
    assert f"| `version` | {VERSION};" in PAGE
    assert f"{symbols.CELLS // 1000:,},000 numbers" in PAGE


def test_tensors_are_those_of_the_file(files):
    graph = onnx.load(files["onnx"]).graph
    table = {
        name: re.findall(r"\w+", shape)
        for name, shape in cells(r"^\| `(\w+)`(?: \(input\))? \| `\[(.+)\]` \|")
    }
    for value in (*graph.input, *graph.output):
        tensor = value.type.tensor_type
        assert tensor.elem_type == onnx.TensorProto.INT64
        assert [dim.dim_param for dim in tensor.shape.dim] == table.pop(value.name)
    assert not table
    (opset,) = onnx.load(files["onnx"]).opset_import
    assert f"opset {opset.version} of the standard operators" in PAGE


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (3, 0), (2, 5)])
def test_axes_of_any_size(files, shape):
    import onnxruntime

    words = np.zeros(shape, dtype=np.int64)
    session = onnxruntime.InferenceSession(str(files["onnx"]), providers=["CPUExecutionProvider"])
    module = torch.jit.load(str(files["torchscript"]))
    for result in (session.run(None, {"words": words}), module.translate_ids(torch.from_numpy(words))):
        actions, length, status = (part.tolist() for part in result)
        assert (actions, length, status) == ([], [0] * shape[0], [symbols.EMPTY] * shape[0])


def test_odd_rows_leave_the_others_alone(files):
    import onnxruntime

    words = np.array([[3, 7], [0, 7], [2**62, 1], [-(2**62), 0], [9, 1]], dtype=np.int64)
    session = onnxruntime.InferenceSession(str(files["onnx"]), providers=["CPUExecutionProvider"])
    alone, _, _ = session.run(None, {"words": words[:1]})
    actions, length, status = session.run(None, {"words": words})
    assert status.tolist() == [symbols.OK] + [symbols.UNKNOWN_WORD] * 4
    assert actions.tolist() == alone.tolist()
    assert length.tolist() == [len(alone), 0, 0, 0, 0]


def test_links_and_the_cards_place(files):
    for target in re.findall(r"\]\(([^)#]+)(?:#\w+)?\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
    extra = {"lane.json": ""}
    torch.jit.load(str(files["torchscript"]), _extra_files=extra)
    assert json.loads(extra["lane.json"])["lane"] == "torchscript"
