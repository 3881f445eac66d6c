"""Every way in which clocks change in two years, and what stands on a page then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.template import Context, Template
from django.utils import translation

from appointments import wall_time
from appointments.models import Appointment, Patient, Practitioner
from appointments.saying import variables_of
from appointments.slots import Slot
from clinicbot.models import Clinic

BEGIN, DAYS = datetime(2026, 1, 1, tzinfo=UTC), 730
QUARTERS = [time(hour, minute) for hour in range(24) for minute in (0, 15, 30, 45)]
PAGE = Template("{% load clinic_time %}{{ visit.local_date|short_date }}, {{ visit.local_time|clock_time:clinic }}")
STORY = Template(
    "{% load clinic_time %}{{ visit.starts_at|short_date:clinic }}, {{ visit.starts_at|clock_time:clinic }}"
)


@cache
def zones() -> dict[str, list[datetime]]:
    """One zone for each way to change clocks, with its changes."""
    found: dict[tuple[tuple[datetime, timedelta], ...], str] = {}
    for name in sorted(available_timezones()):
        found.setdefault(tuple(changes_of(name)), name)
    return {name: [moment for moment, _ in changes[1:]] for changes, name in found.items()}


def changes_of(name: str) -> Iterator[tuple[datetime, timedelta]]:
    """The offset in the beginning, and each later one from when on."""
    zone = ZoneInfo(name)
    ahead = offset_at(BEGIN, zone)
    yield BEGIN, ahead
    for day in range(DAYS):
        until = BEGIN + timedelta(days=day + 1)
        if (then := offset_at(until, zone)) != ahead:
            hours = timedelta(days=1)
            while hours > timedelta(minutes=15):
                hours /= 2
                until -= hours if offset_at(until - hours, zone) == then else timedelta(0)
            ahead = then
            yield until, then


def offset_at(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta(0)


def days_of_change(name: str) -> list[date]:
    """The local days on which clocks change, and their neighbours."""
    middles = {wall_time.local_date_of(moment, zone=name) for moment in zones()[name]}
    return sorted({day + timedelta(days=each) for day in middles for each in (-1, 0, 1)})


def visit_at(day: date, at: time, *, clinic: Clinic) -> Appointment:
    slot = Slot(practitioner_id=1, room_id=None, local_date=day, local_time=at, zone=clinic.zone, duration_minutes=30)
    visit = Appointment(clinic=clinic, **slot.columns())
    visit.patient, visit.practitioner = Patient(full_name="Ana"), Practitioner(full_name="Noor")
    return visit


def times_said(visit: Appointment, *, language: str) -> set[str]:
    """By a message, by the page, and by the visit's story: one and the same, if all is well."""
    context = Context({"visit": visit, "clinic": visit.clinic})
    with translation.override(language):
        return {variables_of(visit, language=language)["when"], PAGE.render(context), STORY.render(context)}
