"""The examples of embedding, run as a reader would run them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

EXAMPLES = Path(__file__).parents[2] / "examples"
LINES = "jump twice\n\njump nowhere\ngröße and walk left\n"


@pytest.fixture(scope="module")
def wanted(files) -> list[str]:
    from lane.runtime import load

    return [answer.text for answer in load(files["program"]).translate_batch(LINES.splitlines())]


@pytest.mark.parametrize("kind", ["torchscript", "onnx", "program"])
def test_python(files, wanted, kind):
    script = EXAMPLES / "python" / f"with_{kind}.py"
    command = [sys.executable, str(script), str(files[kind])]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    done = subprocess.run(command, input=LINES, capture_output=True, text=True, check=True, env=environment)
    first, empty, unknown, last = done.stdout.splitlines()
    assert [first, last] == [wanted[0], wanted[3]]
    assert (empty, unknown) == ("<error:empty>", "<error:unknown-word>")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cmake") or not shutil.which("c++"), reason="needs cmake and a compiler")
def test_cpp(files, wanted, tmp_path):
    prefix = f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"
    source = str(EXAMPLES / "cpp")
    subprocess.run(["cmake", "-S", source, "-B", str(tmp_path), prefix], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", str(tmp_path)], check=True, capture_output=True)
    program = str(tmp_path / "translate")
    done = subprocess.run(
        [program, str(files["torchscript"])], input=LINES.encode(), capture_output=True, check=False
    )
    first, empty, unknown, last = done.stdout.decode().splitlines()
    assert [first, last] == [wanted[0], wanted[3]]
    assert (empty, unknown) == ("<error: status 2>", "<error: status 3>")
    assert done.returncode == 1
    broken = subprocess.run([program, str(files["checkpoint"])], input=b"", capture_output=True, check=False)
    assert broken.returncode == 1
    assert b"error: " in broken.stderr
    assert b"frame #" not in broken.stderr
