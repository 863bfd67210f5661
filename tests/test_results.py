"""The tables in the docs are those of the committed result files."""

from pathlib import Path

import pytest

from lane.trainer.sweep import read_results, table

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / "results").glob("*.jsonl")), ids=lambda path: path.name)
def test_the_page_has_the_table_of_the_file(path):
    records = read_results(path)
    assert records
    assert "\n".join(table(records)) in PAGE
    assert f"results/{path.name}" in PAGE
