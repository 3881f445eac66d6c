"""A small webhook that shakes hands, keeps what it is sent, and answers as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.simulator.running import VERIFY_TOKEN


@dataclass(frozen=True)
class Received:
    """One POST, byte for byte."""

    raw: bytes
    headers: Mapping[str, str]
    path: str

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.raw)
        return body


class Receiver:
    """`answers` are used up in order; then it is 200. `slow_seconds` delays each answer."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.handshakes = 0
        self.knows_token = True
        self.answers: list[int] = []
        self.slow_seconds = 0.0
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self.over = threading.Event()
        self.url = ""

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        yield
        with self._lock:
            self._at_once -= 1

    def keep(self, received: Received) -> int:
        with self._lock:
            self.received.append(received)
            return self.answers.pop(0) if self.answers else 200

    def values(self, field: str = "messages") -> list[dict[str, Any]]:
        """Every `value` of a field, in the order received."""
        changes = [change for one in self.received for entry in one.body["entry"] for change in entry["changes"]]
        return [change["value"] for change in changes if change["field"] == field]

    def statuses(self) -> list[dict[str, Any]]:
        return [status for value in self.values() for status in value.get("statuses", [])]

    def words(self) -> list[str]:
        """sent, delivered, read ..."""
        return [status["status"] for status in self.statuses()]

    def inbound(self) -> list[dict[str, Any]]:
        return [message for value in self.values() for message in value.get("messages", [])]


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            receiver.handshakes += 1
            knows = receiver.knows_token and query["hub.verify_token"] == [VERIFY_TOKEN]
            self.answer(200 if knows else 403, query["hub.challenge"][0].encode() if knows else b"")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            with receiver.counted():
                status = receiver.keep(Received(raw, dict(self.headers), self.path))
                receiver.over.wait(receiver.slow_seconds)
            self.answer(status, b"")

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/webhook/"
    try:
        yield receiver
    finally:
        receiver.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
