"""The page about clusters: its recipe for Spark runs as it stands, and its links lead somewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lane.runtime import BatchMapper

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def test_the_recipe_for_spark_runs(tmp_path):
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    commands = ["jump twice", "wolk", "", "turn left and run"] * 50
    (tmp_path / "commands.txt").write_text("".join(f"{command}\n" for command in commands))
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    submit = "--master local[2] --driver-memory 512m --conf spark.ui.enabled=false pyspark-shell"
    places = {"PYSPARK_SUBMIT_ARGS": submit, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = parquet.read_table(tmp_path / "answers").to_pydict()
    assert rows == BatchMapper(column="value")({"value": commands})


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
