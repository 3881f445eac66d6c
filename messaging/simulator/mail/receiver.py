"""The mail server of the demo: it takes every letter, and delivers all of them to one mail box."""

from __future__ import annotations

import logging
import socket

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from messaging.simulator.mail.letters import keep_letter
from messaging.simulator.world import World


class Receiver:
    """Listens on `options.mail_port`; 0 takes any free port."""

    def __init__(self, world: World) -> None:
        logging.getLogger("mail.log").setLevel(logging.ERROR)  # The library would log whom each letter is for.
        self._world = world
        host = world.options.host
        self._controller = Controller(
            self, hostname=host, port=world.options.mail_port or _free_port(host), server_hostname="simulator"
        )

    @property
    def port(self) -> int:
        return int(self._controller.port)

    def start(self) -> None:
        self._controller.start()

    def stop(self) -> None:
        self._controller.stop()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (its name)
        raw, at = bytes(envelope.original_content or b""), self._world.clock.now()
        for recipient in envelope.rcpt_tos:
            keep_letter(self._world.ledger, raw=raw, recipient=str(recipient), at=at)
        self._world.announce()
        return "250 2.0.0 Taken"


def _free_port(host: str) -> int:
    with socket.create_server((host, 0)) as listener:
        return int(listener.getsockname()[1])
