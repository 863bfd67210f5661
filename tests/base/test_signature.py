"""Files in the wrong place are recognised; what users write is not mistaken for them."""

from pathlib import Path

import pytest

from lane.base.signature import foreign


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("program", "a program"), ("torchscript", "a zip archive"), ("onnx", "an ONNX file")],
)
def test_exported_files_are_recognised(exported: dict[str, Path], kind: str, expected: str) -> None:
    assert str(foreign(exported[kind].read_bytes())).startswith(expected)


def test_compressed_files_are_recognised() -> None:
    assert foreign(b"\x1f\x8b\x08\x00") == "compressed with gzip"


@pytest.mark.parametrize(
    "text",
    ["", "jump twice", '{"in": "jump", "out": "JUMP"}', "{number} like look", "PK\tPARK", "\ufeffjump"],
)
def test_text_is_not_foreign(text: str) -> None:
    assert foreign(text.encode()) is None
