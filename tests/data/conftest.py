"""The official files if they are near, and an HTTP server that can misbehave."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest


@pytest.fixture(scope="session")
def official_dir() -> Path:
    beside = Path(__file__).parents[2] / "../shared/data/scan"
    folder = Path(os.environ.get("LANE_DATA", beside))
    if not (folder / "mcd1_train.txt").is_file():
        pytest.skip("no official files: name their directory in LANE_DATA (`lane-data fetch DIR` gets them)")
    return folder


@dataclass
class Site:
    """What the server has, how it behaves, and what it was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    wrong_range: bool = False
    dies_after: int | None = None
    requests: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    here = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            here.requests.append((self.path, asked))
            data = here.files.get(self.path)
            if data is None:
                self.send_error(404)
                return
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and here.ranges else 0
            if start >= len(data):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            if start:
                shown = start + 1 if here.wrong_range else start
                self.send_header("Content-Range", f"bytes {shown}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            self.wfile.write(data[start:][: here.dies_after])

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        here.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield here
        server.shutdown()
        thread.join()
