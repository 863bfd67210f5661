"""Requests by the ASGI protocol, without a server."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from lane.runtime import Program
from lane.runtime.extension import NewWord, grow
from lane.service import application as module
from lane.service.application import MAX_BODY_BYTES, MAX_COMMANDS
from lane.service.errors import STATUSES


def call(application, method, path, body=b"", headers=None, parts=1, **scope):
    """The status, the headers and the content of an answer; None if there is none."""
    if headers is None:
        headers = [(b"content-length", b"%d" % len(body))] if method == "POST" else []
    size = max(1, -(-len(body) // parts))
    chunks = [body[at : at + size] for at in range(0, max(1, len(body)), size)]
    incoming = [
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}
        for number, chunk in enumerate(chunks, start=1)
    ]
    sent = []

    async def receive():
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": headers, **scope}
    asyncio.run(application(scope, receive, send))
    if not sent:
        return None
    begin, end = sent
    headers = dict(begin["headers"])
    assert headers[b"content-length"] == b"%d" % len(end["body"])
    assert (headers.get(b"connection") == b"close") == (begin["status"] != 200)
    return begin["status"], headers, json.loads(end["body"])


def post(application, content, path="/translate", **options):
    status, _, answer = call(application, "POST", path, json.dumps(content).encode(), **options)
    return status, answer


def test_a_single_command_and_a_batch(application, store):
    sha256 = store.find("model").translator.info.file_sha256
    head = {"model": "model", "sha256": sha256}
    hi = {"text": "HI_a", "actions": ["HI_a"]}
    assert post(application, {"command": "hi"}) == (200, {**head, "translation": hi})
    assert post(application, {"commands": ["hi"]}) == (200, {**head, "translations": [hi]})
    assert post(application, {"commands": []}) == (200, {**head, "translations": []})
    status, answer = post(application, {"commands": ["hi", "hj", "", "\ud800"]}, parts=5)
    assert status == 200
    first, second, empty, odd = answer["translations"]
    assert first == hi
    assert second["error"]["code"] == "unknown-word"
    assert second["error"]["message"] == "unknown word 'hj' (word 1); did you mean 'hi'?"
    assert (empty["error"]["code"], odd["error"]["code"]) == ("empty", "unknown-word")


def test_what_filled_a_slot_is_told(store, application):
    model = store.find("model")
    grow(Program.load(model.path), [NewWord("{number}", "hi")]).save(model.path)
    store.refresh()
    _, answer = post(application, {"commands": ["12", "hi"]})
    assert answer["translations"] == [
        {
            "text": "{number:12}",
            "actions": ["{number:12}"],
            "slots": [{"name": "number", "text": "12", "position": 1}],
        },
        {"text": "HI_a", "actions": ["HI_a"]},
    ]
    assert call(application, "GET", "/models/model")[2]["slots"] == ["number"]


def test_answers_of_many_batches_are_in_order(application, monkeypatch):
    commands = ["hi", "bye", "hi", "x"] * 100
    monkeypatch.setattr(module, "BATCH", 7)
    _, answer = post(application, {"commands": commands})
    assert [entry.get("text") for entry in answer["translations"]] == ["HI_a", "BYE_a", "HI_a", None] * 100


def test_models_are_named_by_the_path(application):
    for path, text in (
        ("/translate", "HI_a"),
        ("/models/model/translate", "HI_a"),
        ("/models/other/translate", "HI_b"),
    ):
        assert post(application, {"command": "hi"}, path)[1]["translation"]["text"] == text
    status, answer = post(application, {"command": "hi"}, "/models/modle/translate")
    assert (status, answer["error"]["code"]) == (404, "unknown-model")
    assert "did you mean 'model'?" in answer["error"]["message"]


def test_lists_and_health(application, store, save):
    def get(path):
        return call(application, "GET", path)[2]

    cards = get("/models")["models"]
    assert [card["name"] for card in cards] == ["model", "other"]
    assert cards[1] == get("/models/other")
    assert (cards[0]["backend"], cards[0]["words"], cards[0]["max_words"]) == ("program", 3, 10)
    assert cards[0]["sha256"] == store.find("model").translator.info.file_sha256
    assert get("/health") == {"status": "ok", "models": 2, "broken": []}
    store.find("other").path.write_bytes(b"broken")
    store.refresh()
    assert get("/health") == {"status": "degraded", "models": 2, "broken": ["other"]}
    assert "other.lane" in get("/models/other")["problem"]
    assert get("/models/model")["problem"] is None


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"commands": "hi"}, "bad-request"),
        ({"commands": [1]}, "bad-request"),
        ({"command": ["hi"]}, "bad-request"),
        ({"command": "hi", "commands": ["hi"]}, "bad-request"),
        ({}, "bad-request"),
        (["hi"], "bad-request"),
        (None, "bad-request"),
        ({"commands": ["hi"] * (MAX_COMMANDS + 1)}, "too-many-commands"),
    ],
)
def test_what_is_not_taken_is_refused_by_a_code(application, content, code):
    status, answer = post(application, content)
    assert (status, answer["error"]["code"]) == (STATUSES[code], code)
    assert answer["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"\xff", b'{"command": "\xff"}', b"1" * 5000])
def test_what_is_no_json_is_refused(application, body):
    status, _, answer = call(application, "POST", "/translate", body)
    assert (status, answer["error"]["code"]) == (400, "bad-request")


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("POST", "/other", "not-found"),
        ("POST", "/health", "not-found"),
        ("POST", "/models/model", "not-found"),
        ("POST", "/models/model/translate/", "not-found"),
        ("POST", "translate", "not-found"),
        ("GET", "/", "not-found"),
        ("GET", "/translate", "not-found"),
        ("GET", "/models/none", "unknown-model"),
        ("PUT", "/translate", "wrong-method"),
        ("PUT", "/other", "not-found"),
    ],
)
def test_other_places_are_not_found(application, method, path, code):
    status, headers, answer = call(
        application, method, path, b"{}", [(b"content-length", b"2")] * (method != "GET")
    )
    assert (status, answer["error"]["code"]) == (STATUSES[code], code)
    assert headers.get(b"allow") == (b"POST" if code == "wrong-method" else None)


LENGTH = b"content-length"


@pytest.mark.parametrize(
    ("method", "headers", "code"),
    [
        ("POST", [], "length-required"),
        ("POST", [(LENGTH, b"")], "length-required"),
        ("POST", [(LENGTH, b"-1")], "length-required"),
        ("POST", [(LENGTH, b"many")], "length-required"),
        ("POST", [(LENGTH, "\u0663".encode())], "length-required"),
        ("POST", [(LENGTH, b"%d" % (MAX_BODY_BYTES + 1))], "request-too-large"),
        ("POST", [(LENGTH, b"9" * 5000)], "request-too-large"),
        ("POST", [(LENGTH, b"2"), (LENGTH, b"2")], "bad-request"),
        ("POST", [(LENGTH, b"2"), (b"transfer-encoding", b"identity")], "bad-request"),
        ("GET", [(LENGTH, b"2")], "bad-request"),
        ("GET", [(LENGTH, b"0"), (LENGTH, b"0")], "bad-request"),
        ("GET", [(b"transfer-encoding", b"chunked")], "bad-request"),
    ],
)
def test_ambiguous_framing_is_refused_whatever_the_server(application, method, headers, code):
    path = "/health" if method == "GET" else "/translate"
    status, _, answer = call(application, method, path, b"{}", headers)
    assert (status, answer["error"]["code"]) == (STATUSES[code], code)
    assert call(application, "GET", "/health", headers=[(LENGTH, b"0")])[0] == 200


def test_the_answers_to_a_request_are_bounded(application, monkeypatch):
    length = len("LONG") * 10 + 9
    monkeypatch.setattr(module, "MAX_CHARACTERS", 3 * length)
    assert post(application, {"commands": ["long"] * 3})[0] == 200
    status, answer = post(application, {"commands": ["long"] * 4})
    assert (status, answer["error"]["code"]) == (413, "answers-too-large")


def test_it_can_be_mounted_elsewhere(application):
    assert call(application, "GET", "/lane/health", root_path="/lane")[0] == 200


def test_a_client_that_leaves_gets_no_answer(application):
    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        pytest.fail("nobody is there")

    scope = {"type": "http", "method": "POST", "path": "/translate", "headers": [(LENGTH, b"20")]}
    asyncio.run(application(scope, gone, send))


def test_other_protocols_are_refused_as_asgi_asks_for(application):
    with pytest.raises(NotImplementedError):
        asyncio.run(application({"type": "lifespan"}, None, None))


class Interrupted:
    """A translator during whose first batch something happens."""

    def __init__(self, translator, happens):
        self._translator = translator
        self._happens = happens
        self.info = translator.info

    def translate_some(self, texts, budget):
        answers = self._translator.translate_some(texts, budget)
        self._happens()
        return answers


def test_an_answer_that_has_begun_is_that_of_one_model(application, store, save):
    model = store.find("model")
    old = model.translator.info.file_sha256

    def replaced():
        save("new")
        store.refresh()

    model.translator = Interrupted(model.translator, replaced)
    status, answer = post(application, {"commands": ["hi"] * 100})
    assert (status, answer["sha256"]) == (200, old)
    assert {entry["text"] for entry in answer["translations"]} == {"HI_a"}
    _, after = post(application, {"command": "hi"})
    assert (after["translation"]["text"], after["sha256"]) == ("HI_new", model.translator.info.file_sha256)


def test_no_request_fails_while_models_are_replaced(application, store, save):
    """Whole and broken files, replaced and written over, under four clients."""
    model, done = store.find("model"), Event()
    value_of = {model.translator.info.file_sha256: "a"}

    def ask():
        answers = []
        while not done.is_set():
            answers.append(post(application, {"commands": ["hi", "bye"] * 20}))
        return answers

    with ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(ask) for _ in range(4)]
        try:
            for number in range(60):
                save(str(number))
                store.refresh()
                value_of[model.translator.info.file_sha256] = str(number)
                model.path.write_bytes(b"broken" * number)
                store.refresh()
                assert model.problem is not None
        finally:
            done.set()
        answers = [answer for client in clients for answer in client.result()]
    assert len(value_of) == 61
    assert {status for status, _ in answers} == {200}
    for _, answer in answers:
        value = value_of[answer["sha256"]]
        assert [entry["text"] for entry in answer["translations"]] == [f"HI_{value}", f"BYE_{value}"] * 20
    assert len({answer["sha256"] for _, answer in answers}) > 1
