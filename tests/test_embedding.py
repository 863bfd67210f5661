"""The page about embedding: its Python runs as it stands, and its names exist."""

import re
import subprocess
import sys
from pathlib import Path

from lane.runtime import errors
from lane.runtime.translator import BACKENDS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")


def test_the_snippets_run_one_after_the_other(tmp_path):
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 9
    code = "\n".join(snippets)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 0, done.stderr
    # A comment behind a print is what it prints.
    for said in re.findall(r"print\(.*\)  # (.+)", code):
        assert said in done.stdout.splitlines()


def test_codes_and_backends_are_all_there():
    assert set(re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)) >= set(errors.CODES)
    for backend in BACKENDS[1:]:
        assert f'"{backend}"' in PAGE


def test_links_lead_somewhere():
    anchors = {line.lstrip("# ").lower().replace(" ", "-") for line in PAGE.splitlines() if line[:1] == "#"}
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        path, _, anchor = target.partition("#")
        assert (ROOT / "docs" / path).exists() if path else anchor in anchors, target


def test_the_cpp_on_the_page_is_that_of_the_example():
    example = (ROOT / "examples" / "cpp" / "translate.cpp").read_text()
    (snippet,) = re.findall(r"```cpp\n(.*?)```", PAGE, re.DOTALL)
    calls = re.findall(
        r"c10::InferenceMode \w+|model\.forward\(.*?\)\.toTuple\(\)|elements\(\)\[\d\]\.\w+", snippet
    )
    assert len(calls) == 4
    assert all(call in example for call in calls)
