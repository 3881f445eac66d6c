"""The whole day as one ruler, drawn by the server: a line for each practitioner, a bar for each visit, and now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from appointments.models import AppointmentStatus
from appointments.queries.day_rows import ASKS, NO_OUTCOME, NOT_ARRIVED, NOT_CONFIRMED, NOT_KNOWN, Row

LEFT, RIGHT = 92, 1207
TOP, LINE = 27, 14
NAME_LENGTH = 15
HOUR = 60
THIN, THICK, DONE = 6, 10, 4
LOOK = (ASKS, NOT_KNOWN, NOT_CONFIRMED, NO_OUTCOME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`tone`: "v" to come, "here", "look", "wrong", "done"."""

    x: float
    y: float
    width: float
    height: int
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    name: str
    y: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HourMark:
    x: float
    hour: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayRibbon:
    hours: tuple[HourMark, ...]
    lines: tuple[Line, ...]
    height: int
    now_x: float | None
    first: int
    last: int


def ribbon_of_day(lanes: Sequence[tuple[str, Sequence[Row]]], *, now_time: time | None) -> DayRibbon | None:
    """By practitioner, their rows. None on a day without visits."""
    spans = [_span(row) for _name, rows in lanes for row in rows]
    if not spans:
        return None
    first = min(begins for begins, _ends in spans) // HOUR
    last = -(-max(ends for _begins, ends in spans) // HOUR)
    scale = (RIGHT - LEFT) / ((last - first) * HOUR)

    def place(minutes: int) -> float:
        return round(LEFT + (minutes - first * HOUR) * scale, 1)

    lines = []
    for number, (name, rows) in enumerate(lanes):
        y = TOP + number * LINE
        bars = []
        for row in rows:
            begins, ends = _span(row)
            tone = tone_of(row)
            height = {"v": THIN, "done": DONE}.get(tone, THICK)
            width = max(round((ends - begins) * scale - 2, 1), 2.0)
            bars.append(Bar(x=place(begins), y=y - height / 2, width=width, height=height, tone=tone))
        lines.append(Line(name=short_name(name), y=y + 4, bars=tuple(bars)))
    now = _minutes(now_time) if now_time is not None else None
    return DayRibbon(
        hours=tuple(HourMark(x=place(hour * HOUR), hour=hour % 24) for hour in range(first, last + 1)),
        lines=tuple(lines),
        height=TOP + len(lanes) * LINE,
        now_x=place(now) if now is not None and first * HOUR <= now <= last * HOUR else None,
        first=first,
        last=last % 24,
    )


def tone_of(row: Row) -> str:
    if row.visit.status == AppointmentStatus.ARRIVED:
        return "here"
    if row.visit.status == AppointmentStatus.NO_SHOW or NOT_ARRIVED in row.flags:
        return "wrong"
    if any(flag in row.flags for flag in LOOK):
        return "look"
    return "done" if row.is_past else "v"


def short_name(name: str) -> str:
    """Without a title, as long as there is room for."""
    bare = " ".join(part for part in name.split() if not part.endswith("."))  # "Dra."
    return bare if len(bare) <= NAME_LENGTH else f"{bare[: NAME_LENGTH - 1].rstrip()}…"


def _span(row: Row) -> tuple[int, int]:
    begins = _minutes(row.visit.local_time)
    return begins, begins + row.visit.duration_minutes


def _minutes(at: time) -> int:
    return at.hour * HOUR + at.minute
