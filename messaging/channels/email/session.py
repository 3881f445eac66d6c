"""One conversation with a mail server, in which every wait ends when the call's time does.

smtplib limits each single wait, so a server that drips outlives it; and it does not say how far a broken conversation had come.
"""

from __future__ import annotations

import io
import re
import smtplib
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from messaging.channels.email.errors import MailCutError, MailRefusedError, Phase

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OK, COMPLETED, GO_ON = 220, (250, 251), 354


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where letters are handed in. `user` and `password` may be empty; `is_tls` speaks TLS from the first byte."""

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    starts_tls: bool = False
    is_tls: bool = False


class _TimedReader(io.RawIOBase):
    def __init__(self, session: _Session, sock: socket.socket) -> None:
        self._session, self._sock = session, sock
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(self._session.remaining_seconds())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Session(smtplib.SMTP):
    def __init__(self, server: Server, *, our_name: str, connect_seconds: float, total_seconds: float) -> None:
        self._server, self._connect_seconds = server, connect_seconds
        self._ends = time.monotonic() + total_seconds
        self._tls = ssl.create_default_context() if server.is_tls or server.starts_tls else None
        super().__init__(local_hostname=our_name)

    def remaining_seconds(self) -> float:
        """Raises TimeoutError when nothing is left: a socket takes 0 for 'do not wait', not for 'too late'."""
        remaining = self._ends - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        """Each address of the host in turn. The wait for the name server is the one that nothing here limits."""
        failure: OSError = OSError()
        for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            try:
                limit = min(self._connect_seconds, self.remaining_seconds())
                sock = socket.create_connection((str(address[0]), port), limit)
            except OSError as error:
                failure = error
                continue
            sock.settimeout(self.remaining_seconds())
            return self._tls.wrap_socket(sock, server_hostname=host) if self._tls and self._server.is_tls else sock
        raise failure

    def send(self, s: Any) -> None:
        if self.sock is not None:
            self.sock.settimeout(self.remaining_seconds())
        super().send(s)

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = io.BufferedReader(_TimedReader(self, self.sock))
        return super().getreply()

    def open(self) -> None:
        """Greeted, encrypted and logged in as the server wants it."""
        code, words = self.connect(self._server.host, self._server.port)
        if code != OK:
            raise smtplib.SMTPResponseException(code, words)
        self.ehlo_or_helo_if_needed()
        if self._server.starts_tls:
            if self.sock is not None:
                self.sock.settimeout(self.remaining_seconds())
            self.starttls(context=self._tls)
            self.ehlo_or_helo_if_needed()

    def log_in(self) -> None:
        if self._server.user:
            self.login(self._server.user, self._server.password)


def hand_in(
    letter: bytes,
    *,
    sender: str,
    recipient: str,
    server: Server,
    our_name: str,
    connect_seconds: float,
    total_seconds: float,
) -> None:
    """Give one letter for one person to the server, once.

    Raises:
        MailRefusedError: the server will not have it.
        MailCutError: the conversation broke; its phase says whether the letter may have been taken.
    """
    phase = Phase.CONNECT
    session = _Session(server, our_name=our_name, connect_seconds=connect_seconds, total_seconds=total_seconds)
    failure: Exception
    try:
        session.open()
        phase = Phase.LOGIN
        session.log_in()
        phase = Phase.SENDER
        _expect(session.mail(sender), *COMPLETED)
        phase = Phase.RECIPIENT
        _expect(session.rcpt(recipient), *COMPLETED)
        phase = Phase.DATA
        _expect(session.docmd("DATA"), GO_ON)
        phase = Phase.TEXT
        session.send(_on_the_wire(letter))
        _expect(session.getreply(), *COMPLETED)
        with suppress(smtplib.SMTPException, OSError):
            session.quit()
        return
    except smtplib.SMTPResponseException as error:
        failure = _refusal(error, phase)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        failure = MailCutError(phase, cause=type(error).__name__)
    finally:
        session.close()
    # Raised here, not above: there it would drag the library's error, and with it the address, along as its context.
    raise failure


def _refusal(error: smtplib.SMTPResponseException, phase: Phase) -> Exception:
    """smtplib's own codes, such as -1 for what is no reply at all, are no word of the server's."""
    if not 400 <= error.smtp_code < 600:
        return MailCutError(phase, cause=type(error).__name__)
    words = error.smtp_error
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
    return MailRefusedError(Phase.GREETING if phase == Phase.CONNECT else phase, reply=error.smtp_code, words=text)


def _expect(reply: tuple[int, bytes], *codes: int) -> None:
    code, words = reply
    if code not in codes:
        raise smtplib.SMTPResponseException(code, words)


def _on_the_wire(letter: bytes) -> bytes:
    """With a dot more before each line that begins with one, and the dot that ends it."""
    stuffed = re.sub(rb"(?m)^\.", b"..", letter)
    return stuffed + (b"" if stuffed.endswith(b"\r\n") else b"\r\n") + b".\r\n"
