"""`/healthz`: who may know what, and when it raises the alarm."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from clinicbot import clock
from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from messaging.models import Message
from outbox.models import OutboxDelivery, OutboxEvent
from scheduler.models import Queue, ScheduledJob, TickRun

pytestmark = pytest.mark.django_db

TOKEN = {"Authorization": "Bearer monitor"}


@pytest.fixture
def real(db: None) -> datetime:
    """The database's time: what `/healthz` compares with."""
    return clock.real()


def ticked(at: datetime, **wishes: Any) -> None:
    TickRun.objects.create(started_at=at, budget_seconds=50, source="cron", **wishes)


def due_job(clinic: Clinic, at: datetime) -> None:
    Queue.objects.get_or_create(name="q")
    ScheduledJob.objects.create(clinic=clinic, queue="q", kind="test.job", run_at=at, created_at=at)


def due_message(clinic: Clinic, at: datetime) -> None:
    Message.objects.create(
        clinic=clinic,
        kind="test.kind",
        category="visits",
        person_kind="patient",
        person_id=1,
        due_at=at,
        expires_at=at + timedelta(days=1),
        created_at=at,
    )


def due_delivery(clinic: Clinic, at: datetime) -> None:
    event = OutboxEvent.objects.create(
        clinic=clinic, id=uuid7(), aggregate_type="a", aggregate_id="1", type="t", payload={}, occurred_at=at
    )
    OutboxDelivery.objects.create(clinic=clinic, event=event, handler="h", next_try_at=at)


def test_with_ticks_and_nothing_late_all_is_well(client: Client, clinic: Clinic, real: datetime) -> None:
    ticked(real - timedelta(minutes=1))
    due_job(clinic, real - timedelta(seconds=5))

    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("due", [due_job, due_message, due_delivery])
def test_stopped_ticks_with_work_due_are_an_alarm(
    client: Client, clinic: Clinic, real: datetime, due: Callable[[Clinic, datetime], None]
) -> None:
    ticked(real - timedelta(minutes=6))
    due(clinic, real - timedelta(seconds=5))

    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (503, {"status": "failing"})


@pytest.mark.parametrize("due", [due_job, due_message, due_delivery])
def test_stopped_ticks_with_nothing_due_yet_are_a_warning(
    client: Client, clinic: Clinic, real: datetime, due: Callable[[Clinic, datetime], None]
) -> None:
    ticked(real - timedelta(minutes=6))
    due(clinic, real + timedelta(hours=1))

    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "warning"})


def test_a_site_that_never_ticked_is_a_warning_until_something_is_due(
    client: Client, clinic: Clinic, real: datetime
) -> None:
    before = client.get("/healthz").status_code
    due_job(clinic, real - timedelta(seconds=1))

    assert (before, client.get("/healthz").status_code) == (200, 503)


def test_work_that_stays_behind_and_steps_that_fail_are_warnings(
    client: Client, clinic: Clinic, real: datetime
) -> None:
    ticked(real - timedelta(minutes=1), errors={"messaging.send": "TimeoutError"})
    failed = client.get("/healthz").json()
    TickRun.objects.all().delete()
    ticked(real - timedelta(minutes=1))
    due_message(clinic, real - timedelta(minutes=16))

    assert failed == {"status": "warning"}
    assert client.get("/healthz").json() == {"status": "warning"}


def test_who_knows_the_token_sees_figures(client: Client, clinic: Clinic, real: datetime) -> None:
    ticked(real - timedelta(minutes=2), errors={"messaging.send": "TimeoutError"})
    due_message(clinic, real - timedelta(minutes=3))

    told = client.get("/healthz", headers=TOKEN).json()

    assert told["database"] is True
    assert told["steps_that_failed"] == ["messaging.send"]
    assert told["due"] == {"events": 0, "jobs": 0, "messages": 1}
    assert told["last_tick_age_seconds"] in range(119, 180)
    assert told["oldest_due_age_seconds"]["messages"] in range(179, 240)
    assert told["oldest_due_age_seconds"]["jobs"] is None


@pytest.mark.parametrize("given", ["Bearer wrong", "Bearer ", "monitor", "Basic monitor", "Bearer möp"])
def test_who_does_not_sees_one_word(client: Client, given: str) -> None:
    assert client.get("/healthz", headers={"Authorization": given}).json() == {"status": "warning"}


def test_without_a_token_in_the_settings_nobody_sees_figures(client: Client, settings: Settings) -> None:
    settings.MONITOR_TOKEN = ""

    assert client.get("/healthz", headers={"Authorization": "Bearer "}).json() == {"status": "warning"}


def test_a_database_that_does_not_answer_is_an_alarm(client: Client) -> None:
    def refuse(*args: Any) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    with connection.execute_wrapper(refuse):
        response = client.get("/healthz", headers=TOKEN)

    assert (response.status_code, response.json()) == (503, {"status": "failing", "database": False})


def test_it_is_only_asked(client: Client) -> None:
    assert client.post("/healthz").status_code == 405
    assert client.head("/healthz").status_code == 200


def test_what_was_given_up_is_a_warning_with_figures_until_a_week_has_passed(
    client: Client, clinic: Clinic, real: datetime
) -> None:
    ticked(real - timedelta(minutes=1))
    due_job(clinic, real)
    ScheduledJob.objects.for_clinic(clinic).update(state="dead", finished_at=real - timedelta(days=6))
    due_delivery(clinic, real)
    OutboxDelivery.objects.for_clinic(clinic).update(state="dead", finished_at=real - timedelta(days=8))

    response = client.get("/healthz", headers=TOKEN)

    assert (response.status_code, response.json()["status"]) == (200, "warning")
    assert response.json()["dead"] == {"events": 0, "jobs": 1}
