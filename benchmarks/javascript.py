"""The JavaScript runtime beside plain Python in one run, and the page in Chromium, on an idle machine.

    python benchmarks/javascript.py --json results/javascript.json

Both runtimes translate all of SCAN, fresh and again, alternating; the compiled core of Python is left out.
The page is that of `lane-run page` with the bundled model: its size, and the time from its load to its first
answer.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

from lane.data.scan import scan_pairs
from lane.runtime import load, program_backend
from lane.runtime.model_file import BUNDLED
from lane.runtime.page import as_page

ROOT = Path(__file__).parents[1]
JS = ROOT / "js"
ROUNDS = 7
COMMAND = "jump around left twice and walk"


def measure(folder: Path) -> dict[str, Any]:
    """Commands a second of both runtimes, their ratio, and the page."""
    commands = [" ".join(pair.source) for pair in scan_pairs()]
    given = folder / "commands.json"
    given.write_text(json.dumps(commands))
    model = folder / "scan.lane"
    model.write_bytes(_unpacked())
    runtime = folder / "runtime"
    subprocess.run([JS / "node_modules/.bin/tsc", "-p", JS, "--outDir", runtime], check=True)
    (runtime / "package.json").write_text('{"type": "module"}')
    rounds = []
    for _ in range(ROUNDS):  # alternating, so that both meet the same machine
        node = json.loads(_node("speed.mjs", runtime / "index.js", model, given))
        rounds.append({"node": node, "python": _python(model, commands)})
    ratios = {
        kind: median(one["node"][kind] / one["python"][kind] for one in rounds) for kind in ("fresh", "again")
    }
    page = folder / "page.html"
    page.write_bytes(as_page(model.read_bytes(), "scan.lane", COMMAND).encode())
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""
    times = json.loads(_node("first.mjs", page, CHROMIUM=chromium))
    return {
        "commands": len(commands),
        "rounds": rounds,
        "ratio": ratios,
        "page": {"bytes": page.stat().st_size, "first_answer_ms": times, "median_ms": median(times)},
        "node": subprocess.run(
            ["node", "--version"], capture_output=True, text=True, check=True
        ).stdout.strip(),
        "python": sys.version.split()[0],
        "load_average": os.getloadavg()[0],
    }


def _unpacked() -> bytes:
    import gzip

    return gzip.decompress(BUNDLED.read_bytes())


def _python(model: Path, commands: list[str]) -> dict[str, float]:
    """Commands a second of the plain runtime, one by one, fresh and again."""
    with mock.patch.object(program_backend, "_core", None):
        translator = load(model)
    speeds = {}
    for kind in ("fresh", "again"):
        begin = time.perf_counter()
        for command in commands:
            translator.translate(command)
        speeds[kind] = len(commands) / (time.perf_counter() - begin)
    return speeds


def _node(script: str, *arguments: Path, **environment: str) -> str:
    command = ["node", JS / "test" / script, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | environment
    ).stdout


def main() -> None:
    """Measure, print and perhaps write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder))
    text = json.dumps(figures, indent=1) + "\n"
    if options.json:
        options.json.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
