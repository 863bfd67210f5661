"""Fuzzes every reader and the compiled core with libFuzzer (atheris), guided by coverage.

    python campaign/fuzz.py --minutes 60 --json results/fuzz.json --keep

The Python code counts its branches by atheris, the core by gcc and campaign/coverage.c, with the sanitizers
of addresses and of undefined behaviour. Inputs that reached something new stay under build/fuzz, where the
next run goes on from; `--keep` puts the shortest of them into campaign/corpus. An input that
crashes, or breaks what campaign/readers.py asserts, is left in build/fuzz and ends that reader's run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import readers

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
PLACE = readers.ROOT / "build" / "fuzz"
SOURCE = readers.ROOT / "runtime" / "_core.c"
KEPT = 100  # inputs of the committed corpus of a reader
LARGEST = 20_000  # bytes of an input: enough for every part of every format
SLOWEST = 20  # seconds for one input; more count as a crash
MOST_MEMORY = 2048  # MB, with the sanitizer's own; more count as a crash
_EARLY = 1980, 1, 1, 0, 0, 0  # the date of every file of a corpus: the same inputs give the same bytes


def main() -> int:
    """Fuzz one reader after the other; 1 if any input crashed one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1, help="for all readers together (1)")
    parser.add_argument("--only", choices=readers.READERS, action="append", help="only this reader")
    parser.add_argument("--keep", action="store_true", help="renew the committed corpus")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    names = options.only or list(readers.READERS)
    core = build_core()
    figures = {}
    for name in names:
        figures[name] = fuzz(name, core, options.minutes * 60 / len(names))
        print(f"{name}: {figures[name]}", flush=True)
        if options.keep and not figures[name]["crashes"]:
            keep(name)
    if options.json:
        text = json.dumps({"readers": figures}, indent=1) + "\n"
        options.json.write_text(text, encoding="utf-8")
    crashes = sum(figure["crashes"] for figure in figures.values())
    print(f"{sum(figure['inputs'] for figure in figures.values()):,} inputs, {crashes} crashes")
    return 1 if crashes else 0


def build_core(source: Path = SOURCE) -> Path:
    """The core with sanitizers and counters."""
    PLACE.mkdir(parents=True, exist_ok=True)
    made = PLACE / "_core.so"
    compiler = ["gcc", "-g", "-O1", "-fPIC", f"-I{sysconfig.get_path('include')}", "-c"]
    checks = [
        "-fsanitize=address,undefined",
        "-fsanitize-undefined-trap-on-error",
    ]  # a signal: libFuzzer keeps the input
    counted = [*checks, "-fsanitize-coverage=trace-pc", source, "-o", PLACE / "core.o"]
    subprocess.run([*compiler, *counted], check=True)
    subprocess.run([*compiler, HERE / "coverage.c", "-o", PLACE / "coverage.o"], check=True)
    # Symbolic, so that the counting function is ours and not the empty one of the sanitizer.
    objects = [PLACE / "core.o", PLACE / "coverage.o"]
    subprocess.run(["gcc", "-shared", "-Wl,-Bsymbolic", *checks, *objects, "-o", made], check=True)
    return made


def fuzz(name: str, core: Path, seconds: float) -> dict[str, Any]:
    """Run libFuzzer on a reader; its figures."""
    folder = unpacked(name)
    begin = time.monotonic()
    done = libfuzzer(name, core, [folder, f"-max_total_time={max(1, round(seconds))}"])
    text = done.stderr
    if done.returncode:
        print(text[-4000:], file=sys.stderr)
    return {
        "seconds": round(time.monotonic() - begin),
        "inputs": last(r"^#(\d+)", text),
        "branches": last(r" cov: (\d+)", text),
        "corpus": len(list(folder.iterdir())),
        "peak_mb": last(r" rss: (\d+)Mb", text),
        "crashes": int(done.returncode != 0),
    }


def libfuzzer(name: str, core: Path, arguments: Iterable[object]) -> subprocess.CompletedProcess[str]:
    """Start it; the core with the sanitizers, which hide the counters of Python code from libFuzzer."""
    environment = dict(os.environ)
    command: list[object] = [sys.executable, HERE / "libfuzzer.py", name]
    if name == "core":
        libraries = (
            subprocess.run(
                ["gcc", f"-print-file-name=lib{kind}.so"], capture_output=True, text=True, check=True
            )
            for kind in ("asan", "ubsan")
        )
        environment |= {
            "LD_PRELOAD": " ".join(found.stdout.strip() for found in libraries),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python leaves memory behind at its end
            "PYTHONMALLOC": "malloc",  # so that every string is an allocation that is checked
        }
        command += ["--core", core]
    limits = [f"-max_len={LARGEST}", f"-timeout={SLOWEST}", f"-rss_limit_mb={MOST_MEMORY}"]
    command += [*limits, f"-artifact_prefix={PLACE}/{name}-", *arguments]
    return subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, errors="replace"
    )


def last(pattern: str, text: str) -> int:
    """The last number of this kind in libFuzzer's log."""
    found = re.findall(pattern, text, re.MULTILINE)
    return int(found[-1]) if found else 0


def unpacked(name: str) -> Path:
    """The folder of inputs: seeds, the committed corpus, and what earlier runs found."""
    folder = PLACE / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate([*readers.READERS[name].seeds(), *corpus(name)]):
        (folder / f"seed-{number}").write_bytes(data)
    return folder


def corpus(name: str) -> list[bytes]:
    """The committed inputs of a reader."""
    with zipfile.ZipFile(CORPUS / f"{name}.zip") as archive:
        return [archive.read(entry) for entry in archive.namelist()]


def keep(name: str) -> None:
    """Commit the shortest inputs that reached something new."""
    found = (path.read_bytes() for path in (PLACE / name).iterdir())
    shortest = sorted({*found} - {*readers.READERS[name].seeds()}, key=lambda data: (len(data), data))[:KEPT]
    with zipfile.ZipFile(CORPUS / f"{name}.zip", "w") as archive:
        for number, data in enumerate(shortest):
            archive.writestr(zipfile.ZipInfo(f"{number:04}", _EARLY), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    sys.exit(main())
