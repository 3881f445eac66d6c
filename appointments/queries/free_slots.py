"""Free times: working hours less closures and what is taken. A constant number of queries, whatever the range."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db.models import QuerySet

from appointments import wall_time
from appointments.models import Appointment, Closure, Practitioner, Room, Service, WorkingHours
from appointments.queries.opening import (
    NOTHING,
    Shift,
    Stretches,
    away,
    closures_between,
    days_between,
    seconds,
    shifts_of,
)
from appointments.queries.taken import Taken, taken_from, taken_rows, visits_in_the_way
from appointments.slots import Slot
from clinicbot.models import Clinic
from clinicbot.together import fetch_together

STEP = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSlot:
    """A slot and the name to show beside it."""

    slot: Slot
    practitioner_name: str

    @property
    def starts_at(self) -> datetime:
        return self.slot.starts_at


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWish:
    """What is looked for: `days` days from `from_day` on, with one practitioner or (None) with anyone who gives the service.

    without_visit_id: a visit that is being moved does not stand in its own way.
    """

    service: Service
    from_day: date
    days: int
    practitioner_id: int | None = None
    without_visit_id: int | None = None

    @property
    def to_day(self) -> date:
        return self.from_day + timedelta(days=self.days - 1)


def find_free_slots(
    clinic: Clinic,
    *,
    wish: SlotWish,
    now: datetime,
    limit: int = 40,
    most_a_day: int | None = None,
    search: Search | None = None,
) -> list[FreeSlot]:
    """Times that are free from `now` on, soonest first. What begins after midnight belongs to the next day.

    most_a_day: so many of each day, spread over it, so that a short list is several days and not one morning.
    search: what is known already, for the same service and people and at least these days.
    """
    search = search or Search.of(clinic, wish=wish, now=now)
    found: list[_Free] = []
    for day in days_between(wish.from_day, wish.to_day):
        of_day = search.free_on(day)
        found += _spread(of_day, most=most_a_day) if most_a_day else of_day
        if len(found) >= limit:
            break
    return [search.as_slot(free) for free in found[:limit]]


def find_next_free(clinic: Clinic, *, wish: SlotWish, now: datetime) -> FreeSlot | None:
    """The first time that is free; None when there is none in all these days."""
    return next(iter(find_free_slots(clinic, wish=wish, now=now, limit=1)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeDay:
    """How many times are free on a day, those of different practitioners counted each.

    closure: what closes it all day long, for the clinic or for the only one who was asked for. is_worked: somebody has hours.
    """

    day: date
    count: int
    closure: Closure | None
    is_worked: bool


def free_by_day(clinic: Clinic, *, wish: SlotWish, now: datetime, search: Search | None = None) -> list[FreeDay]:
    """Each of these days. One query, however many days; none with `search`, as in `find_free_slots`."""
    search = search or Search.of(clinic, wish=wish, now=now)
    closed: dict[date, Closure] = {}
    for closure in search.closures:
        if closure.practitioner_id in (None, wish.practitioner_id):
            closed |= dict.fromkeys(days_between(*closure.whole_days), closure)
    return [
        FreeDay(
            day=day, count=len(search.free_on(day)), closure=closed.get(day), is_worked=bool(search.shifts.get(day))
        )
        for day in days_between(wish.from_day, wish.to_day)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of some days, of everybody who works: from it any service's free times are told without asking again.

    rooms: ids of those in use, by name.
    """

    shifts: Sequence[Shift]
    rooms: Sequence[int]
    away: Mapping[int | None, Stretches]
    taken: Taken
    closures: Sequence[Closure] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRows:
    """The tables behind `Known`, to be asked for in one round trip. rooms: ids. taken: as `taken_from` reads it."""

    rooms: QuerySet[Room, int]
    closures: QuerySet[Closure]
    hours: QuerySet[WorkingHours]
    taken: QuerySet[Appointment, tuple[int, int | None, int, int]]

    @classmethod
    def of(cls, clinic: Clinic, *, first: date, last: date, in_the_way: QuerySet[Appointment]) -> KnownRows:
        rooms = Room.objects.for_clinic(clinic).filter(is_active=True).order_by("name")
        return cls(
            rooms=rooms.values_list("pk", flat=True),
            closures=closures_between(clinic, first=first, last=last + timedelta(days=1)),
            hours=WorkingHours.objects.for_clinic(clinic).order_by("begins", "pk"),
            taken=taken_rows(in_the_way),
        )

    @property
    def all(self) -> tuple[QuerySet[Any, Any], ...]:
        return self.rooms, self.closures, self.hours, self.taken

    def known(self, *, first: date, last: date, zone: str, practitioner_ids: Container[int]) -> Known:
        """Of these people."""
        hours = [row for row in self.hours if row.practitioner_id in practitioner_ids]
        return Known(
            shifts=shifts_of(hours, first=first, last=last, zone=zone),
            rooms=list(self.rooms),
            away=away(self.closures, zone=zone),
            taken=taken_from(self.taken),
            closures=list(self.closures),
        )


