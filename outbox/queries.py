"""What is due, what is suspect, and what became of one visit's events."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet

from clinicbot.contracts import Backlog
from clinicbot.models import Clinic
from outbox.contracts import DeadDelivery, DeliveryTold, EventTold
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent

COUNT_UP_TO = 10_001

# The index gives the first row at once; the second look starts behind what this round has seen.
_OUTLOOK = """
    SELECT
        (SELECT next_try_at <= clock_timestamp() FROM outbox_outboxdelivery
          WHERE state = 'pending' ORDER BY next_try_at LIMIT 1),
        extract(epoch FROM (SELECT min(next_try_at) FROM outbox_outboxdelivery
          WHERE state = 'pending' AND next_try_at > %(real)s) - clock_timestamp())
"""


_DEAD_GROUPS = """
    SELECT handler, last_error, count(*) AS deliveries, max(finished_at)
    FROM (
        SELECT handler, last_error, finished_at FROM outbox_outboxdelivery
        WHERE state = 'dead' {whose} ORDER BY finished_at DESC LIMIT %(counted)s
    ) dead GROUP BY 1, 2 ORDER BY deliveries DESC, 4 DESC LIMIT %(limit)s
"""


class DeadGroup(NamedTuple):
    """Deliveries to one handler, given up for one cause. why: class and code of the last failure."""

    handler: str
    why: str
    cases: int
    latest_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Whether something is due, and in how many seconds something else will be."""

    is_any_due: bool
    next_in_seconds: float | None


def backlog(real: datetime) -> Backlog:
    """Deliveries that are due, of all clinics. `real` is the database's time, not the demo's."""
    due = _due(real)
    oldest = due.values_list("next_try_at", flat=True).first()
    return Backlog(due=due.values("pk")[:COUNT_UP_TO].count(), oldest_due_at=oldest)


def events_of(clinic: Clinic, *, aggregate_type: str, aggregate_id: str) -> list[EventTold]:
    """What happened to one thing, oldest first, and how far its handlers have come."""
    events = (
        OutboxEvent.objects.for_clinic(clinic)
        .filter(aggregate_type=aggregate_type, aggregate_id=aggregate_id)
        .order_by("id")
    )
    told: dict[UUID, list[DeliveryTold]] = {event.pk: [] for event in events}
    for delivery in OutboxDelivery.objects.for_clinic(clinic).filter(event_id__in=list(told)).order_by("id"):
        told[delivery.event_id].append(_delivery_told(delivery))
    return [
        EventTold(
            event_id=event.pk,
            type=event.type,
            occurred_at=event.occurred_at,
            payload=event.payload,
            deliveries=tuple(told[event.pk]),
        )
        for event in events
    ]


def list_due(real: datetime, *, suspects: Collection[str], limit: int) -> list[OutboxDelivery]:
    """The oldest that are due, with their events; those of suspect handlers only when there is room left."""
    due = _due(real).select_related("event")
    chosen = list(due.exclude(handler__in=suspects)[:limit])
    if suspects and len(chosen) < limit:
        chosen += due.filter(handler__in=suspects)[: limit - len(chosen)]
    return chosen


def list_due_of(event_ids: Collection[UUID], *, real: datetime, suspects: Collection[str]) -> list[OutboxDelivery]:
    """What is due of these events, in the order they were published; suspect handlers are left out."""
    due = _due(real).filter(event_id__in=event_ids).exclude(handler__in=suspects)
    return list(due.select_related("event").order_by("event_id", "id"))


def list_suspect_handlers(real: datetime) -> list[str]:
    """Handlers with an attempt that never reported back though its time is over: they killed their process or overran.

    Two unreported attempts tell it even while the second is running.
    """
    unreported = OutboxDelivery.unscoped.filter(state=DeliveryState.PENDING, reported__lt=F("attempt"))
    lapsed = unreported.filter(Q(next_try_at__lte=real) | Q(reported__lt=F("attempt") - 1))
    return list(lapsed.order_by("handler").values_list("handler", flat=True).distinct())


def list_dead(*, since: datetime, after: DeadDelivery | None = None, limit: int) -> list[DeadDelivery]:
    """Of all clinics, the longest dead first; `after` is where the page before ended. `since` is the database's time."""
    dead = _dead(since=after.finished_at if after else since)
    if after is not None:
        dead = dead.exclude(finished_at=after.finished_at, pk__lte=after.delivery_id)
    return [_dead_delivery(one) for one in dead.select_related("event").order_by("finished_at", "id")[:limit]]


def count_dead(*, since: datetime) -> int:
    """Of all clinics."""
    return _dead(since=since).values("pk")[:COUNT_UP_TO].count()


def list_dead_groups(*, clinic: Clinic | None, limit: int) -> list[DeadGroup]:
    """Of one clinic or of all, by handler and cause, the most frequent first."""
    whose = "" if clinic is None else "AND clinic_id = %(clinic)s"
    with connection.cursor() as cursor:
        values = {"clinic": clinic.pk if clinic else None, "counted": COUNT_UP_TO, "limit": limit}
        cursor.execute(_DEAD_GROUPS.format(whose=whose), values)
        return [DeadGroup(*row) for row in cursor.fetchall()]


def delivered_among(delivery_ids: Collection[int]) -> set[int]:
    """Those of these, of all clinics, whose handler has done its duty."""
    delivered = OutboxDelivery.unscoped.filter(pk__in=delivery_ids, state=DeliveryState.DELIVERED)
    return set(delivered.values_list("pk", flat=True))


def outlook(real: datetime) -> Outlook:
    """What a round that began at `real` leaves behind, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_OUTLOOK, {"real": real})
        is_any_due, seconds = cursor.fetchone()
    return Outlook(is_any_due=bool(is_any_due), next_in_seconds=None if seconds is None else max(0.0, float(seconds)))


def _due(real: datetime) -> QuerySet[OutboxDelivery]:
    pending = OutboxDelivery.unscoped.filter(state=DeliveryState.PENDING, next_try_at__lte=real)
    return pending.order_by("next_try_at", "id")


def _dead(*, since: datetime) -> QuerySet[OutboxDelivery]:
    return OutboxDelivery.unscoped.filter(state=DeliveryState.DEAD, finished_at__gte=since)


def _dead_delivery(delivery: OutboxDelivery) -> DeadDelivery:
    return DeadDelivery(
        delivery_id=delivery.pk,
        clinic_id=delivery.clinic_id,
        handler=delivery.handler,
        aggregate_type=delivery.event.aggregate_type,
        aggregate_id=delivery.event.aggregate_id,
        why=delivery.last_error,
        finished_at=cast(datetime, delivery.finished_at),  # A constraint says so of what is dead.
    )


def _delivery_told(delivery: OutboxDelivery) -> DeliveryTold:
    return DeliveryTold(
        handler=delivery.handler,
        state=delivery.state,
        label=delivery.get_state_display(),
        attempt=delivery.attempt,
        last_error=delivery.last_error,
        next_try_at=delivery.next_try_at if delivery.state == DeliveryState.PENDING else None,
        finished_at=delivery.finished_at,
    )
