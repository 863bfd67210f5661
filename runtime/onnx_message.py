"""Reads the message of an ONNX file with the standard library alone, and refuses references to other files.

onnxruntime resolves tensors with external data against the working directory: such a file would read local
files, and its checksum would not cover them. No file of lane-export has any, so they are refused wherever
they are, before onnxruntime sees the file.
"""

from array import array
from collections.abc import Iterator

from lane.runtime.model_file import ModelFile

MAX_FIELDS = 1_000_000  # a file of lane-export has some 20,000; each takes about a microsecond here
MAX_PROPERTIES = 1000  # a file of lane-export has one
_BYTES = 2  # the wire type of strings and of messages
_ORT = slice(4, 8), b"ORTM"  # onnxruntime's own format has this mark, and may refer to other files too
_PROPERTY = 14  # of the model

# Where messages hold tensors, at any depth: message -> number of the field -> message in that field.
_INNER = {
    "model": {7: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
_KINDS = tuple(_INNER)
_REFUSED = {
    ("tensor", 13): "external data",
    ("tensor", 14): "external data",  # where the data is; 0 is here
    ("model", 20): "training information",
    ("model", 25): "functions",
    ("node", 7): "operators of another domain",
}
_HARMLESS = {("tensor", 14): (b"\0",), ("node", 7): (b"", b"ai.onnx")}


def properties(file: ModelFile) -> list[tuple[bytes, bytes]]:
    """The metadata properties of an ONNX file, as (name, value); ModelError if it holds refused fields."""
    where, mark = _ORT
    if file.data[where] == mark:
        raise file.error("a model in onnxruntime's own format, which lane-export never writes")
    data, found = file.data, []
    try:
        for kind, number, start, stop in _walk(data):
            if (kind, number) in _REFUSED and data[start:stop] not in _HARMLESS.get((kind, number), ()):
                raise file.error(
                    f"an ONNX file with {_REFUSED[kind, number]}, which lane-export never writes"
                )
            if kind == "model" and number == _PROPERTY:
                parts = {part: data[at:end] for part, _, at, end in _fields(data, start, stop)}
                found.append((parts.get(1, b""), parts.get(2, b"")))
                if len(found) > MAX_PROPERTIES:
                    raise ValueError("more properties than any file of lane-export has")
    except (ValueError, IndexError):
        raise file.error("no file of lane-export, or a truncated ONNX file") from None
    return found


def _walk(data: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Message, number and place of every field that is, or may lead to, a tensor; no recursion."""
    # Three numbers for each message that is still to be read: tuples would take five times as much.
    stack, count = array("q", [_KINDS.index("model"), 0, len(data)]), 0
    while stack:
        end, at, kind = stack.pop(), stack.pop(), _KINDS[stack.pop()]
        inner = _INNER[kind]
        for number, wire_type, start, stop in _fields(data, at, end):
            count += 1
            if count > MAX_FIELDS:
                raise ValueError("more fields than any file of lane-export has")
            yield kind, number, start, stop
            if number in inner and wire_type == _BYTES:
                stack.extend((_KINDS.index(inner[number]), start, stop))


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, wire type and place of the fields of the message there; IndexError where the data ends."""
    while at < end:
        key, at = _varint(data, at)
        wire_type, stop = key & 7, at
        if wire_type == _BYTES:
            size, at = _varint(data, at)
            stop = at + size
        elif wire_type == 0:
            stop = _varint(data, at)[1]
        elif wire_type in (1, 5):
            stop = at + (8 if wire_type == 1 else 4)
        else:
            raise ValueError("groups, which ONNX does not use")
        # Other readers cut a key to 32 bits, and would see another field.
        if stop > end or not 0 < key >> 3 < 2**29:
            raise ValueError("ends in the middle of a field, or has none of that number")
        yield key >> 3, wire_type, at, stop
        at = stop


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = data[at]
    if value < 128:
        return value, at + 1
    value &= 127
    for shift in range(7, 70, 7):
        at += 1
        value |= (data[at] & 127) << shift
        if data[at] < 128:
            return value, at + 1
    raise ValueError("a number of more than ten bytes")
