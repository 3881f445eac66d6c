"""The one place that turns a clinic's wall-clock time into instants and back, for planning."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from appointments.errors import TimeInGapError

UTC = ZoneInfo("UTC")


def exists(local_date: date, local_time: time, *, zone: str) -> bool:
    """Whether the clocks show that time on that day; when they go forward, they skip some."""
    wall = datetime.combine(local_date, local_time, tzinfo=ZoneInfo(zone))
    return wall.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == wall.replace(tzinfo=None)


def instant_of(local_date: date, local_time: time, *, zone: str) -> datetime:
    """The moment (UTC) at which a visit begins; of a time that comes twice, the first.

    Raises:
        TimeInGapError: the clocks skip that time.
    """
    if not exists(local_date, local_time, zone=zone):
        raise TimeInGapError
    return lenient_instant_of(local_date, local_time, zone=zone)


def lenient_instant_of(local_date: date, local_time: time, *, zone: str) -> datetime:
    """The same for plans and edges of a day, where a skipped time is read as Python's `fold=0` reads it."""
    return datetime.combine(local_date, local_time, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def local_of(instant: datetime, *, zone: str) -> datetime:
    """What the clinic's clock shows then (aware)."""
    return instant.astimezone(ZoneInfo(zone))


def local_date_of(instant: datetime, *, zone: str) -> date:
    return local_of(instant, zone=zone).date()


def days_before(local_date: date, local_time: time, *, days: int, zone: str) -> datetime:
    """The same wall-clock time so many days earlier: not so many times 24 hours."""
    return lenient_instant_of(local_date - timedelta(days=days), local_time, zone=zone)
