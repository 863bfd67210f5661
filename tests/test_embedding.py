"""The page about embedding: its Python runs as it stands, its names exist, and its web service serves."""

import http.client
import json
import re
import select
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from lane.runtime import errors
from lane.runtime.translator import BACKENDS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
SERVICE = ROOT / "examples" / "web" / "service.py"


def test_the_snippets_run_one_after_the_other(tmp_path):
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 8
    code = "\n".join(snippets)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 0, done.stderr
    # A comment behind a print is what it prints.
    for said in re.findall(r"print\(.*\)  # (.+)", code):
        assert said in done.stdout.splitlines()


def test_codes_and_backends_are_all_there():
    assert set(re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)) >= set(errors.CODES)
    for backend in BACKENDS[1:]:
        assert f'"{backend}"' in PAGE


def test_links_lead_somewhere():
    anchors = {line.lstrip("# ").lower().replace(" ", "-") for line in PAGE.splitlines() if line[:1] == "#"}
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        path, _, anchor = target.partition("#")
        assert (ROOT / "docs" / path).exists() if path else anchor in anchors, target


def test_the_cpp_on_the_page_is_that_of_the_example():
    example = (ROOT / "examples" / "cpp" / "translate.cpp").read_text()
    (snippet,) = re.findall(r"```cpp\n(.*?)```", PAGE, re.DOTALL)
    calls = re.findall(
        r"c10::InferenceMode \w+|model\.forward\(.*?\)\.toTuple\(\)|elements\(\)\[\d\]\.\w+", snippet
    )
    assert len(calls) == 4
    assert all(call in example for call in calls)


@pytest.fixture(scope="module")
def port():
    yield from serve()


@pytest.fixture(scope="module")
def lenient_port():
    yield from serve("--lenient")


def serve(*options):
    with subprocess.Popen(
        [sys.executable, str(SERVICE), "--port", "0", *options],
        stdout=subprocess.PIPE,
        text=True,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.terminate()


def ask(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def translate(port, content):
    return ask(port, "POST", "/translate", json.dumps(content))


def test_the_service_translates(port):
    status, answer = translate(port, {"commands": ["jump twice", "Jump", "", "\ud800"]})
    assert status == 200
    first, second, empty, odd = answer["translations"]
    assert first == {"text": "I_JUMP I_JUMP", "actions": ["I_JUMP", "I_JUMP"]}
    assert second["error"]["nearest"] == "jump"
    assert (empty["error"]["code"], odd["error"]["code"]) == ("empty", "unknown-word")
    assert translate(port, {"commands": []}) == (200, {"translations": []})


def test_the_service_is_healthy(port):
    status, answer = ask(port, "GET", "/health")
    assert (status, answer["status"], answer["backend"]) == (200, "ok", "program")


def test_the_service_answers_many_at_a_time(port):
    lengths = {"run": 1, "run twice": 2, "run around left": 8, "run around left twice": 16}
    commands = list(lengths) * 50
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda command: translate(port, {"commands": [command]}), commands))
    for command, (status, answer) in zip(commands, answers, strict=True):
        assert (status, len(answer["translations"][0]["actions"])) == (200, lengths[command])


def test_the_service_refuses_what_was_never_learned_unless_it_is_lenient(port, lenient_port):
    nonsense = {"commands": ["and and and"]}
    refused, translated = (translate(any_port, nonsense)[1] for any_port in (port, lenient_port))
    assert refused["translations"][0]["error"]["code"] == "not-learned"
    assert translated["translations"][0]["actions"]


def test_the_answers_to_a_request_are_bounded(lenient_port):
    assert translate(lenient_port, {"commands": ["jump" + " twice" * 16] * 100})[0] == 413


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ({"commands": "jump"}, 400),
        ({"commands": [1]}, 400),
        (["jump"], 400),
        (None, 400),
        ({"commands": ["jump"] * 1001}, 413),
    ],
)
def test_the_service_refuses_what_it_does_not_take(port, content, status):
    answer = translate(port, content)
    assert answer[0] == status
    assert answer[1]["error"]


def test_the_service_refuses_other_requests(port):
    assert ask(port, "POST", "/translate", b"{")[0] == 400
    assert ask(port, "POST", "/translate", b"[" * 100_000)[0] == 400
    assert ask(port, "POST", "/other", b"{}")[0] == 404
    assert ask(port, "GET", "/translate")[0] == 404
    for length, status in (("9" * 5000, 413), (str(2**20 + 1), 413), ("-1", 411), ("many", 411)):
        assert ask(port, "POST", "/translate", b"", {"Content-Length": length})[0] == status
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"nonsense\r\n\r\n")
        assert client.recv(100)
    assert ask(port, "GET", "/health")[0] == 200


def raw(port, data):
    """The status of the answer to these bytes, and whether the connection is closed behind it."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(data)
        answer = b""
        while part := client.recv(65536):
            answer += part
    return int(answer.split()[1]), answer.count(b"HTTP/1.1 ")


BODY = b'{"commands": ["run"]}'
SECOND = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        b"GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
        b"POST /translate HTTP/1.1\r\nContent-Length: 21\r\nContent-Length: 0\r\n\r\n" + BODY + SECOND,
        b"POST /translate HTTP/1.1\r\nContent-Length: 21\r\nContent-Length: 21\r\n\r\n" + BODY + SECOND,
        b"POST /translate HTTP/1.1\r\nContent-Length: 21\r\nTransfer-Encoding: chunked\r\n\r\n" + BODY,
        # Two lengths, of which the first is 0; headers at which Python's parser gives up, before the length.
        b"GET /health HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        b"GET /health HTTP/1.1\r\nA : b\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        b"GET /health HTTP/1.1\r\nContent-Length : %d\r\n\r\n" % len(SECOND) + SECOND,
        b"GET /health HTTP/1.1\r\nA: b\r\n\x00\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        b"POST /translate HTTP/1.1\r\nContent-Length: 21\r\nA : b\r\nTransfer-Encoding: chunked\r\n\r\n"
        + BODY,
    ],
)
def test_the_service_refuses_ambiguous_framing(port, request_):
    """One answer, then the connection is closed: no second request is read out of a body."""
    assert raw(port, request_) == (400, 1)


def test_the_service_has_a_deadline_for_a_whole_request():
    """Byte by byte, each well within any timeout of its own."""
    script = (
        "import importlib.util as u; s = u.spec_from_file_location('service', __import__('sys').argv.pop(1));"
        "m = u.module_from_spec(s); s.loader.exec_module(m); m.DEADLINE = 1.0; m.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(SERVICE), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        port = int(process.stdout.readline().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(b"POST /translate HTTP/1.1\r\nContent-Length: 100000\r\n\r\n")
            sent = 0
            with suppress(ConnectionError):
                while sent < 100_000:
                    client.sendall(b"x")
                    sent += 1
                    if select.select([client], [], [], 0.05)[0] and not client.recv(1000):
                        break
        assert sent < 100_000
        # Clients that leave, in the middle of a request or of an answer, leave no traceback either.
        for data in (b"POST /translate HTTP/1.1\r\nContent-Length: 50\r\n\r\n{", SECOND):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(data)
        assert ask(port, "GET", "/health")[0] == 200
        process.terminate()
        assert "Traceback" not in process.stderr.read()


def test_the_service_says_what_is_wrong_with_a_model(tmp_path):
    done = subprocess.run(
        [sys.executable, str(SERVICE), "--model", str(tmp_path / "none")], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (1, f"error: {tmp_path / 'none'}: No such file or directory\n")
