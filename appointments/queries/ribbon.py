"""The life of a visit as one ruler, drawn by the server: its messages as rings from the booking to the visit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from appointments import wall_time
from appointments.models import Appointment
from appointments.queries.story_entries import Story
from clinicbot.clinic_time import short_date

LEFT, RIGHT = 12, 1212
RING = 19
MOST_DAYS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    x: float
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLine:
    x: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ribbon:
    days: tuple[DayLine, ...]
    rings: tuple[Ring, ...]
    now_x: float
    visit_x: float
    is_past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    begins: datetime
    seconds: float

    def place(self, moment: datetime) -> float:
        return round(LEFT + (RIGHT - LEFT) * (moment - self.begins).total_seconds() / self.seconds, 1)


def ribbon_of(story: Story, *, visit: Appointment, now: datetime) -> Ribbon | None:
    """None when nothing has been sent or planned: then there is nothing to draw."""
    drawn = [one for one in story.entries if one.mark and not (one.is_ahead and one.at < now)]
    marked = sorted(drawn, key=lambda one: one.at)
    if not marked:
        return None
    begins = min(story.entries[0].at, now)
    ends = max(marked[-1].at, visit.starts_at, now)
    scale = _Scale(begins=begins, seconds=max((ends - begins).total_seconds(), 3600.0))
    rings: list[Ring] = []
    for one in marked:
        x = scale.place(one.at)
        rings.append(Ring(x=max(x, rings[-1].x + RING) if rings else x, mark=one.mark))
    if rings[-1].x > RIGHT:
        return None
    return Ribbon(
        days=tuple(_days(visit, begins=begins, ends=ends, scale=scale)),
        rings=tuple(rings),
        now_x=scale.place(now),
        visit_x=scale.place(visit.starts_at),
        is_past=visit.starts_at <= now,
    )


def _days(visit: Appointment, *, begins: datetime, ends: datetime, scale: _Scale) -> list[DayLine]:
    """Midnights at the clinic; of a long time only every so many."""
    first = wall_time.local_date_of(begins, zone=visit.zone)
    count = (wall_time.local_date_of(ends, zone=visit.zone) - first).days
    step = count // MOST_DAYS + 1
    lines = []
    for offset in range(0, count + 1, step):
        day = first + timedelta(days=offset)
        midnight = wall_time.lenient_instant_of(day, time.min, zone=visit.zone)
        lines.append(DayLine(x=max(scale.place(midnight), 0.0), label=short_date(day)))
    return lines
