"""Schedules are made, edited and switched by use cases, each with its entry in the audit trail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

import pytest

from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, Clinic
from scheduler.contracts import RecurringArgs
from scheduler.errors import JobArgsTooLargeError, ScheduleKeyTakenError, ScheduleNotFoundError, UnknownJobKindError
from scheduler.models import Schedule
from scheduler.usecases.occurrences import Recurrence
from scheduler.usecases.scheduling import create_schedule, disable_schedule, edit_schedule, enable_schedule
from tests.factories import ClinicFactory
from tests.scheduler.deeds import Daily

STAFF = Actor(ActorKind.STAFF, 1)
SEVEN = Recurrence(cron="30 7 * * *", zone="Europe/Madrid")
EIGHT = Recurrence(cron="0 8 * * *", zone="America/Bogota")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ghost(RecurringArgs):
    kind: ClassVar[str] = "tests.be_recurring_ghost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Long(Daily):
    text: str = "x" * 4070


def agenda(clinic: Clinic, *, now: datetime) -> Schedule:
    return create_schedule(clinic.pk, Daily(number=1), key="agenda", recurrence=SEVEN, actor=STAFF, now=now)


def test_a_schedule_begins_with_the_next_occurrence(clinic: Clinic, now: datetime) -> None:
    schedule = agenda(clinic, now=now)

    assert schedule.next_due_at == datetime(2026, 4, 15, 5, 30, tzinfo=now.tzinfo)
    assert schedule.args == {"number": 1}


def test_a_key_is_taken_once_per_clinic(clinic: Clinic, now: datetime) -> None:
    agenda(clinic, now=now)

    with pytest.raises(ScheduleKeyTakenError):
        agenda(clinic, now=now)
    agenda(ClinicFactory.create(), now=now)


def test_another_clinics_schedule_is_not_found(clinic: Clinic, now: datetime) -> None:
    agenda(clinic, now=now)

    for change in (disable_schedule, enable_schedule, edit_schedule):
        with pytest.raises(ScheduleNotFoundError):
            change(ClinicFactory.create().pk, key="agenda", actor=STAFF, now=now)


def test_an_unknown_kind_is_refused(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(UnknownJobKindError):
        create_schedule(clinic.pk, Ghost(), key="ghost", recurrence=SEVEN, actor=STAFF, now=now)


def test_arguments_are_measured_with_the_date_they_will_carry(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(JobArgsTooLargeError):
        create_schedule(clinic.pk, Long(), key="long", recurrence=SEVEN, actor=STAFF, now=now)


def test_new_times_hold_from_the_next_occurrence_on(clinic: Clinic, now: datetime) -> None:
    agenda(clinic, now=now)

    edited = edit_schedule(clinic.pk, key="agenda", recurrence=EIGHT, actor=STAFF, now=now)

    edited.refresh_from_db()
    assert (edited.cron, edited.zone) == ("0 8 * * *", "America/Bogota")
    assert edited.next_due_at == datetime(2026, 4, 14, 13, 0, tzinfo=now.tzinfo)


def test_an_edit_of_anything_else_gives_up_no_occurrence(clinic: Clinic, now: datetime) -> None:
    schedule = agenda(clinic, now=now)

    edit_schedule(
        clinic.pk, key="agenda", grace_seconds=60, args=Daily(number=2), actor=STAFF, now=now + timedelta(days=1)
    )

    edited = Schedule.objects.for_clinic(clinic).get()
    assert (edited.grace_seconds, edited.args) == (60, {"number": 2})
    assert edited.next_due_at == schedule.next_due_at


def test_switching_on_what_is_on_changes_nothing(clinic: Clinic, now: datetime) -> None:
    schedule = agenda(clinic, now=now)

    enable_schedule(clinic.pk, key="agenda", actor=STAFF, now=now + timedelta(days=1))

    assert Schedule.objects.for_clinic(clinic).get().planned_until == schedule.planned_until


def test_each_change_leaves_its_entry(clinic: Clinic, now: datetime) -> None:
    agenda(clinic, now=now)
    edit_schedule(clinic.pk, key="agenda", recurrence=EIGHT, actor=STAFF, now=now)
    disable_schedule(clinic.pk, key="agenda", actor=STAFF, now=now)
    enable_schedule(clinic.pk, key="agenda", actor=STAFF, now=now)

    entries = AuditEntry.objects.filter(clinic=clinic).order_by("id").values_list("action", "actor_id")
    assert list(entries) == [(f"scheduler.{verb}_schedule", 1) for verb in ("create", "edit", "disable", "enable")]
