"""Dispatch: run the handlers that are due. For the tick, and at once for the nudge."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from clinicbot.clock import Reading
from clinicbot.errors import summary_of
from clinicbot.ticks import Deadline, StepReport
from outbox import conf, queries
from outbox.contracts import Subscription, find_subscription
from outbox.models import OutboxDelivery
from outbox.usecases import attempts

logger = logging.getLogger(__name__)


class Outcome(StrEnum):
    """What came of one look at one delivery; the words are the tick's counts."""

    DELIVERED = "deliveries_done"
    FAILED = "deliveries_failed"
    DEAD = "deliveries_dead"
    UNKNOWN = "deliveries_of_unknown_handlers"
    NOT_OURS = "deliveries_left_to_others"


def deliver_due(*, now: datetime, real: datetime, deadline: Deadline, limit: int) -> StepReport:
    """Run what is due, oldest first; handlers that killed their process or overran come last."""
    at = Reading(now=now, real=real)
    suspects = queries.list_suspect_handlers(real)
    counts = _deliver(queries.list_due(real, suspects=suspects, limit=limit), at=at, deadline=deadline)
    outlook = queries.outlook(real)
    # What others hold is due as well; without progress another round would only look at it again.
    has_progressed = any(outcome != Outcome.NOT_OURS for outcome in counts)
    return StepReport(
        counts={outcome.value: count for outcome, count in counts.items()},
        more=has_progressed and outlook.is_any_due,
        next_due_in_seconds=outlook.next_in_seconds,
    )


def deliver_events(event_ids: Sequence[UUID], *, now: datetime, real: datetime, deadline: Deadline) -> None:
    """Run what is due of these events, in their order. What is left, and whoever kills processes, is the tick's."""
    suspects = queries.list_suspect_handlers(real)
    deliveries = queries.list_due_of(event_ids, real=real, suspects=suspects)
    _deliver(deliveries, at=Reading(now=now, real=real), deadline=deadline)


def _deliver(deliveries: Sequence[OutboxDelivery], *, at: Reading, deadline: Deadline) -> Counter[Outcome]:
    counts: Counter[Outcome] = Counter()
    for delivery in deliveries:
        if deadline.is_over():
            break
        subscription = find_subscription(delivery.handler)
        if subscription is None:
            counts[_wait_for_code(delivery, real=at.real)] += 1
        elif delivery.attempt >= subscription.max_attempts:
            counts[_bury(delivery, error=delivery.last_error or "crashed")] += 1
        elif attempts.count(delivery, subscription=subscription):
            counts[_attempt(delivery, subscription=subscription, now=at.now, deadline=deadline)] += 1
        else:
            counts[Outcome.NOT_OURS] += 1
    return counts


def _attempt(delivery: OutboxDelivery, *, subscription: Subscription, now: datetime, deadline: Deadline) -> Outcome:
    """Run one handler, whose attempt is counted and committed, in one transaction with its "delivered" mark."""
    allowance = min(
        float(subscription.time_limit_seconds),
        max(deadline.remaining_seconds(), conf.SHORTEST_ALLOWANCE_SECONDS),
    )
    begun = time.monotonic()
    try:
        with transaction.atomic(durable=True):
            if not attempts.lock(delivery, allowance_seconds=allowance):
                return Outcome.NOT_OURS
            event = subscription.event_class.restore(clinic_id=delivery.clinic_id, payload=delivery.event.payload)
            subscription.handle(event, now=now)
            attempts.finish(delivery)
    except Exception as error:  # noqa: BLE001  # Whatever a handler does, the other deliveries have their turn.
        return _record_failure(
            delivery, subscription=subscription, error=error, has_overrun=time.monotonic() - begun >= allowance
        )
    return Outcome.DELIVERED


def _record_failure(
    delivery: OutboxDelivery, *, subscription: Subscription, error: Exception, has_overrun: bool
) -> Outcome:
    logger.warning("A handler failed.", exc_info=error, extra=_ids(delivery) | {"has_overrun": has_overrun})
    if delivery.attempt >= subscription.max_attempts:
        return _bury(delivery, error=summary_of(error))
    is_recorded = attempts.postpone(delivery, error=summary_of(error), is_reported=not has_overrun)
    return Outcome.FAILED if is_recorded else Outcome.NOT_OURS


def _wait_for_code(delivery: OutboxDelivery, *, real: datetime) -> Outcome:
    """A deploy may have taken the handler away by mistake, or this host may be behind the others."""
    logger.error("No handler answers to this name.", extra=_ids(delivery))
    if delivery.unknown_since and delivery.unknown_since <= real - conf.UNKNOWN_DEAD_AFTER:
        return _bury(delivery, error="unknown_handler")
    return Outcome.UNKNOWN if attempts.wait_for_code(delivery, error="unknown_handler") else Outcome.NOT_OURS


def _bury(delivery: OutboxDelivery, *, error: str) -> Outcome:
    if not attempts.bury(delivery, error=error):
        return Outcome.NOT_OURS
    logger.error("A delivery is dead; staff can try it again.", extra=_ids(delivery) | {"reason": error})
    return Outcome.DEAD


def _ids(delivery: OutboxDelivery) -> dict[str, object]:
    return {
        "clinic": delivery.clinic_id,
        "event": str(delivery.event_id),
        "delivery": delivery.pk,
        "handler": delivery.handler,
        "attempt": delivery.attempt,
    }
