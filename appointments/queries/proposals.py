"""Other times for visits that cannot stand where they are: with the same practitioner, or with another who gives the service.

Never earlier than the visit itself, the nearest first, and no time for two of them. Seven queries, however many visits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple

from appointments.models import Appointment, Closure, ClosurePlan, Practitioner, Room, Service
from appointments.queries.free_slots import Known, free_among
from appointments.queries.giving import given_pairs
from appointments.queries.offers import code_of
from appointments.queries.opening import DAY, away, closures_between, days_between, seconds, shifts_between
from appointments.queries.taken import taken_between
from appointments.slots import Slot
from clinicbot.models import Clinic

SAME_WITHIN, OTHER_WITHIN = timedelta(days=42), timedelta(days=14)
"""So far ahead of a visit's own day another time is looked for: with the same practitioner, with another."""
SOONEST = timedelta(hours=2)
"""Sooner than this nobody is moved to: they have to hear of it first. At the same hour with another practitioner is no move."""


class _Time(NamedTuple):
    """A free time in whole seconds (UTC): when the visit begins, and what it would occupy."""

    begins: int
    taken_from: int
    taken_to: int
    slot: Slot


@dataclass(slots=True, kw_only=True)
class _Pool:
    """Free times of each service and day, by practitioner, and what of them has been promised.

    known: as it was before any promise. nothing_until: by service and whose, up to which day nothing is left.
    """

    clinic: Clinic
    known: Known
    names: Mapping[int, str]
    gives: frozenset[tuple[int, int]]
    now: datetime
    of_day: dict[tuple[int, date], dict[int, list[_Time]]] = field(default_factory=dict)
    promised: defaultdict[tuple[str, int], list[_Time]] = field(default_factory=lambda: defaultdict(list))
    nothing_until: dict[tuple[int, int, bool], date] = field(default_factory=dict)

    def nearest(self, visit: Appointment, *, is_same: bool) -> _Time | None:
        """The first one from the visit's own time on: of its practitioner, or of anybody else. Ask in order of time."""
        key = (visit.service_id, visit.practitioner_id, is_same)
        first, last = visit.local_date, visit.local_date + (SAME_WITHIN if is_same else OTHER_WITHIN)
        if key in self.nothing_until:
            first = max(first, self.nothing_until[key] + DAY)
        for day in days_between(first, last):
            if (found := self._first_of(visit, day=day, is_same=is_same)) is not None:
                return found
        self.nothing_until[key] = last
        return None

    def promise(self, time: _Time) -> None:
        for lane in _lanes(time.slot):
            self.promised[lane].append(time)

    def _first_of(self, visit: Appointment, *, day: date, is_same: bool) -> _Time | None:
        times = self._times_on(day, service=visit.service)
        whose = [pk for pk in times if (pk == visit.practitioner_id) == is_same]
        found = [one for pk in whose if (one := self._first_left(times[pk], visit=visit)) is not None]
        return min(found, key=lambda one: one.begins, default=None)

    def _first_left(self, times: list[_Time], *, visit: Appointment) -> _Time | None:
        """What is promised is dropped for good, so that nobody looks at it twice."""
        own, soonest = seconds(visit.starts_at), seconds(self.now + SOONEST)
        place = 0
        while place < len(times):
            one = times[place]
            if one.begins != own and one.begins < max(own, soonest):
                place += 1
            elif self._is_promised(one):
                del times[place]
            else:
                return one
        return None

    def _is_promised(self, time: _Time) -> bool:
        return any(
            one.taken_from < time.taken_to and time.taken_from < one.taken_to
            for lane in _lanes(time.slot)
            for one in self.promised[lane]
        )

    def _times_on(self, day: date, *, service: Service) -> Mapping[int, list[_Time]]:
        key = (service.pk, day)
        if key not in self.of_day:
            names = {pk: name for pk, name in self.names.items() if (pk, service.pk) in self.gives}
            free = free_among(self.clinic, known=self.known, names=names, service=service, days=[day], now=self.now)
            by_person: defaultdict[int, list[_Time]] = defaultdict(list)
            for one in free if names else ():
                by_person[one.slot.practitioner_id].append(_time(one.slot))
            self.of_day[key] = dict(by_person)
        return self.of_day[key]


