"""When somebody works, and when they are away: wall-clock rows as stretches of real time. Instants are whole seconds (UTC)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import Q, QuerySet

from appointments import wall_time
from appointments.errors import ClinicClosedError
from appointments.models import Closure, WorkingHours
from appointments.slots import Slot
from clinicbot.models import Clinic

DAY = timedelta(days=1)


class Stretches:
    """Pieces of time in order, those that touch or overlap made one: answers by bisection, however many there are."""

    def __init__(self, pieces: Iterable[tuple[int, int]]) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        for begins, ends in sorted(pieces):
            if self._ends and begins <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], ends)
            elif begins < ends:
                self._begins.append(begins)
                self._ends.append(ends)

    def meets(self, begins: int, ends: int) -> bool:
        """Whether any of it lies between the two."""
        place = bisect_right(self._ends, begins)
        return place < len(self._begins) and self._begins[place] < ends

    def covers(self, begins: int, ends: int) -> bool:
        """Whether all between the two is part of it."""
        place = bisect_right(self._begins, begins) - 1
        return place >= 0 and ends <= self._ends[place]


NOTHING = Stretches(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """Working hours on one day. Of a time that the clocks skip or show twice the edges are read as plans read it."""

    practitioner_id: int
    room_id: int | None
    begins: datetime
    ends: datetime
    begins_s: int
    ends_s: int

    @property
    def days(self) -> tuple[date, ...]:
        """On which days a visit of it may begin."""
        last = (self.ends - timedelta.resolution).date()
        return (self.begins.date(),) if last == self.begins.date() else (self.begins.date(), last)

    def is_plain(self, zone: str) -> bool:
        """Whether the clocks do not change from its beginning to its end."""
        return self.ends_s - self.begins_s == (self.ends - self.begins).total_seconds() and all(
            wall_time.exists(wall.date(), wall.time(), zone=zone) for wall in (self.begins, self.ends)
        )


def shifts_between(clinic: Clinic, *, first: date, last: date, practitioner_ids: Iterable[int]) -> list[Shift]:
    """Of everybody named, those of the day before too (they may go on past midnight), and of the day after. One query."""
    rows = WorkingHours.objects.for_clinic(clinic).filter(practitioner_id__in=list(practitioner_ids))
    return shifts_of(rows.order_by("begins", "pk"), first=first, last=last, zone=clinic.zone)


def shifts_of(rows: Iterable[WorkingHours], *, first: date, last: date, zone: str) -> list[Shift]:
    """The same of rows that are known already."""
    of_weekday: defaultdict[int, list[WorkingHours]] = defaultdict(list)
    for row in rows:
        of_weekday[row.weekday].append(row)
    return [
        _shift(row, day=day, zone=zone)
        for day in days_between(first - DAY, last + DAY)
        for row in of_weekday[day.weekday()]
    ]


def closures_between(clinic: Clinic, *, first: date, last: date) -> QuerySet[Closure]:
    """Everybody's that reach into these days; not the holidays on which the clinic works."""
    return (
        Closure.objects.for_clinic(clinic)
        .filter(begins_on__lte=last, ends_on__gte=first, is_open=False)
        .order_by("begins_on", "pk")
    )


def away(closures: Iterable[Closure], *, zone: str) -> dict[int | None, Stretches]:
    """By practitioner; None: the whole clinic."""
    pieces: defaultdict[int | None, list[tuple[int, int]]] = defaultdict(list)
    for closure in closures:
        pieces[closure.practitioner_id].append(_seconds_of(closure, zone=zone))
    return {practitioner_id: Stretches(of_one) for practitioner_id, of_one in pieces.items()}


def is_within_hours(clinic: Clinic, *, slot: Slot) -> bool:
    """Whether the practitioner works through that slot, be it from one range into the next or past midnight."""
    shifts = shifts_between(
        clinic, first=slot.local_date, last=slot.local_date, practitioner_ids=[slot.practitioner_id]
    )
    works = Stretches((shift.begins_s, shift.ends_s) for shift in shifts)
    return works.covers(seconds(slot.starts_at), seconds(slot.ends_at))


def find_closure(clinic: Clinic, *, slot: Slot) -> Closure | None:
    """What the visit, not the minutes kept free around it, would run into: of the clinic or of the practitioner."""
    last = wall_time.local_date_of(slot.ends_at, zone=clinic.zone)
    closures = (
        Closure.objects.for_clinic(clinic)
        .filter(
            Q(practitioner=None) | Q(practitioner_id=slot.practitioner_id),
            begins_on__lte=last,
            ends_on__gte=slot.local_date,
            is_open=False,
        )
        .order_by("practitioner_id", "begins_on", "pk")
    )
    return closure_among(closures, slot=slot)


def closure_among(closures: Iterable[Closure], *, slot: Slot) -> Closure | None:
    """The first of these that concerns the slot's practitioner and that the visit runs into."""
    begins, ends = seconds(slot.starts_at), seconds(slot.ends_at)
    for closure in closures:
        is_about_them = closure.practitioner_id in (None, slot.practitioner_id)
        if is_about_them and Stretches([_seconds_of(closure, zone=slot.zone)]).meets(begins, ends):
            return closure
    return None


def closed_by(closure: Closure, *, clinic: Clinic) -> ClinicClosedError:
    """The same as an error, which says until when and why."""
    return ClinicClosedError(
        clinic=clinic,
        is_of_clinic=closure.practitioner_id is None,
        begins_on=closure.begins_on,
        begins_at=closure.begins_at,
        ends_on=closure.ends_on,
        ends_at=closure.ends_at,
        reason=closure.reason,
    )


def days_between(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += DAY


def seconds(instant: datetime) -> int:
    return int(instant.timestamp())


def _shift(row: WorkingHours, *, day: date, zone: str) -> Shift:
    begins = datetime.combine(day, row.begins)
    ends = datetime.combine(day if row.begins < row.ends else day + DAY, row.ends)
    return Shift(
        practitioner_id=row.practitioner_id,
        room_id=row.room_id,
        begins=begins,
        ends=ends,
        begins_s=seconds(_instant(begins, zone=zone)),
        ends_s=seconds(_instant(ends, zone=zone)),
    )


def span_of(closure: Closure, *, zone: str) -> tuple[datetime, datetime]:
    """From when to when (UTC) nobody is there."""
    begins = datetime.combine(closure.begins_on, closure.begins_at or time.min)
    ends = (
        datetime.combine(closure.ends_on + DAY, time.min)
        if closure.ends_at is None
        else datetime.combine(closure.ends_on, closure.ends_at)
    )
    return _instant(begins, zone=zone), _instant(ends, zone=zone)


def _seconds_of(closure: Closure, *, zone: str) -> tuple[int, int]:
    begins, ends = span_of(closure, zone=zone)
    return seconds(begins), seconds(ends)


def _instant(wall: datetime, *, zone: str) -> datetime:
    return wall_time.lenient_instant_of(wall.date(), wall.time(), zone=zone)
