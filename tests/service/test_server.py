"""`lane-run serve` as a process: framing, deadlines, limits, reload and end."""

import http.client
import json
import select
import signal
import socket
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from lane.runtime import Program
from lane.runtime.extension import NewWord, grow
from lane.service.application import MAX_BODY_BYTES

server = pytest.importorskip("lane.service.server", exc_type=ModuleNotFoundError)

BODY = b'{"commands": ["run"]}'
SECOND = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
GET = b"GET /health HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /translate HTTP/1.1\r\nHost: x\r\n"
LENGTH = b"Content-Length: 21\r\n"


def connect(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=60)


def accepts(service):
    """Whether it takes another connection."""
    try:
        connect(service).close()
    except ConnectionError:
        return False
    return True


def read(client):
    """All that comes until the other side closes."""
    answer = b""
    with suppress(ConnectionError):
        while part := client.recv(65536):
            answer += part
    return answer


def raw(service, data):
    """The statuses of the answers to these bytes, after which the connection is closed by the service."""
    with connect(service) as client:
        with suppress(ConnectionError):
            client.sendall(data)
        answer = read(client)
    return [int(part.split()[0]) for part in answer.split(b"HTTP/1.1 ")[1:]]


def test_it_translates_and_says_what_it_is(service):
    status, answer = service.translate({"commands": ["jump twice", "Jump"]})
    assert status == 200
    assert answer["translations"][0] == {"text": "I_JUMP I_JUMP", "actions": ["I_JUMP", "I_JUMP"]}
    assert answer["translations"][1]["error"]["nearest"] == "jump"
    assert service.translate({"command": "run"})[1]["translation"]["text"] == "I_RUN"
    assert service.ask("GET", "/health") == (200, {"status": "ok", "models": 1, "broken": []})
    (card,) = service.ask("GET", "/models")[1]["models"]
    assert (card["name"], card["sha256"]) == ("scan", answer["sha256"])


def test_many_at_a_time(service):
    lengths = {"run": 1, "run twice": 2, "run around left": 8, "run around left twice": 16}
    commands = list(lengths) * 50
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda command: service.translate({"command": command}), commands))
    for command, (status, answer) in zip(commands, answers, strict=True):
        assert (status, len(answer["translation"]["actions"])) == (200, lengths[command])


def test_what_was_never_learned_is_refused_unless_it_is_lenient(service, start):
    nonsense = {"command": "and and and"}
    assert service.translate(nonsense)[1]["translation"]["error"]["code"] == "not-learned"
    with start("--lenient") as lenient:
        assert lenient.translate(nonsense)[1]["translation"]["actions"]
        long = {"commands": ["jump" + " twice" * 16] * 100}
        status, answer = lenient.translate(long)
        assert (status, answer["error"]["code"]) == (413, "answers-too-large")


@pytest.mark.parametrize(
    "request_",
    [
        GET + b"Content-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        GET + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        GET + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
        GET + b"A : b\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        GET + b"Content-Length : %d\r\n\r\n" % len(SECOND) + SECOND,
        GET + b"A: b\r\n\x00\r\nContent-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
        POST + LENGTH + b"Content-Length: 0\r\n\r\n" + BODY + SECOND,
        POST + LENGTH + LENGTH + b"\r\n" + BODY + SECOND,
        POST + b"Content-Length: 21, 21\r\n\r\n" + BODY + SECOND,
        POST + b"Content-Length: +21\r\n\r\n" + BODY + SECOND,
        POST + b"Content-Length: 2_1\r\n\r\n" + BODY + SECOND,
        POST + b"Content-Length: -1\r\n\r\n" + BODY + SECOND,
        POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + BODY + SECOND,
        POST + LENGTH + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
        POST + b"Transfer-Encoding: chunked\r\n" + LENGTH + b"\r\n0\r\n\r\n" + SECOND,
        POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
        POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + SECOND,
        POST + b"Transfer-Encoding: \x0bchunked\r\n" + LENGTH + b"\r\n" + BODY + SECOND,
        POST + b"A: b\r\n Content-Length: 3\r\n" + LENGTH + b"\r\n" + BODY + SECOND,
        POST + b"A: b\rContent-Length: 0\r\n" + LENGTH + b"\r\n" + BODY + SECOND,
        POST + b"A: \x00b\r\n" + LENGTH + b"\r\n" + BODY + SECOND,
        POST.replace(b"\r\n", b"\n") + b"Content-Length: 21\n\n" + BODY + SECOND,
        b"POST /translate HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
        b"nonsense\r\n\r\n",
    ],
    ids=repr,
)
def test_ambiguous_framing_is_refused(service, request_):
    """One answer, then the connection is closed: no second request is read out of a body."""
    assert raw(service, request_) == [400]


