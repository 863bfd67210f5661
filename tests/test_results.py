"""The tables in the docs are those of the committed result files."""

import importlib.util
import json
from pathlib import Path

import pytest

from lane.trainer.sweep import read_results, table

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
SWEEPS = [path for path in sorted((ROOT / "results").glob("*.jsonl")) if path.stem != "equivalence"]


def benchmark(name: str):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(path: Path, lines) -> None:
    assert "\n".join(lines) in PAGE, f"docs/results.md has another table than that of {path.name}"
    assert f"results/{path.name}" in PAGE


def given(name: str) -> Path:
    path = ROOT / "results" / name
    if not path.exists():
        assert f"results/{name}" not in PAGE, f"docs/results.md names {name}, which is not there"
        pytest.skip(f"no results/{name} yet")
    return path


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.name)
def test_the_page_has_the_table_of_the_file(path):
    records = read_results(path)
    assert records
    check(path, table(records))


def test_the_page_has_the_table_of_the_equivalence():
    path = given("equivalence.jsonl")
    records = read_results(path)
    assert records
    assert all(record["differences"] == 0 for record in records)
    check(path, benchmark("equivalence").table(records))


def test_the_page_has_the_tables_of_the_export():
    path = given("export.json")
    figures = json.loads(path.read_text(encoding="utf-8"))
    speed = benchmark("export")
    for lines in speed.tables(figures):
        check(path, lines)
    for growth in (figures["lengths"], figures["vocabularies"]):
        for kind, values in growth["ms"].items():
            assert speed.steepest(growth["words"], values) < 2.2, f"{kind} grows faster than quadratic"


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
