"""The service as an ASGI application: any ASGI server runs it, and other applications can mount it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, TypeAlias

from lane.runtime import Translation
from lane.service.errors import RefusedError
from lane.service.store import ModelStore, ServedModel

MAX_BODY_BYTES = 2**20
MAX_COMMANDS = 1000
MAX_CHARACTERS = 2**22  # of all answers to a request: a short command may have a very long one
BATCH = 32  # commands translated before their answers are counted; a network gives all of them at once

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]

_FORM = 'send JSON of the form {"command": "jump twice"} or {"commands": ["jump twice", "run"]}'


class Application:
    """Answers requests with the models of a store."""

    def __init__(self, store: ModelStore) -> None:
        self._store = store

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, by the ASGI protocol."""
        if scope["type"] != "http":  # a server that offers more then goes on without it, says the protocol
            raise NotImplementedError("this application speaks HTTP only")
        headers = [(b"content-type", b"application/json")]
        try:
            content = await self._answer(scope, receive)
            if content is None:
                return
            status = HTTPStatus.OK
        except RefusedError as refused:
            status = refused.status
            content = json.dumps({"error": {"code": refused.code, "message": str(refused)}}).encode()
            # What is left of the request could be taken for the next one.
            headers.append((b"connection", b"close"))
            if status == HTTPStatus.METHOD_NOT_ALLOWED:
                headers.append((b"allow", b"POST"))
        headers.append((b"content-length", b"%d" % len(content)))
        await send({"type": "http.response.start", "status": int(status), "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(self, scope: Message, receive: Receive) -> bytes | None:
        """The content of the answer; None if the client has left."""
        check_framing(scope["method"], scope["headers"])
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if scope["method"] == "GET":
            return json.dumps(self._describe(path)).encode()
        model = self._translating(scope["method"], path)
        body = await _read(receive)
        return None if body is None else await asyncio.to_thread(_translate, model, body)

    def _describe(self, path: str) -> dict[str, Any]:
        """`/health`, `/models` and `/models/NAME`."""
        models = self._store.models
        match path.split("/")[1:]:
            case ["health"]:
                broken = [name for name, model in models.items() if model.problem is not None]
                return {"status": "degraded" if broken else "ok", "models": len(models), "broken": broken}
            case ["models"]:
                return {"models": [as_card(model) for model in models.values()]}
            case ["models", name]:
                return as_card(self._store.find(name))
        raise _not_found()

    def _translating(self, method: str, path: str) -> ServedModel:
        """The model of `/models/NAME/translate`; `/translate` is that of the first one."""
        match path.split("/")[1:]:
            case ["translate"]:
                name = None
            case ["models", name, "translate"]:
                pass
            case _:
                raise _not_found()
        if method != "POST":
            raise RefusedError("wrong-method", "translations are answers to POST requests")
        return self._store.find(name)


def _not_found() -> RefusedError:
    return RefusedError(
        "not-found",
        "there are GET /health, /models and /models/NAME, and POST /translate and /models/NAME/translate",
    )


def check_framing(method: str, headers: Iterable[Header]) -> None:
    """Refuse what is too long, and what a proxy might understand in another way.

    A second request could hide in the body of the first.
    """
    lengths = [value for name, value in headers if name == b"content-length"]
    if len(lengths) > 1 or any(name == b"transfer-encoding" for name, _ in headers):
        raise RefusedError("bad-request", "send a body with one Content-Length and no encoding")
    if method == "GET":
        if lengths not in ([], [b"0"]):
            raise RefusedError("bad-request", "a GET request has no body")
    elif not lengths or not lengths[0].isdigit():
        raise RefusedError("length-required", "send a body with a Content-Length")
    # The digits are counted first: parsing a number of a million digits takes long too.
    elif len(lengths[0]) > 9 or int(lengths[0]) > MAX_BODY_BYTES:
        raise RefusedError("request-too-large", f"a body has at most {MAX_BODY_BYTES} bytes")


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None if the client has left."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def _translate(model: ServedModel, body: bytes) -> bytes:
    """The answer to a request: all of it by the model that is loaded now."""
    translator = model.translator
    commands, single = _read_commands(body)
    answers: list[str] = []
    left = MAX_CHARACTERS
    while len(answers) < len(commands):
        batch = commands[len(answers) : len(answers) + BATCH]
        for translation in translator.translate_some(batch, left):
            left -= len(translation.text)
            if left < 0:
                raise RefusedError(
                    "answers-too-large",
                    f"the answers have more than {MAX_CHARACTERS} characters together: send fewer commands",
                )
            answers.append(json.dumps(as_json(translation)))
    head = json.dumps({"model": model.name, "sha256": translator.info.file_sha256})
    content = f'"translation": {answers[0]}' if single else f'"translations": [{", ".join(answers)}]'
    return f"{head[:-1]}, {content}}}".encode()


def _read_commands(body: bytes) -> tuple[list[str], bool]:
    """The commands, and whether it is a single one that was not put into a list."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError("bad-request", _FORM) from None
    match content:
        case {"command": str(command), **others} if "commands" not in others:
            return [command], True
        case {"commands": list(commands), **others} if "command" not in others:
            if all(isinstance(command, str) for command in commands):
                if len(commands) > MAX_COMMANDS:
                    raise RefusedError("too-many-commands", f"a request has at most {MAX_COMMANDS} commands")
                return commands, False
    raise RefusedError("bad-request", _FORM)


def as_json(translation: Translation) -> dict[str, Any]:
    """`text`, `actions` and `slots` if any, or `error` with its code, message, word, position and nearest."""
    if translation.error is not None:
        return {"error": asdict(translation.error)}
    found: dict[str, Any] = {"text": translation.text, "actions": list(translation.actions)}
    if translation.slots:
        found["slots"] = [asdict(slot) for slot in translation.slots]
    return found


def as_card(model: ServedModel) -> dict[str, Any]:
    """What a model is, and why its file as it is now cannot be used, if so."""
    info = model.translator.info
    return {
        "name": model.name,
        "backend": info.backend,
        "sha256": info.file_sha256,
        "words": len(info.words),
        "rules": info.rules,
        "max_words": info.max_words,
        "max_actions": info.max_actions,
        "refuses": info.refuses,
        "converged": info.converged,
        "slots": list(info.schemes.slots),
        "problem": model.problem,
    }