def propose(
    plan: ClosurePlan, *, visits: Sequence[Appointment], promised: Iterable[Slot] = (), now: datetime
) -> dict[int, list[str]]:
    """By visit, the times that it may go to, as codes, the nearest first; of two equally near, the same practitioner.

    promised: times that were proposed for other visits, and are not proposed again.
    """
    if not visits:
        return {}
    pool = _pool(plan, visits=visits, now=now)
    for slot in promised:
        pool.promise(_time(slot))
    found: dict[int, list[str]] = {}
    for visit in visits:
        times = [one for is_same in (True, False) if (one := pool.nearest(visit, is_same=is_same)) is not None]
        for one in times:
            pool.promise(one)
        found[visit.pk] = [code_of(one.slot) for one in sorted(times, key=lambda one: one.begins)]
    return found


def taken_targets(
    clinic: Clinic, *, slots: Mapping[int, Slot], promised: Iterable[Slot] = (), now: datetime
) -> set[int]:
    """Of these times, by visit, which somebody has taken or was promised, or two of them want. One query."""
    if not slots:
        return set()
    days = [slot.local_date for slot in slots.values()]
    taken = taken_between(clinic, first=min(days), last=max(days), now=now)
    gone = set[int]()
    wanted: defaultdict[tuple[str, int], list[_Time]] = defaultdict(list)
    for slot in promised:
        for lane in _lanes(slot):
            wanted[lane].append(_time(slot))
    for visit_id, slot in slots.items():
        time = _time(slot)
        is_free = taken.leaves_practitioner(slot.practitioner_id, time.taken_from, time.taken_to) and (
            slot.room_id is None or taken.leaves_room(slot.room_id, time.taken_from, time.taken_to)
        )
        clashes = any(
            one.taken_from < time.taken_to and time.taken_from < one.taken_to
            for lane in _lanes(slot)
            for one in wanted[lane]
        )
        if clashes or not is_free or slot.starts_at <= now:
            gone.add(visit_id)
            continue
        for lane in _lanes(slot):
            wanted[lane].append(time)
    return gone


def _pool(plan: ClosurePlan, *, visits: Sequence[Appointment], now: datetime) -> _Pool:
    clinic = plan.clinic
    first, last = visits[0].local_date, visits[-1].local_date + SAME_WITHIN
    people = Practitioner.objects.for_clinic(clinic).filter(is_active=True)
    if plan.is_leaving and plan.practitioner_id is not None:
        people = people.exclude(pk=plan.practitioner_id)
    names = dict(people.values_list("pk", "full_name"))
    closures = closures_between(clinic, first=first, last=last + DAY)
    own = [] if plan.is_leaving else [Closure(**plan.closure_columns)]
    rooms = Room.objects.for_clinic(clinic).filter(is_active=True).order_by("name")
    return _Pool(
        clinic=clinic,
        known=Known(
            shifts=shifts_between(clinic, first=first, last=last, practitioner_ids=names),
            rooms=list(rooms.values_list("pk", flat=True)),
            away=away([*closures, *own], zone=clinic.zone),
            taken=taken_between(clinic, first=first, last=last, now=now),
        ),
        names=names,
        gives=frozenset(given_pairs(clinic)),
        now=now,
    )


def _lanes(slot: Slot) -> Iterator[tuple[str, int]]:
    yield "practitioner", slot.practitioner_id
    if slot.room_id is not None:
        yield "room", slot.room_id


def _time(slot: Slot) -> _Time:
    begins, ends = slot.occupied
    return _Time(seconds(slot.starts_at), seconds(begins), seconds(ends), slot)
