"""The extras of pyproject.toml. In a checkout, `train` takes the trainer from its folder here."""

import os
import sys
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
CONTENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TRAINER = "lane-expressions-train"

# What is published may name no folder: a source distribution (which has a PKG-INFO), and wheels of a release.
is_published = (ROOT / "PKG-INFO").exists() or "sdist" in sys.argv or "LANE_RELEASE" in os.environ
place = f"=={CONTENT['project']['version']}" if is_published else f" @ {(ROOT / 'trainer').as_uri()}"
extras = CONTENT["tool"]["lane"]["extras"]
setup(
    extras_require={
        name: [f"{TRAINER}{place}" if each == TRAINER else each for each in extra]
        for name, extra in extras.items()
    }
)
