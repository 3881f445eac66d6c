"""What holds in every zone on every day of two years, the days on which clocks change above all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest

from appointments import wall_time
from appointments.errors import TimeInGapError
from clinicbot.models import Clinic
from tests.appointments.zones import BEGIN, DAYS, QUARTERS, days_of_change, times_said, visit_at, zones

SOME_TIMES = [time(0), time(2, 30), time(9), time(23, 30)]


def test_all_zones_are_looked_at() -> None:
    assert len(available_timezones()) > 550
    assert {len(changes) for changes in zones().values()} >= {0, 4}
    assert len(zones()) > 60


def test_later_by_the_clock_is_later() -> None:
    """Of a time that comes twice the first counts, so the second hour is never booked; a time that is skipped is refused."""
    for name in zones():
        for days in _in_a_row(days_of_change(name)):
            instants = [instant for day in days for at in QUARTERS if (instant := book_at(day, at, zone=name))]
            assert all(before < after for before, after in pairwise(instants)), name


def _in_a_row(days: list[date]) -> Iterator[list[date]]:
    """Three by three around each change."""
    yield from (days[each : each + 3] for each in range(0, len(days), 3))


def book_at(day: date, at: time, *, zone: str) -> datetime | None:
    """None for what the clocks skip; everything else shows that time again, and for the first time."""
    try:
        instant = wall_time.instant_of(day, at, zone=zone)
    except TimeInGapError:
        assert wall_time.local_of(wall_time.lenient_instant_of(day, at, zone=zone), zone=zone).time() != at
        return None
    wall = datetime.combine(day, at)
    twice = [wall.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1)]
    assert wall_time.local_of(instant, zone=zone).replace(tzinfo=None) == wall
    assert instant == min(twice)
    return instant


def test_a_plan_for_the_same_time_of_each_day_rises_and_keeps_the_time() -> None:
    """job-engines C12, C17: each date has one moment; a day earlier is the same time by the clock, unless it is skipped."""
    days = [BEGIN.date() + timedelta(days=each) for each in range(DAYS)]
    for name in zones():
        for at in SOME_TIMES:
            planned = [wall_time.days_before(day, at, days=1, zone=name) for day in days]
            assert all(before < after for before, after in pairwise(planned)), (name, at)
            for day, moment in zip(days, planned, strict=True):
                eve = datetime.combine(day - timedelta(days=1), at)
                shown = wall_time.local_of(moment, zone=name).replace(tzinfo=None)
                is_skipped = not wall_time.exists(eve.date(), at, zone=name)
                assert shown > eve if is_skipped else shown == eve, (name, day)


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_every_message_says_the_time_that_the_page_shows(language: str) -> None:
    """clinics C03: by the clock time, which the page and messages say, as by the instant, which the story shows."""
    shown = 0
    for number, name in enumerate(zones()):
        clinic = Clinic(name="Clinic", zone=name, uses_24_hours=number % 2 == 0)
        for day in days_of_change(name):
            for at in QUARTERS[number % 4 :: 4]:
                if not wall_time.exists(day, at, zone=name):
                    continue
                said = times_said(visit_at(day, at, clinic=clinic), language=language)
                assert len(said) == 1, (name, day, at, said)
                shown += 1
    assert shown > 5_000
