"""Small models that say which one they are, and a service as a process of its own."""

import http.client
import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from lane.runtime import Limits, Program
from lane.service import Application, ModelStore


def program(value):
    """`hi` and `bye`, answered with the value; and `long`, which takes 10 actions."""
    rules = [
        (("hi",), (f"HI_{value}",), 0),
        (("bye",), (f"BYE_{value}",), 0),
        (("long",), ("LONG",) * 10, 0),
    ]
    words = dict.fromkeys(["hi", "bye", "long"], True)
    return Program.build(words=words, nodes=[], rules=rules, limits=Limits(10, 10), complete=False)


@pytest.fixture
def save(tmp_path):
    """Puts a model of this value in place of a file; gives its path."""

    def write(value, name="model.lane"):
        program(value).save(tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def told():
    """What a store has told."""
    return []


@pytest.fixture
def store(save, told):
    """Two models, `model` and `other`, whose files are not watched."""
    return ModelStore({"model": save("a"), "other": save("b", "other.lane")}, told.append)


@pytest.fixture
def application(store):
    return Application(store)


class Service:
    """A service that runs, and questions to it."""

    def __init__(self, process, port):
        self.process = process
        self.port = port

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            content = response.read()
            return response.status, json.loads(content) if content.startswith(b"{") else content
        finally:
            connection.close()

    def translate(self, content, path="/translate"):
        return self.ask("POST", path, json.dumps(content))


@contextmanager
def serving(*arguments, change="pass"):
    """`lane-run serve` on any free port, after a line of Python that changes it."""
    pytest.importorskip("uvicorn")
    script = f"import sys; from lane.cli.run import main; {change}; sys.exit(main())"
    command = [sys.executable, "-c", script, "serve", "--port", "0", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True) as process:
        try:
            yield Service(process, int(process.stdout.readline().rpartition(":")[2]))
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def start():
    return serving


@pytest.fixture(scope="session")
def service():
    """The bundled model."""
    with serving() as running:
        yield running
