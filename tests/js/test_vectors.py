"""The JavaScript runtime says what the Python runtime says, in Node, in a page and in a worker."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

LINES = int(os.environ.get("LANE_VECTOR_LINES", "4000"))  # make test-js: 100,000


@pytest.fixture(scope="session")
def vectors(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("js_vectors", Path(__file__).with_name("vectors.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.make(LINES, LINES // 4)
    assert sum(len(model["lines"]) for model in made["models"]) > 20_910 + 0.9 * LINES  # all of SCAN first
    codes = {answer[1]["code"] for model in made["models"] for answer in model["answers"] if answer[0] == ""}
    assert codes >= {
        "empty",
        "unknown-word",
        "too-many-words",
        "too-many-actions",
        "beyond-model",
        "not-learned",
        "text-too-long",
    }
    spoken = [model for model in made["models"] if model["slots"]]
    filled = [slot["name"] for model in spoken for slots in model["slots"] for slot in slots]
    assert {"number", "room", "artist", "text"} <= set(filled)
    path = tmp_path_factory.mktemp("vectors") / "vectors.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def test_node_agrees(node, runtime, vectors):
    found = json.loads(node("node.mjs", runtime, vectors))
    assert found["differences"] == []
    assert found["compared"] > 20_910 + LINES


def test_chromium_agrees_in_a_page_and_in_a_worker(node, runtime, vectors, chromium):
    results = json.loads(node("chromium.mjs", runtime, vectors, CHROMIUM=chromium))
    for found in (results["page"], results["worker"]):
        assert found["differences"] == []
        assert found["compared"] > 20_910 + LINES


def test_the_comparison_sees_a_difference(node, runtime, vectors, tmp_path):
    made = json.loads(vectors.read_text(encoding="utf-8"))
    del made["models"][1:], made["files"][1:]
    model = made["models"][0]
    made["files"][0]["error"] += "."
    model["answers"][0] = ["I_SWIM"]
    model["explained"][0]["tree"] += " "
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    assert len(json.loads(node("node.mjs", runtime, path))["differences"]) == 3
