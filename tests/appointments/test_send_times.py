"""A clinic's sending hours: earlier rather than later, on open days, by the clock on its wall."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from appointments.models import Closure, Practitioner, SendHours, WorkingHours
from appointments.queries.open_days import OpenDays
from appointments.queries.send_times import SendTimes, send_times
from clinicbot.models import Clinic
from tests.appointments.making import Practice
from tests.factories import ClinicFactory

MADRID = ZoneInfo("Europe/Madrid")
WEEKDAYS = frozenset(range(5))
NINE_TO_EIGHT = SendTimes(
    zone="Europe/Madrid", begins=time(9), ends=time(20), on_closed_days=False, days=OpenDays(weekdays=WEEKDAYS)
)


def wall(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    """In 2026, at the clinic."""
    return datetime(2026, month, day, hour, minute, tzinfo=MADRID)


def first_open(times: SendTimes, moment: datetime) -> datetime:
    """When the ticks, which look at what is held once a minute, let it go."""
    while not times.is_open_at(moment):
        moment += timedelta(minutes=1)
    return moment


@pytest.mark.parametrize(
    ("wanted", "goes"),
    [
        (wall(4, 21, 10), wall(4, 21, 10)),
        (wall(4, 21, 9), wall(4, 21, 9)),
        (wall(4, 21, 20), wall(4, 21, 20)),
        (wall(4, 21, 3), wall(4, 20, 20)),  # clinics C11: five hours before eight in the morning.
        (wall(4, 21, 21, 30), wall(4, 21, 20)),
        (wall(4, 19, 10), wall(4, 17, 10)),  # A Sunday: Friday at the same hour.
        (wall(4, 20, 7), wall(4, 17, 20)),  # Before Monday's opening: Friday's closing.
        (wall(3, 30, 3), wall(3, 27, 20)),  # The clocks went forward in between.
    ],
)
def test_what_falls_outside_goes_earlier_never_later(wanted: datetime, goes: datetime) -> None:
    assert NINE_TO_EIGHT.not_later_than(wanted.astimezone(UTC)) == goes


@pytest.mark.parametrize(
    ("moment", "opens"),
    [
        (wall(4, 21, 10), wall(4, 21, 10)),
        (wall(4, 21, 2), wall(4, 21, 9)),
        (wall(4, 21, 20, 10), wall(4, 21, 20, 10)),  # What was planned for eight is still on its way.
        (wall(4, 21, 20, 15), wall(4, 22, 9)),
        (wall(4, 18, 12), wall(4, 20, 9)),
    ],
)
def test_what_comes_late_waits_for_the_next_opening(moment: datetime, opens: datetime) -> None:
    assert first_open(NINE_TO_EIGHT, moment.astimezone(UTC)) == opens


@pytest.mark.parametrize(
    ("moment", "opens"),
    [
        ("2026-03-28T20:59:59", "2026-03-28T20:59:59"),
        ("2026-03-28T21:30", "2026-03-29T05:00"),
        ("2026-03-29T03:00", "2026-03-29T05:00"),
        ("2026-10-24T20:30", "2026-10-25T06:00"),
        ("2026-10-25T05:30", "2026-10-25T06:00"),
    ],
)
def test_the_night_ends_at_seven_on_the_wall_when_the_clocks_change(moment: str, opens: str) -> None:
    """channels, appendix C."""
    until_seven = SendTimes(
        zone="Europe/Madrid", begins=time(7), ends=time(22), on_closed_days=True, days=OpenDays(weekdays=WEEKDAYS)
    )

    found = first_open(until_seven, datetime.fromisoformat(moment).replace(tzinfo=UTC))

    assert found == datetime.fromisoformat(opens).replace(tzinfo=UTC)


def test_a_clinic_without_a_row_sends_from_nine_to_eight_on_days_on_which_somebody_works(
    practice: Practice, now: datetime
) -> None:
    other = ClinicFactory.create(zone="America/Bogota")
    absent = Practitioner.objects.create(clinic=practice.clinic, full_name="Away", initials="A", is_active=False)
    WorkingHours.objects.for_clinic(practice.clinic).filter(weekday=6).update(practitioner=absent)
    Closure.objects.create(clinic=practice.clinic, begins_on=date(2026, 4, 22), ends_on=date(2026, 4, 23))
    Closure.objects.create(
        clinic=practice.clinic,
        practitioner=practice.practitioner,
        begins_on=date(2026, 4, 24),
        ends_on=date(2026, 4, 24),
    )
    SendHours.objects.create(clinic=other, begins=time(8), ends=time(12), on_closed_days=True)

    times = send_times([practice.clinic, other], from_day=date(2026, 4, 1))

    mine = times[practice.clinic.pk]
    assert (mine.begins, mine.ends) == (time(9), time(20))
    assert [mine.days.is_open(date(2026, 4, day)) for day in (21, 22, 23, 24, 26)] == [True, False, False, True, False]
    assert (times[other.pk].begins, times[other.pk].zone) == (time(8), "America/Bogota")
    assert times[other.pk].not_later_than(wall(4, 26, 16).astimezone(UTC)) == wall(4, 26, 16)  # Nine in Bogotá.


@pytest.mark.django_db
def test_a_clinic_that_keeps_no_hours_is_open_every_day(clinic: Clinic) -> None:
    assert send_times([clinic], from_day=date(2026, 4, 1))[clinic.pk].days.is_open(date(2026, 4, 26))


def test_before_a_closure_of_three_months_it_goes_on_the_last_open_day() -> None:
    closed = ((date(2026, 4, 1), date(2026, 6, 30)),)
    times = replace(NINE_TO_EIGHT, days=OpenDays(weekdays=WEEKDAYS, closed=closed))

    assert times.not_later_than(wall(6, 30, 10).astimezone(UTC)) == wall(3, 31, 10)
