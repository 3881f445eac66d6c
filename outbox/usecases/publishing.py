"""Publishing: a fact and the duties it brings are written with what made it true."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from clinicbot import nudge
from clinicbot.bulk import insert_rows
from clinicbot.ids import uuid7
from outbox.contracts import Event, subscriptions_of
from outbox.errors import NotInTransactionError, PayloadTooLargeError, TextInEventError
from outbox.models import OutboxEvent

MAX_PAYLOAD_BYTES = 4096

# Codes, keys, zones and times. A blank, an @ or a leading + or digit run is how people's data looks.
_WORD = re.compile(r"([A-Za-z][A-Za-z0-9_.:/-]*)?")
_ID_OR_TIME = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\d(T[0-9:.+Z-]+)?|\d\d:\d\d(:[0-9.]+)?|-?\d+\.\d+")

_OWE = """
INSERT INTO outbox_outboxdelivery (clinic_id, event_id, handler, state, attempt, reported, next_try_at, last_error)
SELECT clinic_id, event_id, handler, 'pending', 0, 0, clock_timestamp(), ''
FROM unnest(%(clinic_ids)s::bigint[], %(event_ids)s::uuid[], %(handlers)s::text[]) AS new (clinic_id, event_id, handler)
"""


def publish(event: Event, *, now: datetime) -> UUID:
    """Write one event and a delivery for each handler that subscribes today. A handler added later hears nothing of it.

    Raises:
        NotInTransactionError: no transaction is open.
        PayloadTooLargeError: over 4 KB.
        TextInEventError: a field holds more than an id, a time or a word.
    """
    return publish_many([event], now=now)[0]


def publish_many(events: Sequence[Event], *, now: datetime) -> list[UUID]:
    """Like `publish`, in two statements however many there are. Ids come in the order of the events."""
    if not connection.in_atomic_block:
        raise NotInTransactionError
    rows = [_row_of(event, now=now) for event in events]
    insert_rows(rows)
    _owe([(row, subscription.name) for row in rows for subscription in subscriptions_of(row.type)])
    ids = [row.pk for row in rows]
    nudge.after_commit(ids)
    return ids


def _owe(duties: Sequence[tuple[OutboxEvent, str]]) -> None:
    """To each event, in this order, the handlers that subscribe to it."""
    if not duties:
        return
    values: dict[str, Any] = {
        "clinic_ids": [event.clinic_id for event, _handler in duties],
        "event_ids": [event.pk for event, _handler in duties],
        "handlers": [handler for _event, handler in duties],
    }
    with connection.cursor() as cursor:
        cursor.execute(_OWE, values)


def _row_of(event: Event, *, now: datetime) -> OutboxEvent:
    payload = event.payload()
    _check(payload)
    return OutboxEvent(
        id=uuid7(),
        clinic_id=event.clinic_id,
        aggregate_type=event.aggregate_type,
        aggregate_id=event.aggregate_id,
        aggregate_version=event.aggregate_version,
        type=event.name,
        payload=payload,
        occurred_at=now,
    )


def _check(payload: dict[str, Any]) -> None:
    if len(json.dumps(payload).encode()) > MAX_PAYLOAD_BYTES:
        raise PayloadTooLargeError
    for name, text in _texts(payload):
        if not (_WORD.fullmatch(text) or _ID_OR_TIME.fullmatch(text)):
            raise TextInEventError(f"The field {name} of an event may hold an id, a time or a word, nothing else.")


def _texts(payload: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in payload.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield name, item
