"""An ONNX file that reaches beyond itself is refused before onnxruntime sees it."""

import hashlib
import json
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from lane.runtime import ModelError, load, onnx_message
from lane.runtime.model_file import ModelFile
from lane.runtime.onnx_message import properties

SECRET = b"top secret".ljust(16)


@pytest.fixture(scope="module")
def onnx():
    return pytest.importorskip("onnx")


def tensor(onnx, **fields):
    """A tensor whose data is the file `secret` of the working directory."""
    made = onnx.TensorProto(name="stolen", data_type=onnx.TensorProto.UINT8, dims=[len(SECRET)])
    made.data_location = onnx.TensorProto.EXTERNAL
    made.external_data.add(key="location", value="secret")
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def subgraph(onnx, inner):
    """A branch that holds `inner` as an initializer."""
    output = onnx.helper.make_tensor_value_info("stolen", onnx.TensorProto.UINT8, None)
    return onnx.helper.make_graph([], "branch", [], [output], [inner])


def in_initializer(onnx, model):
    model.graph.initializer.append(tensor(onnx))


def in_constant(onnx, model):
    model.graph.node.insert(0, onnx.helper.make_node("Constant", [], ["stolen"], value=tensor(onnx)))


def in_branch_of_a_branch(onnx, model):
    inner = onnx.helper.make_node(
        "If",
        ["yes"],
        ["x"],
        then_branch=subgraph(onnx, tensor(onnx)),
        else_branch=subgraph(onnx, tensor(onnx)),
    )
    outer = onnx.helper.make_graph([inner], "outer", [], [])
    model.graph.node.append(onnx.helper.make_node("If", ["yes"], ["y"], then_branch=outer, else_branch=outer))


def in_list_of_tensors(onnx, model):
    node = onnx.helper.make_node("Strange", [], ["z"])
    node.attribute.add(name="many", type=onnx.AttributeProto.TENSORS).tensors.append(tensor(onnx))
    model.graph.node.append(node)


def in_list_of_graphs(onnx, model):
    node = onnx.helper.make_node("Strange", [], ["z"])
    graphs = node.attribute.add(name="many", type=onnx.AttributeProto.GRAPHS).graphs
    graphs.append(subgraph(onnx, tensor(onnx)))
    model.graph.node.append(node)


def in_sparse_initializer(onnx, model):
    model.graph.sparse_initializer.add().values.CopyFrom(tensor(onnx))


def in_sparse_attribute(onnx, model):
    node = onnx.helper.make_node("Constant", [], ["z"])
    sparse = node.attribute.add(name="sparse_value", type=onnx.AttributeProto.SPARSE_TENSOR).sparse_tensor
    sparse.indices.CopyFrom(tensor(onnx))
    model.graph.node.append(node)


def by_location_alone(onnx, model):
    made = tensor(onnx)
    del made.external_data[:]
    model.graph.initializer.append(made)


def by_keys_alone(onnx, model):
    made = tensor(onnx)
    made.ClearField("data_location")
    model.graph.initializer.append(made)


def in_function(onnx, model):
    function = onnx.helper.make_function("mine", "F", [], ["z"], [], [])
    function.node.append(onnx.helper.make_node("Constant", [], ["z"], value=tensor(onnx)))
    model.functions.append(function)


def in_training(onnx, model):
    model.training_info.add().algorithm.CopyFrom(subgraph(onnx, tensor(onnx)))


def by_foreign_operator(onnx, model):
    model.graph.node.append(onnx.helper.make_node("EPContext", [], ["z"], domain="com.microsoft"))


CASES = {
    in_initializer: "external data",
    in_constant: "external data",
    in_branch_of_a_branch: "external data",
    in_list_of_tensors: "external data",
    in_list_of_graphs: "external data",
    in_sparse_initializer: "external data",
    in_sparse_attribute: "external data",
    by_location_alone: "external data",
    by_keys_alone: "external data",
    in_function: "functions",
    in_training: "training information",
    by_foreign_operator: "operators of another domain",
}


def signed(model):
    """The bytes of a model whose card states the right checksum, as an attacker would write them."""
    (card,) = [entry for entry in model.metadata_props if entry.key == "lane.json"]
    card.value = json.dumps(json.loads(card.value) | {"sha256": "0" * 64})
    return sign(model.SerializeToString())


def sign(data):
    return data.replace(b"0" * 64, hashlib.sha256(data).hexdigest().encode(), 1)


