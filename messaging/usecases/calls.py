"""Counting the signed calls that got no 2xx, each once: whoever weighs evidence on lost receipts must know of all of them."""

from __future__ import annotations

import hashlib
import logging
from typing import NamedTuple, Self
from uuid import UUID

from django.db import Error as DatabaseError
from django.db import connection

from clinicbot import clock
from clinicbot.ids import uuid7
from messaging.models import WebhookCall

logger = logging.getLogger(__name__)


class Call(NamedTuple):
    """One signed call. By its body's digest (SHA-256, hex) it is known when it comes again."""

    id: UUID
    body_digest: str

    @classmethod
    def with_body(cls, body: bytes) -> Self:
        return cls(id=uuid7(), body_digest=hashlib.sha256(body).hexdigest())


_owed: dict[Call, int] = {}
"""By call, the status of the last refusal that could not be written down, for the database was away too. One weighs as much
as many."""


_BEGIN = f"""
WITH begun AS (
    INSERT INTO messaging_webhookcall (id, begun_at, body_digest)
    VALUES (%(id)s, clock_timestamp(), %(body_digest)s) ON CONFLICT DO NOTHING
)
{clock.READ}
"""

_END = """
DELETE FROM messaging_webhookcall WHERE id IN (
    SELECT id FROM messaging_webhookcall WHERE body_digest = %(body_digest)s ORDER BY id FOR UPDATE
)
"""


def begin_call(call: Call) -> clock.Reading:
    """Commit that it is under way before anything is done for it: its process may be killed. Again is the same.
    Answers when that was: one statement for both.
    """
    write_owed_refusals()
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, call._asdict())
        return clock.as_read(cursor.fetchone())


def end_call(call: Call) -> None:
    """In the transaction that keeps what it brought. A call that was refused or cut off, and came again with the same body,
    has told us all it had to say: it no longer counts.
    """
    with connection.cursor() as cursor:
        cursor.execute(_END, call._asdict())


def note_refusal(call: Call, *, status: int) -> None:
    """Write it down; if the database does not let us, with the next call that this process takes."""
    _owed.clear()
    _owed[call] = status
    try:
        write_owed_refusals()
    except DatabaseError:
        logger.warning("A refusal could not be written down yet.")


def write_owed_refusals() -> None:
    """Where not even the beginning was written, dated now: too late counts for more attempts, never for fewer."""
    for call, status in list(_owed.items()):
        WebhookCall.objects.update_or_create(
            pk=call.id,
            defaults={"status": status},
            create_defaults={"begun_at": clock.real(), "status": status, "body_digest": call.body_digest},
        )
        _owed.pop(call, None)