def test_other_requests_are_refused_by_a_code(service):
    too_long = service.ask("POST", "/translate", b"", {"Content-Length": str(MAX_BODY_BYTES + 1)})
    assert (too_long[0], too_long[1]["error"]["code"]) == (413, "request-too-large")
    assert service.ask("PUT", "/translate", b"{}")[1]["error"]["code"] == "wrong-method"
    assert service.ask("GET", "/models/scam")[1]["error"]["code"] == "unknown-model"
    assert raw(service, POST + b"\r\n" + SECOND) == [411]


def test_requests_in_a_row_are_answered_in_order(service):
    """A pipeline: three requests before the first answer is read."""
    commands = [b"run", b"run twice", b"run thrice"]
    bodies = [b'{"command": "%s"}' % command for command in commands]
    data = b"".join(POST + b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies)
    with connect(service) as client:
        client.sendall(data + GET + b"Connection: close\r\n\r\n")
        answers = [part.partition(b"\r\n\r\n")[2] for part in read(client).split(b"HTTP/1.1 ")[1:]]
    texts = [json.loads(answer)["translation"]["text"] for answer in answers[:3]]
    assert texts == ["I_RUN", "I_RUN I_RUN", "I_RUN I_RUN I_RUN"]
    assert json.loads(answers[3])["status"] == "ok"


@pytest.mark.parametrize(
    "request_",
    [
        POST + b"A: " + b"x" * 2**22 + b"\r\n" + LENGTH + b"\r\n" + BODY,
        POST + b"A: x\r\n" * 700_000 + LENGTH + b"\r\n" + BODY,
        b"POST /" + b"x" * 2**22 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\r\n" * 2**21 + SECOND,
    ],
    ids=["header", "headers", "line", "empty lines"],
)
def test_a_huge_head_is_refused(service, request_):
    """The rest is not read; a client that goes on sending may lose the answer."""
    assert raw(service, request_) in ([400], [])
    assert service.ask("GET", "/health")[0] == 200


def test_a_large_body_in_many_parts_is_taken(service):
    """A body of nearly the largest size is no head, and its end may come with another request."""
    command = "run " * 250_000
    body = json.dumps({"command": command}).encode()
    assert MAX_BODY_BYTES - len(body) in range(50_000)
    begin = POST + b"Content-Length: %d\r\n\r\n" % len(body) + body[:-100_000]
    with connect(service) as client:
        client.sendall(begin)
        client.sendall(body[-100_000:] + GET + b"Connection: close\r\n")
        client.sendall(b"\r\n")
        first, second = read(client).split(b"HTTP/1.1 ")[1:]
    assert json.loads(first.partition(b"\r\n\r\n")[2])["translation"]["error"]["code"] == "too-many-words"
    assert second.startswith(b"200")


def test_random_bytes_leave_no_traceback(start):
    """Requests with some bytes changed or lost: each is answered or refused, and none is an error of ours."""
    draw = Random(1)
    seeds = [
        POST + LENGTH + b"\r\n" + BODY,
        GET + b"\r\n" + SECOND,
        POST + b"Transfer-Encoding: chunked\r\n\r\n15\r\n" + BODY + b"\r\n0\r\n\r\n",
        b"GET /models/scan HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\n\r\n",
    ]
    statuses = set()
    with start() as service:
        for number in range(400):
            data = bytearray(seeds[number % len(seeds)])
            for _ in range(draw.randrange(4)):
                at = draw.randrange(len(data))
                data[at : at + draw.randrange(3)] = draw.choice(
                    [b"", b"\r\n", b":", b"\x00", draw.randbytes(2)]
                )
            with connect(service) as client:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                statuses |= {part[:3] for part in read(client).split(b"HTTP/1.1 ")[1:]}
        assert service.ask("GET", "/health")[0] == 200
        service.process.terminate()
        assert service.process.stderr.read() == ""
    assert b"200" in statuses
    assert {status[:1] for status in statuses} == {b"2", b"4"}


SHORT = "import lane.service.server as s; s.DEADLINE = 1.0"


@pytest.mark.parametrize("begin", [b"", b"\r\n", POST + b"A: ", POST + b"Content-Length: 100000\r\n\r\n"])
def test_a_client_has_a_deadline_for_a_whole_request(start, begin):
    """Byte by byte, each well within any timeout of its own; or nothing at all."""
    with start(change=SHORT) as service, connect(service) as client:
        client.sendall(begin)
        ended = False
        with suppress(ConnectionError):
            for _ in range(2000):
                if begin.strip():
                    client.sendall(b"x")
                if ended := bool(select.select([client], [], [], 0.05)[0]) and not client.recv(1000):
                    break
            assert ended
        assert service.ask("GET", "/health")[0] == 200


