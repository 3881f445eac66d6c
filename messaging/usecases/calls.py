"""Counting the signed calls that got no 2xx, each once: whoever weighs evidence on lost receipts must know of all of them."""

from __future__ import annotations

import logging
from datetime import datetime
from uuid import UUID

from django.db import Error as DatabaseError

from clinicbot import clock
from clinicbot.bulk import insert_rows
from messaging.models import WebhookCall

logger = logging.getLogger(__name__)

_owed: dict[UUID, int] = {}
"""By call, the status of the last refusal that could not be written down, for the database was away too. One weighs as much
as many."""


def begin_call(call_id: UUID, *, real: datetime) -> None:
    """Commit that it is under way before anything is done for it: its process may be killed. Again is the same."""
    write_owed_refusals()
    insert_rows([WebhookCall(id=call_id, begun_at=real)], skips_conflicts=True)


def end_call(call_id: UUID) -> None:
    """In the transaction that keeps what it brought."""
    WebhookCall.objects.filter(pk=call_id).delete()


def note_refusal(call_id: UUID, *, status: int) -> None:
    """Write it down; if the database does not let us, with the next call that this process takes."""
    _owed.clear()
    _owed[call_id] = status
    try:
        write_owed_refusals()
    except DatabaseError:
        logger.warning("A refusal could not be written down yet.")


def write_owed_refusals() -> None:
    """Where not even the beginning was written, dated now: too late counts for more attempts, never for fewer."""
    for call_id, status in list(_owed.items()):
        WebhookCall.objects.update_or_create(
            pk=call_id,
            defaults={"status": status},
            create_defaults={"begun_at": clock.real(), "status": status},
        )
        _owed.pop(call_id, None)
