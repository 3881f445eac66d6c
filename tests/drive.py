"""Moves the product on by hand: what ticks and nudges would do, with no clock to wait for."""

from __future__ import annotations

from datetime import datetime

from clinicbot import clock
from clinicbot.ticks import Deadline
from outbox.models import ClockTimestamp, DeliveryState, OutboxDelivery
from outbox.usecases.dispatching import deliver_due


def deliver_all(*, now: datetime) -> None:
    """Run handlers until nothing waits, those that back off included. A handler that fails, fails the test."""
    make_deliveries_due()
    while deliver_due(now=now, real=clock.real(), deadline=Deadline(60), limit=1_000).more:
        pass
    unhappy = OutboxDelivery.unscoped.exclude(state=DeliveryState.DELIVERED)
    failures = list(unhappy.values_list("handler", "state", "last_error"))
    assert not failures, failures


def deliver_all_again(*, now: datetime) -> None:
    """What a crash between handling and recording does to every handler."""
    OutboxDelivery.unscoped.update(state=DeliveryState.PENDING, attempt=0, reported=0, finished_at=None)
    deliver_all(now=now)


def make_deliveries_due() -> None:
    """As if all back-offs and time limits had passed."""
    OutboxDelivery.unscoped.filter(state=DeliveryState.PENDING).update(next_try_at=ClockTimestamp())
