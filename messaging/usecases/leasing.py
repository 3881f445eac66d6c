"""Taking queued messages in hand for a moment. The state stays `queued`; what is in nobody's hand is found by its lapse."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from messaging import conf
from messaging.contracts import TaskReason
from messaging.models import Attempt, AttemptState, Message, MessageState
from messaging.reasons import Reason
from messaging.usecases.changing import first_subject, move, person_of, save
from messaging.usecases.tasks import open_task

MAX_LAPSES = 3
RESCUE_BATCH = 500
IGNORE_URGENCY_EVERY = 5

_leases = itertools.count(1)

# Which (urgency, clinic) pairs have anything queued: a loose index scan, so that a clinic's ten thousand rows cost one step.
# Then each pair's own first few, in turns; the candidates are more than wanted, since another process may hold some.
# A materialised choice, and the state asked again in the update: without either a plan may take more than it was to.
_LEASE = """
WITH RECURSIVE pairs AS (
    (SELECT urgency, clinic_id FROM messaging_message WHERE state = 'queued' ORDER BY urgency, clinic_id LIMIT 1)
    UNION ALL
    SELECT following.urgency, following.clinic_id FROM pairs CROSS JOIN LATERAL (
        SELECT urgency, clinic_id FROM messaging_message
        WHERE state = 'queued' AND (urgency, clinic_id) > (pairs.urgency, pairs.clinic_id)
        ORDER BY urgency, clinic_id LIMIT 1
    ) AS following
), candidates AS MATERIALIZED (
    SELECT due.id, row_number() OVER (ORDER BY {order}, due.due_at, due.id) AS place
    FROM pairs CROSS JOIN LATERAL (
        SELECT id, due_at, row_number() OVER (ORDER BY due_at, id) AS turn FROM (
            SELECT id, due_at FROM messaging_message
            WHERE state = 'queued' AND urgency = pairs.urgency AND clinic_id = pairs.clinic_id
                AND due_at <= %(now)s AND leased_until IS NULL AND NOT runs_alone
            ORDER BY due_at, id LIMIT %(candidates)s
        ) AS first_few
    ) AS due
    WHERE pairs.clinic_id <> ALL(%(resting)s)
    ORDER BY place LIMIT %(candidates)s
), chosen AS MATERIALIZED (
    SELECT message.id FROM candidates JOIN messaging_message AS message USING (id)
    WHERE message.state = 'queued' AND message.leased_until IS NULL
    ORDER BY candidates.place LIMIT %(limit)s
    FOR NO KEY UPDATE OF message SKIP LOCKED
)
UPDATE messaging_message AS message
SET lease_no = message.lease_no + 1, leased_until = clock_timestamp() + %(lease)s
FROM chosen WHERE message.id = chosen.id AND message.state = 'queued' AND message.leased_until IS NULL
RETURNING message.clinic_id, message.id, message.lease_no
"""

_LEASE_ONE_ALONE = """
WITH chosen AS MATERIALIZED (
    SELECT id FROM messaging_message
    WHERE state = 'queued' AND runs_alone AND due_at <= %(now)s AND leased_until IS NULL
        AND clinic_id <> ALL(%(resting)s)
    ORDER BY due_at, id LIMIT 1
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE messaging_message AS message
SET lease_no = message.lease_no + 1, leased_until = clock_timestamp() + %(lease)s
FROM chosen WHERE message.id = chosen.id AND message.state = 'queued' AND message.leased_until IS NULL
RETURNING message.clinic_id, message.id, message.lease_no
"""

# In the order in which everybody locks messages. The number rises, so that nobody else's lease is ended by it later.
_GIVE_BACK = """
WITH mine AS MATERIALIZED (
    SELECT message.id FROM messaging_message AS message
    JOIN unnest(%(ids)s::uuid[], %(numbers)s::int[]) AS held (id, lease_no) USING (id, lease_no)
    WHERE message.state = 'queued'
    ORDER BY message.id FOR NO KEY UPDATE OF message
)
UPDATE messaging_message AS message SET lease_no = message.lease_no + 1, leased_until = NULL
FROM mine WHERE message.id = mine.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leased:
    clinic_id: int
    message_id: UUID
    lease_no: int


def lease_batch(*, resting: Collection[int], now: datetime) -> list[Leased]:
    """As many due messages as a wave takes, urgent ones first and clinics in turns; every fifth time urgency does not count,
    so that nothing starves. Those of `resting` clinics stay. The lease runs by the database's clock, read where it is written.
    """
    in_turns = next(_leases) % IGNORE_URGENCY_EVERY == 0
    order = "due.turn" if in_turns else "pairs.urgency, due.turn"
    return _lease(_LEASE.format(order=order), resting=resting, limit=conf.send_threads(), now=now)


def lease_alone(*, resting: Collection[int], now: datetime) -> list[Leased]:
    """One of the messages whose lease has lapsed before: should it have been the cause, it takes no neighbour with it."""
    return _lease(_LEASE_ONE_ALONE, resting=resting, limit=1, now=now)


def give_back(leased: Sequence[Leased]) -> None:
    """Nothing was done about them, so nothing is charged: whoever comes next may lease them like any other."""
    values: dict[str, Any] = {
        "ids": [row.message_id for row in leased],
        "numbers": [row.lease_no for row in leased],
    }
    with connection.cursor() as cursor:
        cursor.execute(_GIVE_BACK, values)


def waits_alone(*, now: datetime) -> bool:
    """Whether `lease_alone` would find one, at any clinic."""
    return Message.unscoped.filter(
        state=MessageState.QUEUED, runs_alone=True, due_at__lte=now, leased_until__isnull=True
    ).exists()


def _lease(sql: str, *, resting: Collection[int], limit: int, now: datetime) -> list[Leased]:
    lease = timedelta(seconds=conf.send_lease_seconds())
    values: dict[str, Any] = {
        "now": now,
        "limit": limit,
        "candidates": limit * 4,
        "resting": list(resting),
        "lease": lease,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows = cursor.fetchall()
    return [Leased(clinic_id=clinic_id, message_id=pk, lease_no=lease_no) for clinic_id, pk, lease_no in rows]


@transaction.atomic
def rescue_lapsed_leases(*, real: datetime, now: datetime) -> int:
    """Queued messages whose holder has not come back: free again, nothing charged, but from now on leased alone. A lapse
    while alone is the message's own; three end it, and a person looks. Returns how many.
    """
    lapsed = list(
        Message.unscoped.select_for_update(skip_locked=True, no_key=True)
        .filter(state=MessageState.QUEUED, leased_until__lt=real)
        .order_by("leased_until")[:RESCUE_BATCH]
    )
    in_doubt = Attempt.unscoped.filter(message__in=lapsed, state=AttemptState.UNKNOWN).values_list(
        "message_id", flat=True
    )
    doubted = set(in_doubt)
    for message in lapsed:
        _note_lapse(message, is_in_doubt=message.pk in doubted, now=now)
    save(lapsed)
    return len(lapsed)


def _note_lapse(message: Message, *, is_in_doubt: bool, now: datetime) -> None:
    """With an attempt in doubt it cannot be called failed."""
    message.lapses += 1 if message.runs_alone else 0
    message.runs_alone = True
    if message.lapses >= MAX_LAPSES and is_in_doubt:
        move(message, MessageState.UNKNOWN, reason=Reason.IN_DOUBT, now=now)
    elif message.lapses >= MAX_LAPSES:
        move(message, MessageState.FAILED, reason=Reason.CRASHED, now=now)
        report_failure(message, now=now)
    else:
        move(message, MessageState.QUEUED, reason=message.reason, now=now)


def report_failure(message: Message, *, reason: TaskReason = TaskReason.NOT_DELIVERED, now: datetime) -> None:
    """A person at the clinic sees what did not arrive, and why."""
    open_task(
        message.clinic_id,
        reason=reason,
        unique_key=failure_key(message.pk),
        person=person_of(message),
        subject=first_subject(message),
        message_id=message.pk,
        detail=message.reason,
        now=now,
    )


def failure_key(message_id: UUID) -> str:
    return f"message:{message_id}"