def test_a_client_has_a_deadline_to_take_its_answer(start):
    """It sends requests and reads nothing: the service waits for it, and then no more."""
    body = json.dumps({"commands": ["jump around left thrice"] * 1000}).encode()
    request = POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with start(change=SHORT) as service, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(60)
        client.connect(("127.0.0.1", service.port))
        with pytest.raises(ConnectionError):
            client.sendall(request * 2000)
        assert service.ask("GET", "/health")[0] == 200


def test_a_slow_answer_has_no_deadline(start):
    """The deadlines are those of the client, not of the models."""
    slow = "import time, lane.service.application as a; t = a._translate; "
    slow += "a._translate = lambda *x: (time.sleep(3), t(*x))[1]"
    with start(change=f"{SHORT}; {slow}") as service:
        assert service.translate({"command": "run"})[0] == 200


def test_a_client_that_leaves_leaves_no_traceback(start):
    with start() as service:
        for data in (POST + b"Content-Length: 50\r\n\r\n{", POST + LENGTH + b"\r\n" + BODY, SECOND, b"GET"):
            with connect(service) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(data)
        assert service.ask("GET", "/health")[0] == 200
        service.process.terminate()
        assert service.process.stderr.read() == ""


def test_the_pages_have_the_limits():
    docs = Path(__file__).parents[2] / "docs"
    embedding = " ".join((docs / "embedding.md").read_text(encoding="utf-8").split())
    security = (docs / "security.md").read_text(encoding="utf-8")
    assert f"A client has {server.DEADLINE:.0f} seconds to send a request" in embedding
    assert f"a head has at most {server.MAX_HEAD_BYTES // 1024} KiB" in embedding
    assert f"further connections than {server.CONNECTIONS - 1} are told to come again" in embedding
    assert f"a head of {server.MAX_HEAD_BYTES:,} bytes" in security
    assert f"{server.CONNECTIONS} connections are too many" in security
    assert (
        f"{server.DEADLINE:.0f} seconds to send it, and {server.DEADLINE:.0f} to take the answer" in security
    )


def test_connections_are_limited(start):
    with start(change="import lane.service.server as s; s.CONNECTIONS = 3") as service:
        with connect(service), connect(service):
            assert service.ask("GET", "/health") == (503, b"Service Unavailable")
        status = 503
        while status == 503:  # until it has seen that they are closed
            status = service.ask("GET", "/health")[0]
        assert status == 200


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once")
def test_the_answers_that_have_begun_are_finished_at_the_end(start):
    slow = "import lane.service.application as a; t = a._translate; "
    slow += "a._translate = lambda *x: (print('begun', flush=True), sys.stdin.readline(), t(*x))[2]"
    with start(change=slow) as service, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(service.translate, {"command": "run"})
        assert service.process.stdout.readline() == "begun\n"
        service.process.send_signal(signal.SIGTERM)
        while accepts(service):
            pass
        service.process.stdin.write("\n")
        service.process.stdin.flush()
        assert answer.result()[0] == 200
        assert service.process.wait(60) == -signal.SIGTERM


def test_a_model_is_reloaded_while_it_serves(start, save):
    """On one connection that stays open: whole, broken, and whole again."""
    with start(f"a={save('1')}", save("x", "b.lane")) as service:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)

        def ask(method, path, body=None):
            connection.request(method, path, body)
            response = connection.getresponse()
            assert response.status == 200
            return json.loads(response.read())

        def said():
            return ask("POST", "/models/a/translate", b'{"command": "hi"}')["translation"]["text"]

        assert said() == "HI_1"
        path = save("2")
        while said() != "HI_2":
            pass
        assert "a: loaded" in service.process.stderr.readline()
        path.write_bytes(path.read_bytes()[:-1])
        while ask("GET", "/health")["status"] == "ok":
            assert said() == "HI_2"
        assert ask("GET", "/health") == {"status": "degraded", "models": 2, "broken": ["a"]}
        assert "a: the old model goes on answering" in service.process.stderr.readline()
        assert said() == "HI_2"
        save("3")
        while said() != "HI_3":
            pass
        assert ask("GET", "/health")["status"] == "ok"
        assert ask("POST", "/models/b/translate", b'{"command": "hi"}')["translation"]["text"] == "HI_x"
        connection.close()


def test_the_list_of_a_slot_changes_while_it_serves(start, save, tmp_path):
    path, rooms = save("1"), tmp_path / "rooms.txt"
    grow(Program.load(path), [NewWord("{room}", "hi")]).save(path)
    rooms.write_text("Attic\nbye\n")
    with start(path, "--list", f"room={rooms}") as service:
        assert "'bye' will never be heard" in service.process.stderr.readline()

        def slots(command):
            return service.translate({"command": command})[1]["translation"].get("slots")

        assert slots("Attic") == [{"name": "room", "text": "Attic", "position": 1}]
        rooms.write_text("cellar\n")
        while not slots("cellar"):
            pass
        assert slots("Attic") is None
