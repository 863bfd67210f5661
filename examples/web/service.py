"""A small web service: one model, many clients, nothing but the standard library around the runtime.

    python service.py --model model.lane --port 8080
    curl -d '{"commands": ["jump twice"]}' localhost:8080/translate

A sketch to start from. It bounds the size of a request, the length of its answer and the time that a client
takes; TLS, authentication and the number of connections belong to the proxy in front of it.
"""

import argparse
import io
import json
import socket
import sys
from contextlib import suppress
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any

from lane.runtime import ModelError, Translation, Translator, load

MAX_BODY_BYTES = 2**20
MAX_COMMANDS = 1000
MAX_ACTIONS = 10**6  # of all answers to a request: a short command may have a very long answer
BATCH = 32  # commands translated before the actions are counted
DEADLINE = 10.0  # seconds for a client to send a whole request, and then to take its answer


class RefusedError(Exception):
    """A request that is refused, with a status and a message."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Service(ThreadingHTTPServer):
    """The threads of all requests share one translator."""

    def __init__(self, address: tuple[str, int], translator: Translator) -> None:
        super().__init__(address, Handler)
        self.translator = translator

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves, or takes too long, is no error of the service."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Deadline(io.RawIOBase):
    """The input of a connection, with a deadline for a whole request: a client may send byte by byte."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.end = monotonic() + DEADLINE

    def readable(self) -> bool:
        """As io asks for."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Some bytes, as long as there is time."""
        left = self.end - monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: Service
    protocol_version = "HTTP/1.1"
    timeout = DEADLINE

    def setup(self) -> None:
        """Read with a deadline."""
        super().setup()
        self._deadline = Deadline(self.connection)
        self.rfile = io.BufferedReader(self._deadline)

    def handle_one_request(self) -> None:
        """Each request of a connection has its own deadline."""
        self._deadline.end = monotonic() + DEADLINE
        super().handle_one_request()

    def parse_request(self) -> bool:
        """The head of a request; one that a proxy might understand in another way is refused.

        A second request could hide in the body of the first.
        """
        if not super().parse_request():
            return False
        lengths = self.headers.get_all("Content-Length", [])
        if self.headers.defects or any("\n" in value for value in self.headers.values()):
            problem = "malformed headers"
        elif len(lengths) > 1 or "Transfer-Encoding" in self.headers:
            problem = "send a body with one Content-Length and no encoding"
        elif self.command == "GET" and lengths not in ([], ["0"]):
            problem = "a GET request has no body"
        else:
            return True
        self._refuse(RefusedError(HTTPStatus.BAD_REQUEST, problem))
        return False

    def do_GET(self) -> None:
        """`/health`: whether it answers, and with which model."""
        if self.path != "/health":
            self._send(HTTPStatus.NOT_FOUND, {"error": "there are GET /health and POST /translate"})
        else:
            info = self.server.translator.info
            self._send(HTTPStatus.OK, {"status": "ok", "backend": info.backend, "model": info.file_sha256})

    def do_POST(self) -> None:
        """`/translate`: `{"commands": [...]}` gives `{"translations": [...]}` in the same order."""
        try:
            if self.path != "/translate":
                raise RefusedError(HTTPStatus.NOT_FOUND, "there are GET /health and POST /translate")
            self._send(HTTPStatus.OK, {"translations": self._translate(self._commands())})
        except RefusedError as refused:
            self._refuse(refused)

    def _refuse(self, refused: RefusedError) -> None:
        # The rest of the body is not read, so the connection cannot be used for another request.
        self.close_connection = True
        self._send(refused.status, {"error": str(refused)})

    def _commands(self) -> list[str]:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "send a body with a Content-Length")
        # The digits are counted first: parsing a number of a million digits takes long too.
        if len(length) > 9 or int(length) > MAX_BODY_BYTES:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {MAX_BODY_BYTES} bytes"
            )
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionAbortedError("the client left in the middle of its request")
        try:
            commands = json.loads(body)["commands"]
        except (ValueError, LookupError, TypeError, RecursionError):
            commands = None
        if not isinstance(commands, list) or not all(isinstance(command, str) for command in commands):
            raise RefusedError(HTTPStatus.BAD_REQUEST, 'send JSON of the form {"commands": ["jump twice"]}')
        if len(commands) > MAX_COMMANDS:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MAX_COMMANDS} commands"
            )
        return commands

    def _translate(self, commands: list[str]) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = []
        actions = 0
        for translation in self.server.translator.translate_iter(commands, BATCH):
            answers.append(as_json(translation))
            actions += len(translation.actions)
            if actions > MAX_ACTIONS:
                raise RefusedError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"the answers have more than {MAX_ACTIONS} actions together: send fewer commands",
                )
        return answers

    def _send(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.connection.settimeout(DEADLINE)
        self.wfile.write(body)


def as_json(translation: Translation) -> dict[str, Any]:
    """`text` and `actions`, or `error` with its code, message, word, position and nearest word."""
    if translation.error is not None:
        return {"error": asdict(translation.error)}
    return {"text": translation.text, "actions": list(translation.actions)}


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="Serve a model over HTTP.")
    parser.add_argument("--model", metavar="FILE", help="an exported model (the bundled SCAN model)")
    parser.add_argument("--trust", metavar="SHA256", help="that the file must have; TorchScript needs it")
    parser.add_argument("--lenient", action="store_true", help="translate also what was never learned")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080, help="0: any that is free")
    options = parser.parse_args()
    try:
        translator = load(options.model, trust=options.trust or False, lenient=options.lenient)
    except (ModelError, ValueError) as error:
        sys.exit(f"error: {error}")
    with translator, Service((options.host, options.port), translator) as service:
        # To standard output, for programs that start it with port 0.
        print(f"http://{options.host}:{service.server_port}", flush=True)
        with suppress(KeyboardInterrupt):
            service.serve_forever()


if __name__ == "__main__":
    main()
