"""One letter, as RFC 5322 has it: plain text, and the same as HTML."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape
from uuid import UUID

from messaging.channels.base import FreeContent, Letterhead

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LINK = re.compile(r"https?://[^\s<>\"']+")
PAGE = '<!doctype html>\n<html lang="{language}">\n<body>\n{paragraphs}\n</body>\n</html>\n'


def letter(content: FreeContent, *, attempt_id: UUID, sender: str, recipient: str) -> bytes:
    """The whole letter. Our attempt's id is its Message-ID, so that a bounce or an answer names it."""
    head = content.letterhead or Letterhead(subject="", sender_name="", language="")
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(display_name=one_line(head.sender_name), addr_spec=in_ascii(sender))
    message["To"] = Address(addr_spec=in_ascii(recipient))
    message["Subject"] = one_line(head.subject)
    message["Message-ID"] = message_id(attempt_id, sender=sender)
    message["Date"] = format_datetime(_made_at(attempt_id))
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: whoever is away does not answer it.
    message.set_content(content.body, cte="quoted-printable")
    message.add_alternative(as_html(content.body, language=head.language), subtype="html", cte="quoted-printable")
    if head.language:
        message["Content-Language"] = head.language  # Last: until now it would have become the first part's.
    return message.as_bytes()


def message_id(attempt_id: UUID, *, sender: str) -> str:
    return f"<{attempt_id}@{domain_of(sender)}>"


def domain_of(address: str) -> str:
    return in_ascii(address).rpartition("@")[2]


def in_ascii(address: str) -> str:
    """The domain as mail servers spell it. Raises `ValueError` when it cannot be spelt."""
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.encode('idna').decode('ascii')}"


def one_line(text: str) -> str:
    """A line break in a header would begin another header."""
    return " ".join(text.split())


def as_html(body: str, *, language: str) -> str:
    """A paragraph for each; what looks like a link is one, and nothing else that was written is markup."""
    paragraphs = re.split(r"\n{2,}", body.strip())
    return PAGE.format(language=escape(language), paragraphs="\n".join(f"<p>{_inner(one)}</p>" for one in paragraphs))


def _inner(paragraph: str) -> str:
    pieces, at = [], 0
    for match in LINK.finditer(paragraph):
        link = escape(match.group())
        pieces += [escape(paragraph[at : match.start()]), f'<a href="{link}">{link}</a>']
        at = match.end()
    return "".join([*pieces, escape(paragraph[at:])]).replace("\n", "<br>\n")


def _made_at(attempt_id: UUID) -> datetime:
    """A version 7 UUID begins with its time in milliseconds."""
    return EPOCH + timedelta(milliseconds=attempt_id.int >> 80)
