"""A clinic's clock, its open days, and the hours in which it reminds (DESIGN 5 and 10, quiet hours)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.month.oracle.facts import ClinicFacts

OPENS, CLOSES = time(9), time(20)
DAY = timedelta(days=1)


def zone_of(clinic: ClinicFacts, *, at: datetime) -> ZoneInfo:
    """The zone the clinic is in at that moment."""
    change = clinic.zone_change
    return ZoneInfo(change.zone if change and change.at <= at else clinic.zone)


def instant(day: date, at: time, *, zone: ZoneInfo) -> datetime:
    """A time in a fold is the first of the two (DESIGN 5)."""
    return datetime.combine(day, at, zone).astimezone(UTC)


def is_open(clinic: ClinicFacts, day: date) -> bool:
    return day.weekday() in clinic.open_weekdays and day not in clinic.closed


def is_within_hours(clinic: ClinicFacts, moment: datetime) -> bool:
    local = moment.astimezone(zone_of(clinic, at=moment))
    return is_open(clinic, local.date()) and OPENS <= local.time() <= CLOSES


def moved_earlier(clinic: ClinicFacts, due: datetime, *, zone: ZoneInfo) -> datetime:
    """Where a reminder planned for `due` goes: earlier, never later."""
    local = due.astimezone(zone)
    day, at = local.date(), local.time()
    if at < OPENS:
        day, at = day - DAY, CLOSES
    at = min(at, CLOSES)
    while not is_open(clinic, day):
        day -= DAY
    return instant(day, at, zone=zone)
