"""The JavaScript runtime beside plain Python in one run, and the page in Chromium, on an idle machine.

    python benchmarks/javascript.py --json results/javascript.json

Both runtimes translate all of SCAN, fresh and again, alternating; the compiled core of Python is left out.
The page is that of `lane-run page` with the bundled model: its size, and the time from its load to its first
answer.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COMMAND = "jump around left twice and walk"


def measure(folder: Path, count: int = ROUNDS, every: int = 1) -> dict[str, Any]:
    """Commands a second of both runtimes, their ratio, and the page; of the commands each `every`th."""
    commands = [" ".join(pair.source) for pair in scan_pairs()][::every]
    load_before = os.getloadavg()[0]  # by others: the measurement itself adds to it
    given = folder / "commands.json"
    given.write_text(json.dumps(commands))
    model = folder / "scan.lane"
    model.write_bytes(_unpacked())
    runtime = folder / "runtime"
    subprocess.run([JS / "node_modules/.bin/tsc", "-p", JS, "--outDir", runtime], check=True)
    (runtime / "package.json").write_text('{"type": "module"}')
    rounds = []
    for _ in range(count):  # alternating, so that both meet the same machine
        node = json.loads(_node("speed.mjs", runtime / "index.js", model, given))
        rounds.append({"node": node, "python": _python(model, commands)})
    ratios = {
        kind: median(one["node"][kind] / one["python"][kind] for one in rounds) for kind in ("fresh", "again")
    }
    page = folder / "page.html"
    page.write_bytes(as_page(model.read_bytes(), "scan.lane", COMMAND).encode())
    named = [os.environ.get("CHROMIUM", ""), *filter(None, map(shutil.which, BROWSERS))]
    chromium = next(filter(None, named), None)
    if chromium is None:
        sys.exit("Chromium is not installed; $CHROMIUM may name one")
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
        "load_average": load_before,
    }


def table(figures: dict[str, Any]) -> Iterator[str]:
    """Both runtimes and the page."""
    yield "| | commands a second, fresh | again |"
    yield "| --- | --- | --- |"
    for name, label in (
        ("python", f"Python {figures['python']}, plain"),
        ("node", f"Node {figures['node'][1:]}"),
    ):
        speeds = (median(one[name][kind] for one in figures["rounds"]) for kind in ("fresh", "again"))
        yield f"| {label} | {' | '.join(f'{speed:,.0f}' for speed in speeds)} |"
    ratios = (figures["ratio"][kind] for kind in ("fresh", "again"))
    yield f"| the ratio | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |"
    yield ""
    page, times = figures["page"], figures["page"]["first_answer_ms"]
    yield (
        f"The page has {page['bytes'] / 1000:,.0f} kB with the bundled model. In Chromium its first answer "
        f"is there after {page['median_ms']:.0f} ms (median of {len(times)} loads; the slowest "
        f"{max(times):.0f} ms). Load of the machine before: {figures['load_average']:.1f}."
    )


def _unpacked() -> bytes:
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
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of both runtimes ({ROUNDS})")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth command (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options.rounds, options.every)
    text = json.dumps(figures, indent=1) + "\n"
    if options.json:
        options.json.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
