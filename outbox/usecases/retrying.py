"""A person lets deliveries be tried again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from outbox.models import ClockTimestamp, DeliveryState, OutboxDelivery


@transaction.atomic
def retry_deliveries(delivery_ids: Iterable[int], *, actor: Actor, now: datetime) -> int:
    """Make dead and waiting deliveries due at once, with all their attempts before them. Says how many.

    Those whose handler is running are left alone.
    """
    waiting = OutboxDelivery.unscoped.exclude(state=DeliveryState.DELIVERED).filter(pk__in=list(delivery_ids))
    chosen = list(
        waiting.select_related("clinic").order_by("pk").select_for_update(skip_locked=True, no_key=True, of=["self"])
    )
    OutboxDelivery.unscoped.filter(pk__in=[delivery.pk for delivery in chosen]).update(
        state=DeliveryState.PENDING,
        attempt=0,
        in_company=False,
        reported=0,
        next_try_at=ClockTimestamp(),
        last_error="",
        unknown_since=None,
        finished_at=None,
    )
    for delivery in chosen:
        audit.record(
            actor,
            clinic=delivery.clinic,
            action="outbox.retry_delivery",
            subject=delivery,
            detail={"state": delivery.state, "attempt": delivery.attempt, "error": delivery.last_error},
            now=now,
        )
    return len(chosen)
