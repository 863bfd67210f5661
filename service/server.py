"""Runs the application by uvicorn, with a deadline for every request.

httptools, the parser, refuses ambiguous framing: two lengths, a length with an encoding, spaces and control
characters in names. What uvicorn lacks is a bound on the time that a client takes to send a request, on the
time that it takes to read the answer, and on the size of a head.
"""

import asyncio
import socket

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lane.service.application import Application

DEADLINE = 10.0  # seconds for a client to send a whole request, and then to take its answer
IDLE = 5  # seconds that a connection may wait for another request to begin
MAX_HEAD_BYTES = 2**16
CONNECTIONS = 200  # at a time; further ones are told to come again


class Connection(HttpToolsProtocol):
    """A client may send byte by byte, or not read its answer: after the deadline the connection is cut."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._requests = 0  # read completely, and not answered yet
        self._seen = 0  # messages that ended, to see whether one did
        self._in_body = False
        self._head = 0  # bytes of a head that has begun
        self._reading = self._cut_later()
        self._writing: asyncio.TimerHandle | None = None

    def _cut_later(self) -> asyncio.TimerHandle:
        return self.loop.call_later(DEADLINE, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head that has not ended."""
        seen = self._seen
        super().data_received(data)
        if self._in_body or seen != self._seen:
            self._head = 0
            return
        self._head += len(data)
        if self._head > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """A request has a deadline of its own; not while another is answered, since reading may rest then."""
        if not self._requests:
            self._reading.cancel()
            self._reading = self._cut_later()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head has ended."""
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is there: from now on the client waits, and not the server."""
        self._in_body = False
        self._seen += 1
        self._requests += 1
        self._reading.cancel()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The client may now take the rest of its answer and send another request, by one deadline."""
        self._requests = max(0, self._requests - 1)
        if not self._requests:
            self._reading.cancel()
            self._reading = self._cut_later()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not take its answer."""
        self._writing = self._cut_later()
        super().pause_writing()

    def resume_writing(self) -> None:
        """It does."""
        self._stop_writing()
        super().resume_writing()

    def _stop_writing(self) -> None:
        if self._writing is not None:
            self._writing.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is left to wait for."""
        self._reading.cancel()
        self._stop_writing()
        super().connection_lost(exc)


def listen(host: str, port: int) -> socket.socket:
    """A socket of this address; port 0 is any that is free."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def run(application: Application, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT, and finish the answers that have begun."""
    config = uvicorn.Config(
        application,
        http=Connection,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=int(DEADLINE),
    )
    uvicorn.Server(config).run(sockets=[listener])
