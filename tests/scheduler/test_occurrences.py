"""Wall-clock times at the clinic and the instants they fall on, on the days when clocks change."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import BadCronError, UnknownZoneError
from scheduler.usecases.occurrences import Occurrence, Recurrence


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def daily(wall: str, zone: str) -> Recurrence:
    hour, minute = wall.split(":")
    return Recurrence(cron=f"{int(minute)} {int(hour)} * * *", zone=zone)


def around(recurrence: Recurrence, day: str, *, days: int = 1) -> list[Occurrence]:
    """Those named by that date, and by the days next to it."""
    middle = utc(day)
    span = timedelta(days=days + 2)
    wanted = {str((middle + timedelta(days=each)).date()) for each in range(-days, days + 1)}
    return [one for one in recurrence.between(middle - span, middle + span) if one.local_at[:10] in wanted]


@pytest.mark.parametrize(
    ("wall", "zone", "day", "instant"),
    [
        ("02:30", "Europe/Madrid", "2026-03-29", "2026-03-29T01:30"),
        ("02:30", "Europe/Madrid", "2026-10-25", "2026-10-25T00:30"),
        ("02:30", "America/New_York", "2026-03-08", "2026-03-08T07:30"),
        ("01:30", "America/New_York", "2026-11-01", "2026-11-01T05:30"),
        ("00:00", "America/Santiago", "2026-09-06", "2026-09-06T04:00"),
        ("00:00", "Africa/Cairo", "2026-04-24", "2026-04-23T22:00"),
        ("02:15", "Australia/Lord_Howe", "2026-10-04", "2026-10-03T15:45"),
        ("23:00", "America/Nuuk", "2026-03-28", "2026-03-29T01:00"),
    ],
)
def test_a_change_of_clocks_neither_skips_nor_doubles(wall: str, zone: str, day: str, instant: str) -> None:
    occurrences = around(daily(wall, zone), day)

    assert [one.local_at for one in occurrences if one.local_at.startswith(day)] == [f"{day}T{wall}"]
    assert [one.due_at for one in occurrences if one.local_at.startswith(day)] == [utc(instant)]
    assert len(occurrences) == 3


@pytest.mark.parametrize(("zone", "hours"), [("America/Mexico_City", 6), ("America/Sao_Paulo", 3)])
def test_a_zone_without_summer_time_stays_where_it_is(zone: str, hours: int) -> None:
    year = daily("09:00", zone).between(utc("2026-01-01"), utc("2027-01-01"))

    assert {one.due_at.hour for one in year} == {9 + hours}


ZONES = sorted(zoneinfo.available_timezones())
DAYS = st.dates(date(2024, 1, 1), date(2030, 12, 28))
WALLS = st.tuples(st.integers(0, 23), st.sampled_from([0, 15, 30, 45]))


@given(zone=st.sampled_from(ZONES), day=DAYS, wall=WALLS)
def test_every_local_date_has_one_occurrence_and_instants_rise(zone: str, day: date, wall: tuple[int, int]) -> None:
    recurrence = daily(f"{wall[0]:02}:{wall[1]:02}", zone)

    occurrences = around(recurrence, str(day), days=1)

    assert [one.local_at[:10] for one in occurrences] == [str(day + timedelta(days=each)) for each in (-1, 0, 1)]
    instants = [one.due_at for one in occurrences]
    assert instants == sorted(set(instants))


@given(zone=st.sampled_from(ZONES), day=DAYS, cuts=st.lists(st.integers(1, 3 * 24 * 60), max_size=5))
def test_however_the_time_is_cut_into_ticks_each_occurrence_comes_once(zone: str, day: date, cuts: list[int]) -> None:
    recurrence = Recurrence(cron="*/30 * * * *", zone=zone)
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    moments = [begin, *(begin + timedelta(minutes=cut) for cut in sorted(cuts)), begin + timedelta(days=3)]

    piecewise = [one for i in range(len(moments) - 1) for one in recurrence.between(moments[i], moments[i + 1])]

    assert sorted(piecewise) == sorted(recurrence.between(begin, begin + timedelta(days=3)))
    assert len({one.local_at for one in piecewise}) == len(piecewise)


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Europe/Madrid", "2026-03-29"),
        ("Europe/Madrid", "2026-10-25"),
        ("America/New_York", "2026-03-08"),
        ("Australia/Lord_Howe", "2026-10-04"),
        ("America/Nuuk", "2026-03-28"),
    ],
)
def test_ticks_in_the_middle_of_a_change_miss_nothing(zone: str, day: str) -> None:
    recurrence = Recurrence(cron="*/15 * * * *", zone=zone)
    begin = utc(day) - timedelta(days=1)
    ticks = [begin + timedelta(minutes=7 * step) for step in range(600)]

    planned = [one for before, until in pairwise(ticks) for one in recurrence.between(before, until)]

    names = [one.local_at for one in planned]
    wanted = {f"{day}T{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 15, 30, 45)}
    assert wanted <= set(names)
    assert len(names) == len(set(names))


@given(zone=st.sampled_from(ZONES), day=DAYS, minute=st.integers(0, 24 * 60))
def test_the_first_after_is_the_earliest_of_those_between(zone: str, day: date, minute: int) -> None:
    recurrence = Recurrence(cron="15,45 */2 * * *", zone=zone)
    after = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(minutes=minute)

    first = recurrence.first_after(after)

    assert first == min(one.due_at for one in recurrence.between(after, after + timedelta(days=3)))


def test_the_end_is_the_last_moment() -> None:
    recurrence = Recurrence(cron="0 9 * * *", zone="UTC", ends_at=utc("2026-04-15T09:00"))

    days = [one.local_at for one in recurrence.between(utc("2026-04-13"), utc("2026-04-20"))]

    assert days == ["2026-04-13T09:00", "2026-04-14T09:00", "2026-04-15T09:00"]
    assert recurrence.first_after(utc("2026-04-15T09:00")) is None


@pytest.mark.parametrize("cron", ["", "* * * *", "0 0 9 * * *", "61 * * * *", "0 0 30 2 *", "every day", "0 9 * * 9"])
def test_a_bad_cron_is_refused(cron: str) -> None:
    with pytest.raises(BadCronError):
        Recurrence(cron=cron, zone="UTC")


@pytest.mark.parametrize("zone", ["", "Europe", "Europe/Atlantis", "../etc/passwd", "/etc/localtime"])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(UnknownZoneError):
        Recurrence(cron="0 9 * * *", zone=zone)


def test_week_days_are_those_of_the_clinic() -> None:
    mondays = Recurrence(cron="30 7 * * 1", zone="Pacific/Auckland")

    first = next(mondays.between(utc("2026-04-10"), utc("2026-04-20")))

    assert first == Occurrence(utc("2026-04-12T19:30"), "2026-04-13T07:30")
