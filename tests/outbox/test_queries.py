from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from pytest_django import DjangoAssertNumQueries

from clinicbot import clock
from clinicbot.models import Clinic
from outbox import queries
from outbox.models import ClockTimestamp, OutboxDelivery, OutboxEvent
from tests.factories import ClinicFactory
from tests.outbox.telling import OBEY, WRITE, Behaviour, tell, tick

pytestmark = pytest.mark.django_db


def test_a_story_tells_each_event_and_how_far_its_handlers_are(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = tell(clinic, thing=1, behaviour=Behaviour.FAILS, now=now)
    tell(clinic, thing=2, now=now)
    tick(now=now)
    second = tell(clinic, thing=1, now=now + timedelta(hours=1))

    with django_assert_num_queries(2):
        story = queries.events_of(clinic, aggregate_type="tests.thing", aggregate_id="1")

    assert [(event.event_id, event.type, event.occurred_at) for event in story] == [
        (first, "tests.told", now),
        (second, "tests.told", now + timedelta(hours=1)),
    ]
    assert story[0].payload == {"thing_id": 1, "behaviour": "fails"}
    assert [(told.handler, told.state, told.attempt, told.last_error) for told in story[0].deliveries] == [
        (WRITE, "delivered", 1, ""),
        (OBEY, "pending", 1, "ToldToFailError told_to_fail"),
    ]
    assert [told.next_try_at is None for told in story[0].deliveries] == [True, False]
    assert [told.finished_at is None for told in story[0].deliveries] == [False, True]


def test_another_clinic_sees_nothing_of_it(clinic: Clinic, now: datetime) -> None:
    tell(clinic, thing=1, now=now)

    other = ClinicFactory.create()
    assert queries.events_of(other, aggregate_type="tests.thing", aggregate_id="1") == []


def test_a_delivery_cannot_be_of_another_clinic_than_its_event(clinic: Clinic, now: datetime) -> None:
    event_id = tell(clinic, now=now)
    other = ClinicFactory.create()

    OutboxDelivery.objects.create(clinic=other, event_id=event_id, handler="tests.x", next_try_at=ClockTimestamp())

    with pytest.raises(IntegrityError, match="outbox_delivery_of_clinics_event"), transaction.atomic():
        connection.check_constraints()
    OutboxDelivery.objects.for_clinic(other).delete()


def test_the_backlog_is_what_is_due(clinic: Clinic, now: datetime) -> None:
    assert (queries.backlog(clock.real()).due, queries.backlog(clock.real()).oldest_due_at) == (0, None)
    tell(clinic, thing=1, now=now)
    tell(clinic, thing=2, behaviour=Behaviour.FAILS, now=now)
    oldest = OutboxDelivery.unscoped.order_by("next_try_at").values_list("next_try_at", flat=True)[0]

    backlog = queries.backlog(clock.real())
    assert (backlog.due, backlog.oldest_due_at) == (4, oldest)

    tick(now=now)
    assert queries.backlog(clock.real()).due == 0
    assert queries.backlog(clock.real() + timedelta(hours=1)).due == 1


def test_a_large_backlog_is_counted_so_far_and_no_further(clinic: Clinic, now: datetime) -> None:
    event_id = tell(clinic, now=now)
    OutboxDelivery.objects.bulk_create(
        OutboxDelivery(clinic=clinic, event_id=event_id, handler=f"tests.{number}", next_try_at=now)
        for number in range(10_010)
    )

    assert queries.backlog(clock.real()).due == 10_001


def test_the_outlook_of_an_empty_outbox_is_empty() -> None:
    outlook = queries.outlook(clock.real())

    assert (outlook.is_any_due, outlook.next_in_seconds) == (False, None)


def test_finding_what_is_due_takes_the_index(clinic: Clinic, now: datetime) -> None:
    """So that it takes as long with a million finished ones. Few rows would be read whole, had the planner the choice."""
    tell(clinic, now=now)
    due = OutboxDelivery.unscoped.filter(state="pending", next_try_at__lte=clock.real()).order_by("next_try_at", "id")

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "outbox_deliveries_due" in due.exclude(handler__in=["tests.x"])[:100].explain()


def test_events_need_no_scope_to_be_created_and_one_to_be_read(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)

    assert OutboxEvent.objects.for_clinic(clinic).count() == 1
    assert OutboxEvent.objects.for_clinic(ClinicFactory.create()).count() == 0
