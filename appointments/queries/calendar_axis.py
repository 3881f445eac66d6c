"""The hours that one column of the calendar spans, as time passes: where the clocks go back, an hour stands there twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from appointments import wall_time
from appointments.queries.offers import code_of_moment
from clinicbot.models import Clinic

QUARTER = 15
HOUR = 60
MINUTE_S = 60
OPENS, CLOSES = 8, 18
"""What is shown of a day on which nothing stands."""
LONGEST_HOURS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Minutes below the top of a column, and how long."""

    begins: int
    minutes: int

    @property
    def ends(self) -> int:
        return self.begins + self.minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A full hour of the clinic's clock. is_again: the clocks have shown it before on that day."""

    offset: int
    wall: time
    is_again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarter:
    """code: "20260415T0815", as an address names it; empty where a visit cannot begin, for the clocks showed that time before."""

    wall: time
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """From one full hour of a day to another, the latter perhaps of the next day. begins, ends: instants, in seconds."""

    day: date
    zone: str
    begins: int
    ends: int
    is_plain: bool

    @property
    def minutes(self) -> int:
        return (self.ends - self.begins) // MINUTE_S

    def offset_of(self, instant_s: int) -> int | None:
        """Minutes below the top; None for what lies outside."""
        inside = self.begins <= instant_s < self.ends
        return (instant_s - self.begins) // MINUTE_S if inside else None

    def span(self, begins_s: int, ends_s: int) -> Span | None:
        """As much of it as is shown; None where nothing is."""
        begins, ends = max(begins_s, self.begins), min(ends_s, self.ends)
        if begins >= ends:
            return None
        return Span(begins=(begins - self.begins) // MINUTE_S, minutes=-(-(ends - begins) // MINUTE_S))

    def ticks(self) -> list[Tick]:
        return [
            Tick(offset=place * QUARTER, wall=wall.time(), is_again=bool(wall.fold))
            for place, wall in enumerate(self._walls())
            if wall.minute == 0
        ]

    def quarters(self) -> list[Quarter]:
        return [Quarter(wall=wall.time(), code="" if wall.fold else code_of_moment(wall)) for wall in self._walls()]

    def _walls(self) -> Iterator[datetime]:
        for instant_s in range(self.begins, self.ends, QUARTER * MINUTE_S):
            yield wall_time.local_of(datetime.fromtimestamp(instant_s, tz=wall_time.UTC), zone=self.zone)


def axis_of(clinic: Clinic, *, day: date, begins_hour: int, ends_hour: int) -> Axis:
    """Hours of the clinic's clock; from 24 on, of the next day."""
    midnight = datetime.combine(day, time.min)
    first, last = (_instant_s(midnight + timedelta(hours=hour), zone=clinic.zone) for hour in (begins_hour, ends_hour))
    is_plain = last - first == (ends_hour - begins_hour) * HOUR * MINUTE_S
    return Axis(day=day, zone=clinic.zone, begins=first, ends=last, is_plain=is_plain)


def hours_around(walls: list[tuple[datetime, datetime]], *, day: date) -> tuple[int, int]:
    """From which hour to which all of this is seen, counted from that day's midnight; (8, 18) for nothing."""
    if not walls:
        return OPENS, CLOSES
    midnight = datetime.combine(day, time.min)
    first = min(begins for begins, _ends in walls) - midnight
    last = max(ends for _begins, ends in walls) - midnight
    begins_hour = max(int(first.total_seconds()) // 3600, 0)
    return begins_hour, min(max(-(-int(last.total_seconds()) // 3600), begins_hour + 1), LONGEST_HOURS)


def _instant_s(wall: datetime, *, zone: str) -> int:
    return int(wall_time.lenient_instant_of(wall.date(), wall.time(), zone=zone).timestamp())
