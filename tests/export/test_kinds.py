"""Formats by name or suffix."""

import pytest

from lane.base.errors import LaneError
from lane.export.kinds import EXPORTED, SUFFIXES, checked_formats


@pytest.mark.parametrize(
    ("names", "formats"),
    [
        (["program"], ("program",)),
        (["lane"], ("program",)),
        ([" .ts ", "onnx", ""], ("torchscript", "onnx")),
        (["lane", "program", ".lane"], ("program",)),
        (EXPORTED, EXPORTED),
        (SUFFIXES.values(), EXPORTED),
    ],
)
def test_each_is_taken_once_in_the_order_given(names, formats):
    assert checked_formats(names) == formats


@pytest.mark.parametrize(
    ("names", "message"), [(["flac"], "'flac' is not a format"), ([" "], "no format is named")]
)
def test_what_is_no_format_gets_the_list(names, message):
    with pytest.raises(LaneError, match=f"{message}; there are program, onnx, torchscript"):
        checked_formats(names)
