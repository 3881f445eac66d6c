"""The watch itself: each leak planted here must be caught, or this suite fails."""

from __future__ import annotations

import logging
from datetime import datetime

import pytest

from appointments.errors import PatientNameMissingError
from clinicbot import audit
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic
from messaging.models import Contact, SendingAccount
from outbox.models import OutboxEvent
from scheduler.models import ScheduledJob, TickRun
from tests.appointments.making import Practice, make_practice
from tests.canary import tables, values
from tests.canary.sightings import Canaries, LeakError
from tests.factories import ContactFactory, SendingAccountFactory

caught = pytest.mark.xfail(raises=LeakError, strict=True, reason="planted")
logger = logging.getLogger("canary")


@pytest.fixture
def practice(clinic: Clinic, now: datetime) -> Practice:
    return make_practice(clinic, now=now)


@pytest.fixture
def contact(clinic: Clinic) -> Contact:
    return ContactFactory.create(clinic=clinic)


def queue_job(clinic: Clinic, *, now: datetime, **rest: object) -> ScheduledJob:
    return ScheduledJob.objects.create(clinic=clinic, queue="q", kind="tests.job", run_at=now, created_at=now, **rest)


@caught
def test_a_name_in_a_sentence_of_the_log() -> None:
    logger.info("Booked for %s.", values.ANA)


@caught
def test_a_number_beside_a_sentence_of_the_log() -> None:
    logger.info("Sent.", extra={"to": "+34 612 345 678"})


@caught
def test_a_token_in_our_own_error_that_nobody_saw() -> None:
    with pytest.raises(PatientNameMissingError):
        raise PatientNameMissingError(f"Refused with {values.ACCOUNT_TOKEN}.")


@caught
def test_the_patient_s_first_name_in_a_job_s_arguments(practice: Practice, now: datetime) -> None:
    queue_job(practice.clinic, now=now, args={"to": practice.ana.first_name})


@caught
def test_a_number_in_a_job_s_key(clinic: Clinic, contact: Contact, now: datetime) -> None:
    queue_job(clinic, now=now, unique_key=f"remind:{contact.address}")


@caught
def test_a_number_in_an_event(clinic: Clinic, contact: Contact, now: datetime) -> None:
    payload = {"phone": contact.address.removeprefix("+34")}
    OutboxEvent.objects.create(
        clinic=clinic,
        id="0197a1b2-0000-7abc-8def-0123456789ab",
        aggregate_type="contact",
        aggregate_id="1",
        type="tests.told",
        payload=payload,
        occurred_at=now,
    )


@caught
@pytest.mark.django_db
def test_a_token_in_what_a_tick_wrote_down(now: datetime) -> None:
    account: SendingAccount = SendingAccountFactory.create(access_token="a token of this test alone")
    TickRun.objects.create(started_at=now, budget_seconds=1, errors={"send": account.access_token})


@caught
def test_a_name_in_the_audit_trail(practice: Practice, now: datetime) -> None:
    detail = {"name": [practice.ana.full_name, "Ana Blanco"]}
    audit.record(
        Actor(ActorKind.STAFF, 1),
        clinic=practice.clinic,
        action="renamed",
        subject=practice.ana,
        detail=detail,
        now=now,
    )


def test_what_belongs_where_it_stands_is_no_leak(practice: Practice, contact: Contact, now: datetime) -> None:
    logger.info("Booked.", extra={"patient_id": practice.ana.pk, "contact_id": contact.pk})
    visit = practice.book(now=now, note=f"{values.ANA} comes with her mother")

    canaries, stored = tables.read()

    assert visit.note
    assert canaries.seen_in(f"Hola {practice.ana.first_name}:")
    assert canaries.seen_in(contact.address)
    assert {"scheduler_scheduledjob", "outbox_outboxevent"} <= set(tables.watched_columns())
    assert [at for at, _words in stored if at == "appointments_appointmentchange"]


@pytest.mark.parametrize("spelled", ["612345678", "+34612345678", "612 345 678", "+34 612 34 56 78", "(612) 345-678"])
def test_a_number_is_found_however_it_is_spelled(spelled: str) -> None:
    assert Canaries().seen_in(f"to {spelled}.")


def test_ids_times_and_counts_are_no_canaries() -> None:
    text = "patient 612345 at 2026-04-14T07:00:00Z, job 0197a1b2-0000-7abc-8def-0123456789ab, *** 5678"

    assert Canaries(names=["Al"], numbers=["112"], texts=["Sí"]).seen_in(text) is None
