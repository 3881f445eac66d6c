"""The steps of one delivery, each a compare-and-swap. All times are the database's real ones.

Rows that another process holds are passed over, never waited for: it is running the handler.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from outbox import conf
from outbox.contracts import Subscription
from outbox.models import OutboxDelivery

MAX_ERROR_LENGTH = 500

# The state is asked twice: a row that changed while the lock was taken is not of the kind we came for.
_SWAP = """
    WITH mine AS MATERIALIZED (
        SELECT id FROM outbox_outboxdelivery
        WHERE id = %(id)s AND state = 'pending' AND attempt = %(attempt)s
        FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE outbox_outboxdelivery AS delivery SET {changes}
    FROM mine WHERE delivery.id = mine.id AND delivery.state = 'pending'
"""

# An attempt that began in company and was never heard of again is given back: this one takes its number. Of two who want
# that at once, the second no longer finds it so.
_COUNT = (
    _SWAP.format(
        changes="""
        attempt = %(charged)s + 1,
        in_company = %(in_company)s,
        next_try_at = clock_timestamp() + make_interval(secs => %(wait)s),
        last_error = '',
        unknown_since = NULL
    """
    )
    + " AND delivery.in_company = %(was_in_company)s"
)
_LEAVE_COMPANY = _SWAP.format(changes="in_company = false")
_POSTPONE = _SWAP.format(
    changes="""
        next_try_at = clock_timestamp() + make_interval(secs => %(wait)s),
        last_error = %(error)s,
        reported = CASE WHEN %(is_reported)s THEN delivery.attempt ELSE delivery.reported END
    """
)
_WAIT_FOR_CODE = _SWAP.format(
    changes="""
        next_try_at = clock_timestamp() + make_interval(secs => %(wait)s),
        last_error = %(error)s,
        unknown_since = COALESCE(delivery.unknown_since, clock_timestamp())
    """
)
_BURY = _SWAP.format(
    changes="""
        state = 'dead',
        finished_at = clock_timestamp(),
        last_error = %(error)s
    """
)
_LOCK = """
    SELECT set_config('statement_timeout', %(milliseconds)s, true),
           set_config('idle_in_transaction_session_timeout', %(milliseconds)s, true)
    FROM outbox_outboxdelivery
    WHERE id = %(id)s AND state = 'pending'
    FOR NO KEY UPDATE SKIP LOCKED
"""
_FINISH = """
    UPDATE outbox_outboxdelivery
    SET state = 'delivered', finished_at = clock_timestamp(), last_error = '', reported = attempt, in_company = false
    WHERE id = %(id)s AND state = 'pending'
"""
_LOCK_COMPANIONS = """
    SELECT id FROM outbox_outboxdelivery
    WHERE id = ANY(%(ids)s) AND state = 'pending' AND attempt = 0
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
"""
_FINISH_COMPANIONS = """
    UPDATE outbox_outboxdelivery
    SET state = 'delivered', finished_at = clock_timestamp(), attempt = 1, reported = 1
    WHERE id = ANY(%(ids)s) AND state = 'pending'
"""


def count(delivery: OutboxDelivery, *, subscription: Subscription, in_company: bool) -> bool:
    """Count one attempt, just before it runs, and look again only when it can no longer be running.

    in_company: others go along, so that it is charged only once it has ended or is run alone.
    False: another process was first, or is at it. Afterwards `delivery.attempt` is the attempt that was counted.
    """
    charged = delivery.charged
    wait = subscription.time_limit_seconds + conf.BACKOFF.seconds_after(charged + 1)
    was_in_company = delivery.in_company
    if not _swap(_COUNT, delivery, wait=wait, charged=charged, in_company=in_company, was_in_company=was_in_company):
        return False
    delivery.attempt, delivery.in_company = charged + 1, in_company
    return True


def leave_company(delivery: OutboxDelivery) -> bool:
    """The same attempt goes on alone, and is charged whatever comes. False: another process is at it."""
    if not _swap(_LEAVE_COMPANY, delivery):
        return False
    delivery.in_company = False
    return True


def lock(delivery: OutboxDelivery, *, allowance_seconds: float) -> bool:
    """Take the row for this transaction where it still waits, and bound what the transaction may take."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, {"id": delivery.pk, "milliseconds": str(round(allowance_seconds * 1000))})
        return cursor.fetchone() is not None


def finish(delivery: OutboxDelivery) -> None:
    """Record the success in the handler's own transaction, under the lock."""
    with connection.cursor() as cursor:
        cursor.execute(_FINISH, {"id": delivery.pk})


def lock_companions(deliveries: Sequence[OutboxDelivery]) -> list[OutboxDelivery]:
    """Those of these that nobody has tried yet: they are not charged, for they only go along."""
    if not deliveries:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_COMPANIONS, {"ids": [delivery.pk for delivery in deliveries]})
        ours = {delivery_id for (delivery_id,) in cursor.fetchall()}
    return [delivery for delivery in deliveries if delivery.pk in ours]


def finish_companions(deliveries: Sequence[OutboxDelivery]) -> None:
    """In the transaction that handled them, under their locks: tried once, with success."""
    if deliveries:
        with connection.cursor() as cursor:
            cursor.execute(_FINISH_COMPANIONS, {"ids": [delivery.pk for delivery in deliveries]})


def postpone(delivery: OutboxDelivery, *, error: str, is_reported: bool) -> bool:
    """Record a failure and back off. Not `is_reported`: it overran, which counts as a crash."""
    wait = conf.BACKOFF.seconds_after(delivery.attempt)
    return _swap(_POSTPONE, delivery, wait=wait, error=error[:MAX_ERROR_LENGTH], is_reported=is_reported)


def wait_for_code(delivery: OutboxDelivery, *, error: str) -> bool:
    """Keep, uncharged, what no handler of this release answers to."""
    return _swap(_WAIT_FOR_CODE, delivery, wait=conf.UNKNOWN_RETRY.total_seconds(), error=error)


def bury(delivery: OutboxDelivery, *, error: str) -> bool:
    """Give up: a person may try again."""
    return _swap(_BURY, delivery, error=error[:MAX_ERROR_LENGTH])


def _swap(sql: str, delivery: OutboxDelivery, **values: float | str | bool) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"id": delivery.pk, "attempt": delivery.attempt, **values})
        return bool(cursor.rowcount)
