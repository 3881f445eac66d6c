"""Eight zones across their changes of clocks, through the doors that people use (clinics 2A, job-engines C12)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from appointments.errors import TimeInGapError
from appointments.models import ReminderRule, WorkingHours
from appointments.queries.visits import visits_of_day
from appointments.saying import variables_of
from appointments.usecases.booking import reschedule_appointment
from clinicbot.clinic_time import clock_time, short_date
from scheduler.models import JobState, ScheduledJob
from tests.appointments.making import DESK, Practice, make_practice
from tests.drive import deliver_all
from tests.factories import ClinicFactory, MembershipFactory

TEN = time(10)
FAR_AHEAD = timedelta(days=30)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def practice_in(zone: str, *, now: datetime) -> Practice:
    """Open around the clock, with one reminder: the day before, at the visit's own time."""
    practice = make_practice(ClinicFactory.create(zone=zone), now=now)
    for begins, ends in ((time(0), time(8)), (time(20), time(23, 59))):
        WorkingHours.objects.bulk_create(
            WorkingHours(
                clinic=practice.clinic, practitioner=practice.practitioner, weekday=day, begins=begins, ends=ends
            )
            for day in range(7)
        )
    ReminderRule.objects.create(clinic=practice.clinic, days_before=1)
    return practice


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "day", "starts_at", "reminded_at"),
    [
        ("Europe/Madrid", "2026-03-29", "2026-03-29T08:00", "2026-03-28T09:00"),
        ("Europe/Madrid", "2026-10-25", "2026-10-25T09:00", "2026-10-24T08:00"),
        ("America/Santiago", "2026-04-05", "2026-04-05T14:00", "2026-04-04T13:00"),
        ("America/Santiago", "2026-09-06", "2026-09-06T13:00", "2026-09-05T14:00"),
        ("America/Mexico_City", "2026-04-05", "2026-04-05T16:00", "2026-04-04T16:00"),
        ("America/Sao_Paulo", "2026-11-01", "2026-11-01T13:00", "2026-10-31T13:00"),
        ("America/New_York", "2026-03-08", "2026-03-08T14:00", "2026-03-07T15:00"),
        ("America/New_York", "2026-11-01", "2026-11-01T15:00", "2026-10-31T14:00"),
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-03T23:00", "2026-10-02T23:30"),
        ("Africa/Cairo", "2026-04-24", "2026-04-24T07:00", "2026-04-23T08:00"),
        ("America/Nuuk", "2026-03-29", "2026-03-29T11:00", "2026-03-28T12:00"),
    ],
)
def test_a_visit_on_the_day_of_the_change_is_at_ten_on_every_page_and_in_every_message(
    zone: str, day: str, starts_at: str, reminded_at: str, client: Client
) -> None:
    """Booked for the day before and moved: instant and reminder follow the clocks, and what people read is ten o'clock."""
    now = utc(starts_at) - FAR_AHEAD
    practice = practice_in(zone, now=now)
    eve = practice.book(now=now, day=date.fromisoformat(day) - timedelta(days=1), at=TEN)
    there = practice.slot(date.fromisoformat(day), TEN)

    visit = reschedule_appointment(practice.clinic, appointment_id=eve.pk, slot=there, actor=DESK, now=now)
    deliver_all(now=now)

    assert visit.starts_at == utc(starts_at)
    jobs = ScheduledJob.unscoped.filter(state=JobState.QUEUED, kind="appointments.send_reminder")
    assert jobs.order_by("-pk")[0].run_at == utc(reminded_at)
    said = f"{short_date(visit.local_date, language='es')}, 10:00"
    assert variables_of(visit, language="es")["when"] == said
    assert f"{short_date(visit.starts_at, practice.clinic, language='es')}, 10:00" == said
    assert clock_time(utc(reminded_at), practice.clinic) == "10:00"

    client.force_login(MembershipFactory.create(clinic=practice.clinic).user)
    page = client.get(reverse("visit", args=[visit.pk])).content.decode()
    assert ">10:00" in page
    assert "10:00" in client.get(reverse("today"), {"day": day}).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "day", "at"),
    [
        ("Europe/Madrid", "2026-03-29", "02:30"),
        ("America/New_York", "2026-03-08", "02:30"),
        ("America/Santiago", "2026-09-06", "00:00"),
        ("Africa/Cairo", "2026-04-24", "00:00"),
        ("Australia/Lord_Howe", "2026-10-04", "02:15"),
        ("America/Nuuk", "2026-03-28", "23:00"),
    ],
)
def test_a_time_that_the_clocks_skip_is_neither_booked_nor_moved_to(zone: str, day: str, at: str) -> None:
    now = utc(day) - FAR_AHEAD
    practice = practice_in(zone, now=now)
    visit = practice.book(now=now, day=date.fromisoformat(day), at=TEN)
    skipped = practice.slot(date.fromisoformat(day), time.fromisoformat(at))

    with pytest.raises(TimeInGapError):
        practice.book(now=now, slot=skipped)
    with pytest.raises(TimeInGapError):
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=skipped, actor=DESK, now=now)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "day", "at", "starts_at"),
    [
        ("Europe/Madrid", "2026-10-25", "02:30", "2026-10-25T00:30"),
        ("America/New_York", "2026-11-01", "01:30", "2026-11-01T05:30"),
        ("America/Santiago", "2026-04-04", "23:15", "2026-04-05T02:15"),
        ("Africa/Cairo", "2026-10-29", "23:15", "2026-10-29T20:15"),
        ("Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45"),
        ("America/Nuuk", "2026-10-24", "23:15", "2026-10-25T00:15"),
    ],
)
def test_a_time_that_comes_twice_is_booked_for_the_first(zone: str, day: str, at: str, starts_at: str) -> None:
    now = utc(starts_at) - FAR_AHEAD
    practice = practice_in(zone, now=now)

    visit = practice.book(now=now, day=date.fromisoformat(day), at=time.fromisoformat(at))

    assert visit.starts_at == utc(starts_at)
    assert clock_time(visit.starts_at, practice.clinic) == at


@pytest.mark.django_db
def test_a_day_is_the_clinics_own(now: datetime) -> None:
    """clinics C10: eight in the evening in Mexico is tomorrow for the server, and today for the clinic."""
    practice = practice_in("America/Mexico_City", now=now)
    evening = practice.book(now=now, day=date(2026, 4, 21), at=time(19, 30))

    assert evening.starts_at == datetime(2026, 4, 22, 1, 30, tzinfo=UTC)
    assert list(visits_of_day(practice.clinic, day=date(2026, 4, 21))) == [evening]
    assert list(visits_of_day(practice.clinic, day=date(2026, 4, 22))) == []
