"""The mail box: every letter that was handed in, whoever it is for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from messaging.simulator.ledger import Ledger

SHOWN = 200
LINK = re.compile(r"(https?://[^\s<>\"']+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """`sender` as the From header shows it. Links lead to the clinic's side."""

    id: int
    at: float
    sender: str
    recipient: str
    subject: str
    text: str

    @property
    def pieces(self) -> list[tuple[bool, str]]:
        """The text in order, each piece with whether it is a link."""
        return [(LINK.fullmatch(piece) is not None, piece) for piece in LINK.split(self.text) if piece]


def keep_letter(ledger: Ledger, *, raw: bytes, recipient: str, at: float) -> int:
    message = message_from_bytes(raw, _class=EmailMessage, policy=default)
    plain = message.get_body(("plain",))
    text = plain.get_content() if plain is not None else ""
    return ledger.add(
        "letters",
        at=at,
        sender=str(message["From"] or ""),
        recipient=recipient,
        subject=str(message["Subject"] or ""),
        text=str(text).replace("\r\n", "\n").strip(),
    )


def list_letters(ledger: Ledger) -> list[Letter]:
    """Newest first."""
    return [_letter(row) for row in ledger.rows("SELECT * FROM letters ORDER BY id DESC LIMIT ?", SHOWN)]


def find_letter(ledger: Ledger, letter_id: int) -> Letter | None:
    row = ledger.row("SELECT * FROM letters WHERE id = ?", letter_id)
    return None if row is None else _letter(row)


def _letter(row: Any) -> Letter:
    return Letter(**{name: row[name] for name in ("id", "at", "sender", "recipient", "subject", "text")})
