"""Dispatch: run the handlers that are due. For the tick, and at once for the nudge."""

from __future__ import annotations

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from clinicbot import clock
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


def deliver_with_what_follows(*, now: datetime, real: datetime, deadline: Deadline, limit: int) -> StepReport:
    """Run what is due, and what that publishes, `limit` in all: what a person wrote is acted on before the tick goes on to
    say anything more to them.
    """
    report = deliver_due(now=now, real=real, deadline=deadline, limit=limit)
    counts = Counter(report.counts)
    while report.more and counts.total() < limit and not deadline.is_over():
        left = limit - counts.total()
        # At the round's moment, for what is queued now is to be due when this round comes to send.
        report = deliver_due(now=now, real=clock.real(), deadline=deadline, limit=left)
        counts += Counter(report.counts)
    return StepReport(counts=counts, more=report.more, next_due_in_seconds=report.next_due_in_seconds)


def deliver_due(*, now: datetime, real: datetime, deadline: Deadline, limit: int) -> StepReport:
    """Run what is due, oldest first; handlers that killed their process or overran come last."""
    at = Reading(now=now, real=real)
    suspects = queries.list_suspect_handlers(real)
    due = queries.list_due(real, suspects=suspects, limit=limit)
    counts = _deliver(due, suspects=suspects, at=at, deadline=deadline)
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
    _deliver(deliveries, suspects=suspects, at=Reading(now=now, real=real), deadline=deadline)


def _deliver(
    deliveries: Sequence[OutboxDelivery], *, suspects: Collection[str], at: Reading, deadline: Deadline
) -> Counter[Outcome]:
    crowd = _Crowd(deliveries, suspects=suspects)
    counts: Counter[Outcome] = Counter()
    for delivery in deliveries:
        if deadline.is_over():
            break
        if delivery.pk in crowd.went_along:
            continue
        subscription = find_subscription(delivery.handler)
        if subscription is None:
            counts[_wait_for_code(delivery, real=at.real)] += 1
        elif delivery.charged >= subscription.max_attempts:
            counts[_bury(delivery, error=delivery.last_error or "crashed")] += 1
        else:
            counts += _count_and_attempt(delivery, crowd=crowd, subscription=subscription, at=at, deadline=deadline)
    return counts


def _count_and_attempt(
    delivery: OutboxDelivery, *, crowd: _Crowd, subscription: Subscription, at: Reading, deadline: Deadline
) -> Counter[Outcome]:
    companions = crowd.around(delivery, subscription=subscription)
    if not attempts.count(delivery, subscription=subscription, in_company=bool(companions)):
        return Counter([Outcome.NOT_OURS])
    if companions:
        return _attempt_in_crowd(
            delivery, companions, crowd=crowd, subscription=subscription, now=at.now, deadline=deadline
        )
    return Counter([_attempt(delivery, subscription=subscription, now=at.now, deadline=deadline)])


class _Crowd:
    """Which deliveries may go along with another of their handler and clinic, and which have.

    Only those never tried, and with one never tried: what failed before, or is of a handler that kills processes, is handled
    alone. And after one crowd has failed, no more of that handler in this round.
    """

    def __init__(self, deliveries: Sequence[OutboxDelivery], *, suspects: Collection[str]) -> None:
        self.went_along: set[int] = set()
        self._alone = set(suspects)
        self._untried: defaultdict[tuple[str, int], list[OutboxDelivery]] = defaultdict(list)
        for delivery in deliveries:
            if delivery.attempt == 0:
                self._untried[delivery.handler, delivery.clinic_id].append(delivery)

    def around(self, delivery: OutboxDelivery, *, subscription: Subscription) -> list[OutboxDelivery]:
        """delivery: about to be counted."""
        if subscription.together is None or delivery.attempt > 0 or delivery.handler in self._alone:
            return []
        others = self._untried[delivery.handler, delivery.clinic_id]
        waiting = [one for one in others if one.attempt == 0 and one.pk not in {*self.went_along, delivery.pk}]
        return waiting[: subscription.together - 1]

    def split(self, handler: str) -> None:
        self._alone.add(handler)


def _attempt_in_crowd(
    delivery: OutboxDelivery,
    companions: Sequence[OutboxDelivery],
    *,
    crowd: _Crowd,
    subscription: Subscription,
    now: datetime,
    deadline: Deadline,
) -> Counter[Outcome]:
    """With those that may go along; when that fails, alone, so that nobody is charged for a neighbour's failure."""
    try:
        along = _run(delivery, companions, subscription=subscription, now=now, deadline=deadline)
    except Exception as error:  # Whatever a handler does, each delivery has its turn.
        logger.warning("Deliveries failed together.", exc_info=error, extra=_ids(delivery))
        crowd.split(delivery.handler)
    else:
        crowd.went_along |= {one.pk for one in along or ()}
        return Counter({Outcome.NOT_OURS: 1} if along is None else {Outcome.DELIVERED: 1 + len(along)})
    if not attempts.leave_company(delivery):
        return Counter([Outcome.NOT_OURS])
    return Counter([_attempt(delivery, subscription=subscription, now=now, deadline=deadline)])


def _run(
    delivery: OutboxDelivery,
    companions: Sequence[OutboxDelivery],
    *,
    subscription: Subscription,
    now: datetime,
    deadline: Deadline,
) -> list[OutboxDelivery] | None:
    """The handler, in one transaction with its "delivered" marks. Answers which companions went along; None: not ours."""
    with transaction.atomic(durable=True):
        if not attempts.lock(delivery, allowance_seconds=_allowance_seconds(subscription, deadline=deadline)):
            return None
        along = attempts.lock_companions(companions)
        events = [
            subscription.event_class.restore(clinic_id=one.clinic_id, payload=one.event.payload)
            for one in (delivery, *along)
        ]
        subscription.run(events, now=now)
        attempts.finish(delivery)
        attempts.finish_companions(along)
    return along


def _allowance_seconds(subscription: Subscription, *, deadline: Deadline) -> float:
    left = max(deadline.remaining_seconds(), conf.SHORTEST_ALLOWANCE_SECONDS)
    return min(float(subscription.time_limit_seconds), left)


def _attempt(delivery: OutboxDelivery, *, subscription: Subscription, now: datetime, deadline: Deadline) -> Outcome:
    """Run one handler, whose attempt is counted and committed."""
    allowance = _allowance_seconds(subscription, deadline=deadline)
    begun = time.monotonic()
    try:
        along = _run(delivery, (), subscription=subscription, now=now, deadline=deadline)
    except Exception as error:  # noqa: BLE001  # Whatever a handler does, the other deliveries have their turn.
        return _record_failure(
            delivery, subscription=subscription, error=error, has_overrun=time.monotonic() - begun >= allowance
        )
    return Outcome.NOT_OURS if along is None else Outcome.DELIVERED


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
