"""Connections that know how much time a call has left, and whether its first byte was written.

requests and urllib3 limit the wait for each byte; an answer that drips, in its head or in its body, outlives that.
"""

from __future__ import annotations

import http.client
import io
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.connection import create_connection

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    _Connection = HTTPConnection
else:
    _Connection = object


class Call:
    """One request from resolving the name to the last byte of the answer. Used by one thread."""

    def __init__(self, *, connect_timeout_seconds: float, total_timeout_seconds: float) -> None:
        self._connect_timeout_seconds = connect_timeout_seconds
        self._ends = time.monotonic() + total_timeout_seconds
        self.has_begun_to_write = False

    def remaining_seconds(self) -> float:
        """Raises TimeoutError when nothing is left: a socket takes 0 for 'do not wait', not for 'too late'."""
        remaining = self._ends - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining

    def connect_seconds(self) -> float:
        return min(self._connect_timeout_seconds, self.remaining_seconds())


_this_thread = threading.local()


def begin_call(call: Call) -> None:
    """Everything this thread's connections do from now on is part of `call`."""
    _this_thread.call = call


def _call() -> Call:
    call: Call = _this_thread.call
    return call


class _TimedReader(io.RawIOBase):
    """A socket's bytes; every single wait ends when the call's time does."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(_call().remaining_seconds())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_TimedReader(sock))


class _TimedMixin(_Connection):
    response_class = _TimedResponse

    def _new_conn(self) -> socket.socket:
        """Try each address of the host. The wait for the name server is the one that nothing here limits."""
        failure: OSError = OSError()
        for *_, address in socket.getaddrinfo(self._dns_host, self.port, type=socket.SOCK_STREAM):
            try:
                return create_connection(
                    (str(address[0]), self.port), _call().connect_seconds(), socket_options=self.socket_options
                )
            except OSError as error:
                failure = error
        raise failure

    def connect(self) -> None:
        # The TLS handshake inherits the socket's limit, which is one for the whole handshake.
        self.timeout = _call().connect_seconds()
        super().connect()

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        # Whatever goes wrong from here on, part of the request may have arrived. A kept connection that the other side has
        # closed may still take bytes, so it is no exception.
        _call().has_begun_to_write = True
        self.sock.settimeout(_call().remaining_seconds())
        super().send(data)


class TimedHTTPConnection(_TimedMixin, HTTPConnection):
    pass


class TimedHTTPSConnection(_TimedMixin, HTTPSConnection):
    pass


class _HTTPPool(HTTPConnectionPool):
    ConnectionCls = TimedHTTPConnection


class _HTTPSPool(HTTPSConnectionPool):
    ConnectionCls = TimedHTTPSConnection


POOLS = {"http": _HTTPPool, "https": _HTTPSPool}
