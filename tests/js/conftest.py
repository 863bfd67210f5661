"""The JavaScript runtime, built; and a browser to run it in. Both are skipped where they cannot be had."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

JS = Path(__file__).parents[2] / "js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def node():
    """Run a script of js/test with Node; gives what it prints."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed")
    if not (JS / "node_modules").exists():
        pytest.skip("the development tools of js/ are not installed: npm ci --prefix js")

    def call(script, *arguments, **environment):
        command = [program, JS / "test" / script, *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=600, env=os.environ | environment, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return call


@pytest.fixture(scope="session")
def compiler(node):
    """The TypeScript compiler: arguments to its output, which is empty if there is nothing to complain of."""

    def call(*arguments):
        command = [JS / "node_modules" / ".bin" / "tsc", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=JS, check=False).stdout

    return call


@pytest.fixture(scope="session")
def runtime(compiler, tmp_path_factory):
    """index.js, compiled from the present sources."""
    place = tmp_path_factory.mktemp("runtime")
    assert compiler("-p", ".", "--outDir", str(place)) == ""
    (place / "package.json").write_text('{"type": "module"}')
    return place / "index.js"


@pytest.fixture(scope="session")
def chromium():
    """The path of a Chromium."""
    named = [os.environ.get("CHROMIUM", ""), *filter(None, map(shutil.which, BROWSERS))]
    found = next(filter(None, named), None)
    if found is None:
        pytest.skip("Chromium is not installed; $CHROMIUM may name one")
    return found
