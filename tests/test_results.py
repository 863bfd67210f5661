"""The figures in the docs are those of the committed result files."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from lane.experiments.paper.findings import Findings
from lane.experiments.paper.html_page import as_html
from lane.experiments.paper.report import headline, markdown
from lane.experiments.sweep import read_results

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"


def benchmark(name: str):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_have_the_tables_of_the_files():
    page = benchmark("fill_pages")
    for path in (page.PAGE, page.SCALE, page.SECURITY):
        text = path.read_text(encoding="utf-8")
        assert page.filled(text) == text, "fill it by `python benchmarks/fill_pages.py`"


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json*")), ids=lambda path: path.name)
def test_no_result_file_is_left_out(path):
    if path.name != "robot.json":  # the README has it
        page = benchmark("fill_pages")
        place = page.SECURITY if path.stem in page.CAMPAIGN else page.PAGE
        place = page.SCALE if path.stem == "scale" else place
        assert f"<!-- results/{path.name} -->" in place.read_text(encoding="utf-8")


def test_a_changed_figure_changes_the_page():
    page = benchmark("fill_pages")
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text.replace("1", "2")) != text.replace("1", "2")


def test_the_report_is_that_of_the_paper_results():
    docs = ROOT / "docs"
    text = (docs / "results.md").read_text(encoding="utf-8")
    remedy = "write it by `lane-train reproduce --only report --report docs/results.md`"
    assert markdown(Findings.read(RESULTS / "paper"), docs) == text, remedy
    assert (docs / "results.html").read_text(encoding="utf-8") == as_html(text, docs), remedy


def test_the_readme_has_the_figures_of_the_files():
    page = benchmark("fill_pages")
    text = page.README.read_text(encoding="utf-8")
    readme = " ".join(text.split())
    assert headline(Findings.read(RESULTS / "paper")) in readme
    robot = json.loads((RESULTS / "robot.json").read_text(encoding="utf-8"))
    assert robot["converged"]
    assert robot["accuracy"] == {"train": 1.0, "test": 1.0}
    assert "accuracy: train 100.00%, test 100.00%" in readme
    assert f"That takes {robot['seconds']:.0f} seconds on two cores" in readme, "run benchmarks/fill_pages.py"
    assert page.timed(re.sub(r"That takes \d+", "That takes 0", text)) == text


def test_the_javascript_runtime_and_the_page_are_fast():
    path = RESULTS / "javascript.json"
    if not path.exists():
        pytest.skip("not measured yet: make bench-js")
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert figures["commands"] == 20_910
    assert min(figures["ratio"].values()) >= 0.5, "at least half the speed of the plain Python runtime"
    assert figures["page"]["bytes"] < 600_000
    assert figures["page"]["median_ms"] <= 200


PROOFS = read_results(RESULTS / "equivalence.jsonl")


@pytest.mark.parametrize("record", PROOFS, ids=lambda record: record["name"])
def test_all_files_of_a_model_say_the_same(record):
    """To every command, as the page has it."""
    assert record["differences"] == 0
    assert record["groups"]["random"] == 100_000
    compared = {(run["file"], run["batch"], run["threads"]): run["compared"] for run in record["runs"]}
    sizes = ("1", "7", "256", "2048")
    whole = [(kind, size, 1) for kind in ("torchscript", "onnx", "program") for size in sizes]
    whole += [(kind, "2048", 2) for kind in ("torchscript", "onnx")]
    assert {compared[run] for run in whole} == {record["commands"]}
    for kind in ("torchscript", "onnx"):
        assert compared[kind, "4 callers", 1] > record["commands"]
    assert compared["program", "4 callers", 1] == 4 * record["commands"]


def test_a_scan_model_and_ten_languages_were_compared():
    scan, *languages = PROOFS
    assert scan["groups"]["language"] == 20_910
    assert sum(group.endswith(" test") for group in scan["groups"]) == 9
    assert len({record["name"] for record in languages}) == 10
    assert all(record["name"].startswith("language") for record in languages)


def test_nothing_grows_faster_than_quadratic():
    figures = json.loads((RESULTS / "export.json").read_text(encoding="utf-8"))
    for growth in (figures["lengths"], figures["vocabularies"]):
        for kind, values in growth["ms"].items():
            steepest = benchmark("export").steepest(growth["words"], values)
            assert steepest < 2.2, f"{kind} grows faster than quadratic"  # a tenth for the noise of timing


def test_tables_and_growth_of_the_export(tmp_path):
    speed = benchmark("export")
    sizes = [1, 10, 100]
    assert speed.steepest(sizes, [1.0, 10.0, 1000.0]) == pytest.approx(2)
    growth = {"words": sizes, "ms": {"program": [0.5, 1.0, 2.0]}}
    rate = {"wall": 1000.0, "cpu": 2000.0, "times_oracle": 40.0}
    rates = {"program": rate | {"batch_1_ms": 0.25}, "oracle, one at a time": rate}
    figures = {"rates": rates, "lengths": growth, "vocabularies": growth, "bytes": {"program": 204_000}}
    speeds, lengths, _ = speed.tables(figures)
    assert speeds[2] == "| program | 1,000 | 2,000 | 40 | 0.250 | 204 |"
    assert lengths[2] == "| program, ms | 0.500 | 1.000 | 2.000 | n^0.3 |"
    assert len({line.count("|") for line in lengths}) == 1
    speed.plot(figures, tmp_path / "new" / "growth.svg")
    first = (tmp_path / "new" / "growth.svg").read_bytes()
    speed.plot(figures, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == first, "the same figures, the same bytes"
