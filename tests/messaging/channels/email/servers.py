"""Mail servers on this machine: one that answers as it is told, and lines that break where they are told to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session


@dataclass
class Taken:
    sender: str
    recipients: list[str]
    letter: EmailMessage
    raw: bytes = field(repr=False)


class MailServer:
    """`answers`: by command, such as {"RCPT": "550 5.1.1 Nobody here"}. `password`: whoever does not know it is turned away."""

    def __init__(self, *, answers: Mapping[str, str] | None = None, password: str = "") -> None:
        self.taken: list[Taken] = []
        self._answers = dict(answers or {})
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=free_port(),
            auth_require_tls=False,
            server_hostname="mx",
            authenticator=lambda *given: AuthResult(success=given[-1].password.decode() == password, handled=False),
        )

    @property
    def port(self) -> int:
        return int(self._controller.port)

    async def handle_MAIL(  # noqa: N802 (the library's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        return self._answers.get("MAIL", "250 OK")

    async def handle_RCPT(  # noqa: N802 (the library's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self._answers.get("RCPT", "250 OK")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = self._answers.get("DATA", "250 OK")
        if answer.startswith("250"):
            raw = bytes(envelope.original_content or b"")
            letter = message_from_bytes(raw, _class=EmailMessage, policy=default)
            self.taken.append(Taken(str(envelope.mail_from), list(envelope.rcpt_tos), letter, raw))
        return answer


@contextmanager
def mail_server(**wishes: Any) -> Iterator[MailServer]:
    server = MailServer(**wishes)
    server._controller.start()
    try:
        yield server
    finally:
        server._controller.stop()


@contextmanager
def line(script: bytes, *, hears: bytes = b"") -> Iterator[int]:
    """A port where the first caller gets the script at once, is listened to until `hears` was said, and is cut off."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        caller, _address = listener.accept()
        with caller:
            caller.sendall(script)
            heard = b""
            while hears not in heard and (more := caller.recv(65536)):
                heard += more

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        thread.join(10)
        listener.close()


@contextmanager
def silence(greeting: bytes = b"") -> Iterator[int]:
    """A port where somebody takes the call, says no more than the greeting, and never hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        caller, _address = listener.accept()
        with caller:
            caller.sendall(greeting)
            over.wait(20)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        thread.join(10)
        listener.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