def free_among(
    clinic: Clinic, *, known: Known, names: Mapping[int, str], service: Service, days: Iterable[date], now: datetime
) -> list[FreeSlot]:
    """All free times of these days, of those who are named. No query."""
    search = Search.among(known, clinic=clinic, names=names, service=service, now=now)
    return [search.as_slot(free) for day in days for free in search.free_on(day)]


class _Free(NamedTuple):
    """In the order in which they are shown."""

    begins_s: int
    name: str
    practitioner_id: int
    room_id: int | None
    wall: datetime


def _spread(times: Sequence[_Free], *, most: int) -> Sequence[_Free]:
    return times[:: max(1, len(times) // most)][:most]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """All that is known of the days in question: one query, and none after."""

    clinic: Clinic
    service: Service
    now_s: int
    names: Mapping[int, str]
    rooms: Sequence[int]
    shifts: Mapping[date, list[Shift]]
    away: Mapping[int | None, Stretches]
    taken: Taken
    closures: Sequence[Closure]

    @classmethod
    def of(cls, clinic: Clinic, *, wish: SlotWish, now: datetime) -> Search:
        first, last = wish.from_day, wish.to_day
        active = Practitioner.objects.for_clinic(clinic).filter(is_active=True, services=wish.service)
        wanted = active if wish.practitioner_id is None else active.filter(pk=wish.practitioner_id)
        people = wanted.values_list("pk", "full_name")
        in_the_way = visits_in_the_way(clinic, first=first, last=last, now=now, without_visit_id=wish.without_visit_id)
        rows = KnownRows.of(clinic, first=first, last=last, in_the_way=in_the_way)
        fetch_together(people, *rows.all)
        names = dict(people)
        known = rows.known(first=first, last=last, zone=clinic.zone, practitioner_ids=names)
        return cls.among(known, clinic=clinic, names=names, service=wish.service, now=now)

    @classmethod
    def among(
        cls, known: Known, *, clinic: Clinic, names: Mapping[int, str], service: Service, now: datetime
    ) -> Search:
        by_day: defaultdict[date, list[Shift]] = defaultdict(list)
        for shift in known.shifts:
            for day in shift.days if shift.practitioner_id in names else ():
                by_day[day].append(shift)
        return cls(
            clinic=clinic,
            service=service,
            now_s=seconds(now),
            names=names,
            rooms=known.rooms,
            shifts=by_day,
            away=known.away,
            taken=known.taken,
            closures=known.closures,
        )

    def free_on(self, day: date) -> list[_Free]:
        """In order of time, then of name."""
        works = self._works_around(day)
        found = [
            free
            for shift in self.shifts.get(day, ())
            for wall, begins_s in self._steps(shift, day=day)
            if (free := self._free(shift, wall=wall, begins_s=begins_s, works=works)) is not None
        ]
        return sorted(found)

    def at(self, day: date, at: time, *, practitioner_id: int) -> FreeSlot | None:
        """That time with that person, in a room that is free; None where it cannot be had."""
        if not wall_time.exists(day, at, zone=self.clinic.zone):
            return None
        begins_s, works = seconds(wall_time.instant_of(day, at, zone=self.clinic.zone)), self._works_around(day)
        for shift in self.shifts.get(day, ()):
            if shift.practitioner_id == practitioner_id and shift.begins_s <= begins_s < shift.ends_s:
                free = self._free(shift, wall=datetime.combine(day, at), begins_s=begins_s, works=works)
                return self.as_slot(free) if free else None
        return None

    def works(self, slot: Slot) -> bool:
        """Whether the practitioner has hours through all of it."""
        works = self._works_around(slot.local_date).get(slot.practitioner_id, NOTHING)
        return works.covers(seconds(slot.starts_at), seconds(slot.ends_at))

    def as_slot(self, free: _Free) -> FreeSlot:
        slot = Slot(
            practitioner_id=free.practitioner_id,
            room_id=free.room_id,
            local_date=free.wall.date(),
            local_time=free.wall.time(),
            zone=self.clinic.zone,
            duration_minutes=self.service.duration_minutes,
            buffer_before_minutes=self.service.buffer_before_minutes,
            buffer_after_minutes=self.service.buffer_after_minutes,
        )
        return FreeSlot(slot=slot, practitioner_name=free.name)

    def _works_around(self, day: date) -> dict[int, Stretches]:
        """By practitioner; a visit may go on from one range into the next, also past midnight."""
        pieces: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        for one in (day, day + timedelta(days=1)):
            for shift in self.shifts.get(one, ()):
                pieces[shift.practitioner_id].add((shift.begins_s, shift.ends_s))
        return {practitioner_id: Stretches(of_one) for practitioner_id, of_one in pieces.items()}

    def _steps(self, shift: Shift, *, day: date) -> Iterator[tuple[datetime, int]]:
        """Wall-clock times of that day within the shift, each with its instant; those that the clocks skip are left out."""
        wall = shift.begins
        if wall.date() < day:
            wall += -((wall - datetime.combine(day, datetime.min.time())) // STEP) * STEP
        begins_s = shift.begins_s + int((wall - shift.begins).total_seconds())
        is_plain = shift.is_plain(self.clinic.zone)
        while wall < shift.ends and wall.date() == day:
            if is_plain:
                yield wall, begins_s
            elif wall_time.exists(day, wall.time(), zone=self.clinic.zone):
                yield wall, seconds(wall_time.instant_of(day, wall.time(), zone=self.clinic.zone))
            wall += STEP
            begins_s += int(STEP.total_seconds())

    def _free(self, shift: Shift, *, wall: datetime, begins_s: int, works: dict[int, Stretches]) -> _Free | None:
        ends_s = begins_s + self.service.duration_minutes * 60
        person = shift.practitioner_id
        if begins_s <= self.now_s or begins_s < shift.begins_s or not works[person].covers(begins_s, ends_s):
            return None
        if any(self.away.get(who, NOTHING).meets(begins_s, ends_s) for who in (None, person)):
            return None
        occupied = begins_s - self.service.buffer_before_minutes * 60, ends_s + self.service.buffer_after_minutes * 60
        if not self.taken.leaves_practitioner(person, *occupied):
            return None
        if not self.rooms:
            return _Free(begins_s, self.names[person], person, shift.room_id, wall)
        room_id = self._free_room(shift.room_id, occupied)
        return None if room_id is None else _Free(begins_s, self.names[person], person, room_id, wall)

    def _free_room(self, usual: int | None, occupied: tuple[int, int]) -> int | None:
        """The usual one if that is free, else the first free one by name."""
        wanted = [usual] if usual is not None and usual in self.rooms else []
        return next((room for room in (*wanted, *self.rooms) if self.taken.leaves_room(room, *occupied)), None)
