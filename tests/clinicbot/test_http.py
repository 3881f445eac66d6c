"""The door to the outside, against real sockets that misbehave."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from pytest_django import Settings

from clinicbot.errors import HttpError, HttpMaybeSentError, HttpNotSentError
from clinicbot.http import HttpClient

SECRET_PATH = "/bot123:secret-token/send?to=34600111222"
LIMIT_SECONDS = 0.4
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n" + b'{"ok":true}'

Script = Callable[[socket.socket, threading.Event], None]
Serve = Callable[[Script], "Server"]


class Server:
    """A listening socket on loopback that plays a script to each connection."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._stop = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.connections = 0
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._play, args=[connection])
            self._threads.append(thread)
            thread.start()

    def _play(self, connection: socket.socket) -> None:
        with closing(connection):
            try:
                self._script(connection, self._stop)
            except OSError:
                return  # The client has had enough.

    def close(self) -> None:
        self._stop.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(timeout=5)


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[Server] = []

    def start(script: Script) -> Server:
        servers.append(Server(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def read_request(connection: socket.socket) -> bytes:
    """Up to the end of the head; b'' when the client has gone. The bodies here are short enough to come along."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return b""
        data += more
    return data


def answering(answer: bytes) -> Script:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        while read_request(connection):
            connection.sendall(answer)

    return script


def dripping(head: bytes, drop: bytes) -> Script:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        read_request(connection)
        connection.sendall(head)
        while not stop.wait(0.05):
            connection.sendall(drop)

    return script


def client_of(url: str, *, max_body_bytes: int = 1000) -> HttpClient:
    return HttpClient(
        url, connect_timeout_seconds=LIMIT_SECONDS, total_timeout_seconds=LIMIT_SECONDS, max_body_bytes=max_body_bytes
    )


def failure_of(url: str) -> HttpError:
    with pytest.raises(HttpError) as caught:
        client_of(url).post(
            "test.send", path=SECRET_PATH, json={"to": "34600111222"}, headers={"Authorization": "Bearer s3cret"}
        )
    return caught.value


def test_an_answer_comes_back_with_status_headers_and_body(serve: Serve) -> None:
    server = serve(answering(OK))

    response = client_of(server.url).post("test.send", path="/messages", json={"a": 1})

    assert (response.status, response.headers["content-type"], response.json()) == (
        200,
        "application/json",
        {"ok": True},
    )


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe{", b"[" * 900])
def test_a_body_that_is_no_json_reads_as_none(serve: Serve, body: bytes) -> None:
    server = serve(answering(b"HTTP/1.1 500 Oops\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)))

    response = client_of(server.url).get("test.read", path="/")

    assert (response.status, response.json()) == (500, None)


def test_the_connection_is_kept_for_the_next_call_of_the_same_thread(serve: Serve) -> None:
    server = serve(answering(OK))
    client = client_of(server.url)

    for _ in range(3):
        client.get("test.read", path="/")

    assert server.connections == 1


def test_threads_share_a_client_but_no_connection(serve: Serve) -> None:
    server = serve(answering(OK))
    client = client_of(server.url)
    together = threading.Barrier(4)

    def call(_: int) -> int:
        together.wait(timeout=5)
        return client.get("test.read", path="/").status

    with ThreadPoolExecutor(4) as threads:
        statuses = list(threads.map(call, range(4)))

    assert statuses == [200] * 4
    assert server.connections == 4


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_returned_as_it_is_and_leads_nowhere(serve: Serve, status: int) -> None:
    elsewhere = serve(answering(OK))
    head = f"HTTP/1.1 {status} Go\r\nLocation: {elsewhere.url}/\r\nContent-Length: 0\r\n\r\n"
    server = serve(answering(head.encode()))

    response = client_of(server.url).post("test.send", path="/", json={})

    assert (response.status, response.headers["Location"]) == (status, f"{elsewhere.url}/")
    assert elsewhere.connections == 0


def test_a_cookie_is_not_sent_back(serve: Serve) -> None:
    seen: list[bytes] = []

    def script(connection: socket.socket, stop: threading.Event) -> None:
        while request := read_request(connection):
            seen.append(request)
            connection.sendall(OK.replace(b"\r\n\r\n", b"\r\nSet-Cookie: a=b\r\n\r\n"))

    client = client_of(serve(script).url)

    for _ in range(2):
        client.get("test.read", path="/")

    assert len(seen) == 2
    assert b"cookie" not in seen[1].lower()


def test_a_body_longer_than_the_limit_is_cut(serve: Serve) -> None:
    server = serve(dripping(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 50_000, b"x"))

    response = client_of(server.url, max_body_bytes=1000).get("test.read", path="/")

    assert (response.status, response.body, response.is_cut) == (200, b"x" * 1000, True)


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTT", b""),
    ],
    ids=["body", "chunks", "head", "continue", "silence"],
)
def test_an_answer_that_drips_ends_with_the_total_limit(serve: Serve, head: bytes, drop: bytes) -> None:
    server = serve(dripping(head, drop))
    begun = time.monotonic()

    error = failure_of(server.url)

    assert isinstance(error, HttpMaybeSentError)
    assert time.monotonic() - begun < LIMIT_SECONDS + 1


def test_a_connection_reset_after_the_request_may_have_been_read(serve: Serve) -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        read_request(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    error = failure_of(serve(script).url)

    assert isinstance(error, HttpMaybeSentError)


def test_a_connection_closed_without_an_answer_may_have_been_read(serve: Serve) -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        read_request(connection)

    error = failure_of(serve(script).url)

    assert isinstance(error, HttpMaybeSentError)
    assert error.cause == "RemoteDisconnected"


def test_an_answer_that_is_no_http_may_have_been_read(serve: Serve) -> None:
    error = failure_of(serve(answering(b"SSH-2.0-nonsense\r\n\r\n")).url)

    assert isinstance(error, HttpMaybeSentError)


def test_a_kept_connection_that_the_server_resets_may_have_been_read(serve: Serve) -> None:
    def script(connection: socket.socket, stop: threading.Event) -> None:
        read_request(connection)
        connection.sendall(OK)
        read_request(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    client = client_of(serve(script).url)
    client.get("test.read", path="/")

    with pytest.raises(HttpMaybeSentError):
        client.get("test.read", path="/")


def test_a_kept_connection_that_was_closed_in_between_is_replaced(serve: Serve) -> None:
    gone = threading.Event()

    def script(connection: socket.socket, stop: threading.Event) -> None:
        read_request(connection)
        connection.sendall(OK)
        connection.close()
        gone.set()

    server = serve(script)
    client = client_of(server.url)
    client.get("test.read", path="/")
    assert gone.wait(timeout=5)

    response = client.get("test.read", path="/")

    assert (response.status, server.connections) == (200, 2)


def test_a_refused_connection_was_not_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    error = failure_of(url)

    assert isinstance(error, HttpNotSentError)
    assert error.cause == "ConnectionRefusedError"


def test_a_server_that_does_not_take_the_connection_in_time_was_not_sent_to() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:  # They fill the queue, which nobody empties.
            one.setblocking(False)
            one.connect_ex(address)
        error = failure_of(f"http://127.0.0.1:{address[1]}")
        for one in waiting:
            one.close()

    assert isinstance(error, HttpNotSentError)


def test_a_failed_tls_handshake_was_not_sent(serve: Serve) -> None:
    server = serve(answering(OK))

    error = failure_of(server.url.replace("http://", "https://"))

    assert isinstance(error, HttpNotSentError)


def test_a_tls_handshake_that_hangs_was_not_sent(serve: Serve) -> None:
    server = serve(dripping(b"", b""))
    begun = time.monotonic()

    error = failure_of(server.url.replace("http://", "https://"))

    assert isinstance(error, HttpNotSentError)
    assert time.monotonic() - begun < LIMIT_SECONDS + 1


def test_an_unknown_name_was_not_sent(settings: Settings) -> None:
    settings.OUTBOUND_ALLOWLIST = ["no-such-host.invalid"]

    error = failure_of("http://no-such-host.invalid")

    assert isinstance(error, HttpNotSentError)


def test_a_host_that_is_not_on_the_list_is_refused_before_a_connection_is_made(
    serve: Serve, settings: Settings
) -> None:
    settings.OUTBOUND_ALLOWLIST = ["graph.example.org"]
    server = serve(answering(OK))

    error = failure_of(server.url)

    assert (type(error), error.cause) == (HttpNotSentError, "HostNotAllowed")
    assert server.connections == 0


def test_without_a_list_every_host_may_be_called(serve: Serve, settings: Settings) -> None:
    settings.OUTBOUND_ALLOWLIST = []
    server = serve(answering(OK))

    assert client_of(server.url).get("test.read", path="/").status == 200


@pytest.mark.parametrize("script", [answering(b"nonsense\r\n\r\n"), dripping(b"", b"")], ids=["nonsense", "silence"])
def test_an_error_names_host_and_route_and_nothing_else(serve: Serve, script: Script) -> None:
    error = failure_of(serve(script).url)

    assert str(error).startswith("127.0.0.1 test.send: ")
    assert error.__cause__ is None
    assert error.__context__ is None
    for given in ("secret", "34600111222", "s3cret", "bot123"):
        assert given not in repr(error) + str(error.args)
