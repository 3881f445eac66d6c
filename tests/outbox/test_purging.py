from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import transaction

from clinicbot import clock
from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent
from outbox.usecases.publishing import publish
from outbox.usecases.purging import purge_delivered_events
from tests.drive import deliver_all
from tests.outbox.telling import OBEY, tell
from tests.outbox.test_publishing import Noted
from tests.outbox.threads import beside

OLD = timedelta(days=31)
KEEP = timedelta(days=30)


def age(*, thing: int, by: timedelta) -> None:
    """Let an event and the end of its deliveries lie so far back."""
    then = clock.real() - by
    OutboxEvent.unscoped.filter(aggregate_id=str(thing)).update(occurred_at=then)
    OutboxDelivery.unscoped.filter(event__aggregate_id=str(thing), finished_at__isnull=False).update(finished_at=then)


def purge(*, limit: int = 1_000) -> int:
    return purge_delivered_events(before=clock.real() - KEEP, limit=limit)


def left() -> list[str]:
    return list(OutboxEvent.unscoped.order_by("occurred_at").values_list("aggregate_id", flat=True))


@pytest.mark.django_db
def test_only_what_every_handler_has_dealt_with_long_ago_goes(clinic: Clinic, now: datetime) -> None:
    """job-engines C45: of pending, dead, fresh and old ones, exactly the old delivered one."""
    for thing in (1, 2, 3, 4, 5):
        tell(clinic, thing=thing, now=now)
    deliver_all(now=now)
    OutboxDelivery.unscoped.filter(handler=OBEY, event__aggregate_id="1").update(state="pending", finished_at=None)
    OutboxDelivery.unscoped.filter(handler=OBEY, event__aggregate_id="2").update(state="dead")
    for thing, days in ((1, 90), (2, 90), (3, 31), (4, 29), (5, 90)):
        age(thing=thing, by=timedelta(days=days))
    # It happened long ago, and a person got it through only yesterday.
    OutboxDelivery.unscoped.filter(handler=OBEY, event__aggregate_id="5").update(
        finished_at=clock.real() - timedelta(days=1)
    )

    assert purge() == 1

    assert sorted(left()) == ["1", "2", "4", "5"]
    assert not OutboxDelivery.unscoped.filter(event__aggregate_id="3").exists()
    assert OutboxDelivery.unscoped.count() == 8


@pytest.mark.django_db
def test_an_event_nobody_subscribed_to_goes_by_its_own_age(clinic: Clinic, now: datetime) -> None:
    long_ago = clock.real() - OLD
    for then in (long_ago, clock.real()):
        publish(Noted(clinic_id=clinic.pk, note_id=uuid7(), begins_at=then), now=then)

    assert purge() == 1
    assert OutboxEvent.unscoped.get().occurred_at > long_ago


@pytest.mark.django_db
def test_a_batch_takes_the_oldest_and_no_more_than_asked(clinic: Clinic, now: datetime) -> None:
    """job-engines C46."""
    for thing in range(5):
        tell(clinic, thing=thing, now=now)
    deliver_all(now=now)
    for thing in range(5):
        age(thing=thing, by=OLD + timedelta(days=thing))

    assert purge(limit=2) == 2
    assert left() == ["2", "1", "0"]
    assert purge(limit=2) == 2
    assert purge(limit=2) == 1
    assert purge(limit=2) == 0


@pytest.mark.django_db(transaction=True)
def test_what_another_process_is_at_is_passed_over(clinic: Clinic, now: datetime) -> None:
    for thing in (1, 2):
        tell(clinic, thing=thing, now=now)
    deliver_all(now=now)
    for thing in (1, 2):
        age(thing=thing, by=OLD)

    with transaction.atomic():
        OutboxEvent.unscoped.select_for_update().get(aggregate_id="1")
        with beside(purge) as purged:
            pass

    assert purged.result() == 1
    assert left() == ["1"]


@pytest.mark.django_db
def test_dead_ones_in_front_do_not_hide_what_may_go(clinic: Clinic, now: datetime) -> None:
    for thing in range(10):
        tell(clinic, thing=thing, now=now)
    deliver_all(now=now)
    for thing in range(10):
        age(thing=thing, by=OLD + timedelta(days=10 - thing))
    OutboxDelivery.unscoped.filter(event__aggregate_id__in=list("01234567")).update(state=DeliveryState.DEAD)

    assert purge(limit=2) == 2
