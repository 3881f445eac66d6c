"""When a schedule comes true: cron matches wall-clock times at the clinic, and each of them falls on one instant.

A time in a gap falls where the offset before the gap puts it (Python's and RFC 5545's rule), a time in a fold on the
first of its two instants. Two times of one day may so fall on one instant, and even change places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from scheduler.errors import BadCronError, UnknownZoneError

# No zone moves its clocks twice within this time.
_NEAR = timedelta(hours=26)
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """The instant, and the name it is known by: date and time at the clinic, "2026-03-29T02:30"."""

    due_at: datetime
    local_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A valid cron expression in a valid zone, perhaps with an end."""

    cron: str
    zone: str
    ends_at: datetime | None = None

    def __post_init__(self) -> None:
        """
        Raises:
            BadCronError, UnknownZoneError
        """
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise UnknownZoneError from None
        if len(self.cron.split()) != 5:
            raise BadCronError
        try:
            first = next(CronSim(self.cron, _ANY_TIME), None)
        except CronSimError:
            raise BadCronError from None
        if first is None:
            raise BadCronError

    def between(self, after: datetime, until: datetime) -> Iterator[Occurrence]:
        """All with `after` < instant <= `until`, in the order of their names, which at a gap is not that of the instants."""
        zone = ZoneInfo(self.zone)
        until = until if self.ends_at is None else min(until, self.ends_at)
        begin = _naive(after + min(_offsets_near(after, zone)))
        end = _naive(until + max(_offsets_near(until, zone)))
        for local in self._locals(begin):
            if local > end:
                return
            due_at = _instant(local, zone)
            if after < due_at <= until:
                yield Occurrence(due_at, local.isoformat(timespec="minutes"))

    def first_after(self, after: datetime) -> datetime | None:
        """The earliest instant after `after`."""
        zone = ZoneInfo(self.zone)
        best: datetime | None = None
        for local in self._locals(_naive(after + min(_offsets_near(after, zone)))):
            due_at = _instant(local, zone)
            if best is not None and local > _naive(best + max(_offsets_near(best, zone))):
                break
            if due_at > after and (best is None or due_at < best):
                best = due_at
        return best if best is None or self.ends_at is None or best <= self.ends_at else None

    def _locals(self, begin: datetime) -> Iterator[datetime]:
        """Matching wall-clock times from `begin` on. cronsim given naive times knows nothing of zones."""
        yield from CronSim(self.cron, begin - timedelta(minutes=1))


def _instant(local: datetime, zone: ZoneInfo) -> datetime:
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _naive(shifted: datetime) -> datetime:
    """A UTC time with the zone's offset added, as a wall shows it."""
    return shifted.astimezone(UTC).replace(tzinfo=None)


def _offsets_near(moment: datetime, zone: ZoneInfo) -> list[timedelta]:
    """Every offset that a wall-clock time near that moment may be read with."""
    moments = (moment - _NEAR, moment, moment + _NEAR)
    return [offset for each in moments if (offset := each.astimezone(zone).utcoffset()) is not None]
