import importlib.util
import sys
from pathlib import Path

import pytest


def _helper(name):
    """A helper module of this folder, which is no package."""
    full = f"runtime_helper_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[full]


@pytest.fixture(scope="session")
def scan():
    """The hand-written SCAN program and SCAN's grammar."""
    return _helper("scan_program")


@pytest.fixture(scope="session")
def naive():
    """The loop again, written for clarity, and random programs to run it on."""
    return _helper("naive")


@pytest.fixture(scope="session")
def scan_file(scan, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "scan.lane"
    scan.scan_program().save(path)
    return path


@pytest.fixture(scope="session")
def slots():
    """A program with slots of each sort."""
    return _helper("slot_program")


@pytest.fixture(scope="session")
def tiny(naive):
    return naive.tiny_program()
