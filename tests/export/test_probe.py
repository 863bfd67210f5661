"""The process that answers with an exported file."""

import json
import subprocess
import sys
from hashlib import sha256

import pytest

from lane.base.errors import LaneError
from lane.export.probe import LONGEST, open_file, shortened


@pytest.mark.parametrize("kind", ["torchscript", "onnx", "program"])
def test_batches_on_standard_input_are_answered_in_order(files, kind):
    batches = [["jump twice", "", "jump nowhere"], [], ["run"]]
    done = subprocess.run(
        [sys.executable, "-m", "lane.export.probe", str(files[kind]), "1"],
        input=json.dumps(batches), capture_output=True, text=True, check=True,
    )  # fmt: skip
    translate = open_file(files[kind])
    answers = [[tuple(answer) for answer in batch] for batch in json.loads(done.stdout)]
    assert answers == [[shortened(answer) for answer in translate(batch)] for batch in batches]
    assert [code for code, _ in answers[0]] == ["ok", "empty", "unknown-word"]


def test_a_checkpoint_is_not_an_exported_file(files):
    with pytest.raises(LaneError, match="a checkpoint is not an exported file"):
        open_file(files["checkpoint"])


def test_long_answers_keep_their_length_and_checksum():
    short, long = ("ok", "A" * LONGEST), ("ok", "A" * LONGEST + "B")
    assert shortened(short) == short
    code, text = shortened(long)
    assert (code, text[:LONGEST]) == ("ok", "A" * LONGEST)
    assert f"{LONGEST + 1} characters" in text
    assert sha256(long[1].encode()).hexdigest() in text
    assert shortened(("ok", "A" * LONGEST + "C")) != shortened(long)
