"""Purging: events that every handler has dealt with, by age."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

# Pending and dead deliveries keep their event, however old. Finished counts, not written: a late retry starts the clock.
_PURGE = """
    WITH old AS MATERIALIZED (
        SELECT event.id FROM outbox_outboxevent AS event
        WHERE event.occurred_at < %(before)s
          AND NOT EXISTS (
            SELECT FROM outbox_outboxdelivery AS delivery
            WHERE delivery.event_id = event.id
              AND (delivery.state <> 'delivered' OR delivery.finished_at >= %(before)s)
          )
        ORDER BY event.occurred_at, event.id
        LIMIT %(limit)s
        FOR UPDATE SKIP LOCKED
    ), deliveries AS (
        DELETE FROM outbox_outboxdelivery AS delivery USING old WHERE delivery.event_id = old.id
    )
    DELETE FROM outbox_outboxevent AS event USING old WHERE event.id = old.id
"""


def purge_delivered_events(*, before: datetime, limit: int) -> int:
    """Remove at most `limit` events that were over with before that moment, the oldest first. Says how many."""
    with connection.cursor() as cursor:
        cursor.execute(_PURGE, {"before": before, "limit": limit})
        return int(cursor.rowcount)