@pytest.fixture
def crafted(exported, onnx, tmp_path, monkeypatch):
    """Writes a changed copy of an exported file; `secret` is in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_bytes(SECRET)

    def write(change):
        model = onnx.load(exported["onnx"], load_external_data=False)
        change(onnx, model)
        (tmp_path / "model.onnx").write_bytes(signed(model))
        return tmp_path / "model.onnx"

    return write


def test_an_unchanged_file_is_opened(crafted):
    assert load(crafted(lambda *_: None)).info.backend == "onnx"


@pytest.mark.parametrize("change", CASES, ids=lambda change: change.__name__)
def test_what_reaches_beyond_the_file_is_refused(crafted, change, monkeypatch):
    path = crafted(change)
    monkeypatch.setattr("lane.runtime.onnx_backend._imports", lambda: pytest.fail("onnxruntime saw it"))
    with pytest.raises(ModelError, match=f"model.onnx: an ONNX file with {CASES[change]}"):
        load(path)


def varint(value, width=0):
    """A number as protobuf spells it, with at least `width` bytes."""
    parts = []
    while value > 127 or len(parts) + 1 < width:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def field(number, content, width=0):
    return varint(number << 3 | 2, width) + varint(len(content)) + content


def read(data):
    return onnx_message.properties(ModelFile("model.onnx", data, False))


EXTERNAL = field(13, field(1, b"location") + field(2, b"secret"))


@pytest.mark.parametrize(
    "data",
    [
        field(7, field(5, EXTERNAL)),
        field(7, b"") + field(7, field(5, EXTERNAL)),  # protobuf merges the two graphs
        field(7, field(5, b"\x70\x01")),
        field(7, field(5, b"\x70\x81\x80\x80\x80\x10")),  # 2**32 + 1, which is cut to 1
        field(7, field(5, field(13, b"", width=3), width=5)),  # keys that are spelled too long
    ],
)
def test_spellings_of_external_data(data):
    with pytest.raises(ModelError, match="external data"):
        read(data)


@pytest.mark.parametrize(
    "data",
    [
        field(7, varint(2**32 | 5 << 3 | 2) + varint(2) + b"\x70\x01"),  # other readers see field 5
        b"\x08",
        b"\x08\x09\x3a",
        b"\x3a\x05abc",
        b"\x0b\x0c",  # a group
        b"\x00\x00",
        b"\xff" * 11,
    ],
)
def test_what_is_no_message(data):
    with pytest.raises(ModelError, match="no file of lane-export, or a truncated"):
        read(data)


def test_properties_and_what_is_harmless():
    data = field(14, field(1, b"name") + field(2, b"value")) + field(7, field(1, field(7, b"ai.onnx")))
    assert read(data + field(7, field(5, b"\x70\x00"))) == [(b"name", b"value")]


def test_the_other_format_of_onnxruntime(monkeypatch):
    with pytest.raises(ModelError, match="onnxruntime's own format"):
        read(b"\x08\x07\x12\x04ORTM")


def test_the_number_of_fields_is_bounded(monkeypatch):
    monkeypatch.setattr(onnx_message, "MAX_FIELDS", 10)
    assert read(b"\x08\x01" * 10) == []
    with pytest.raises(ModelError, match="no file of lane-export"):
        read(b"\x08\x01" * 11)
    nested = b""
    for _ in range(2000):  # deeper than Python's recursion
        nested = field(7, nested)
    monkeypatch.undo()
    assert read(nested) == []


def test_graphs_nested_deeper_than_recursion_reaches():
    inner = field(5, EXTERNAL)
    for _ in range(3000):
        inner = field(1, field(5, field(6, inner)))
    with pytest.raises(ModelError, match="external data"):
        read(field(7, inner))


@pytest.mark.parametrize(
    ("part", "bytes_each"), [(b"\x2a\x00", 30), (b"\x72\x00", 2)], ids=["tensors", "properties"]
)
def test_many_small_fields_take_little_memory(part, bytes_each):
    """Tuples took 150 bytes for each field, and properties were kept whatever their number."""
    count = 200_000
    inner = part * count
    size = bytes([len(inner) & 127 | 128, len(inner) >> 7 & 127 | 128, len(inner) >> 14])
    data = b"\x08\x07" + (inner if part[0] == 0x72 else b"\x3a" + size + inner)
    file = ModelFile(Path("crafted.onnx"), data)
    tracemalloc.start()
    try:
        with suppress(ModelError):
            properties(file)
        assert tracemalloc.get_traced_memory()[1] < 100_000 + bytes_each * count
    finally:
        tracemalloc.stop()
