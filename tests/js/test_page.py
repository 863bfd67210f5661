"""The page to play with: up to date, and clicked through in a real Chromium."""

import gzip
import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BEGIN = "jump around left twice and walk"


def test_the_page_is_built_from_the_present_sources(compiler, tmp_path):
    assert compiler("-p", "tsconfig.page.json") == ""
    built = tmp_path / "page.html.gz"
    subprocess.run(["node", ROOT / "js" / "page" / "build.mjs", built], check=True)
    # Uncompressed: releases of zlib differ.
    committed = gzip.decompress((ROOT / "runtime" / "bundled" / "page.html.gz").read_bytes())
    assert gzip.decompress(built.read_bytes()) == committed, "make page builds it again"


def helper(path):
    spec = importlib.util.spec_from_file_location("page_helper", ROOT / "tests" / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_user_clicks_through_the_page(node, chromium, tmp_path):
    page = tmp_path / "scan.html"
    command = [sys.executable, "-m", "lane.cli.run", "page", "--command", BEGIN]
    with page.open("wb") as out:
        subprocess.run(command, stdout=out, check=True)
    assert page.stat().st_size < 600_000
    other = ROOT / "tests" / "runtime" / "golden" / "tiny.lane"
    slots = tmp_path / "slots.lane"
    helper("runtime/slot_program.py").program().save(slots)
    given, rooms = tmp_path / "given.html", tmp_path / "rooms.txt"
    rooms.write_text('Ann\'s "room"\n<b>\nblau  grün\nhall\n', encoding="utf-8")
    lists = ["-m", str(slots), "--list", f"room={rooms}", "--command", "play blau grün"]
    with given.open("wb") as out:
        done = subprocess.run(
            [*command[:4], *lists], stdout=out, stderr=subprocess.PIPE, text=True, check=True
        )
    assert "'hall' will never be heard" in done.stderr
    node("page.mjs", page, other, "dax kiki lug", "BLUE RED", slots, given, tmp_path, CHROMIUM=chromium)
    assert (tmp_path / "slots.png").exists()
    assert {path.stem for path in tmp_path.glob("*.png")} >= {"desktop", "dark", "phone", "phone-refused"}
