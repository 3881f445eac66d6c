"""Free times: working hours less closures and what is taken. A constant number of queries, whatever the range."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from django.db.models import Q

from appointments import wall_time
from appointments.errors import TimeInGapError
from appointments.models import LIVE, Appointment, AppointmentStatus, Closure, Practitioner, Room, Service, WorkingHours
from appointments.slots import Slot
from clinicbot.models import Clinic

STEP_MINUTES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSlot:
    """A slot and the name to show beside it."""

    slot: Slot
    practitioner_name: str

    @property
    def starts_at(self) -> datetime:
        return self.slot.starts_at


@dataclass(frozen=True, slots=True)
class _Busy:
    begins: datetime
    ends: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWish:
    """What is looked for: `days` days from `from_day` on, with one practitioner or (None) with anyone.

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
    clinic: Clinic, *, wish: SlotWish, now: datetime, limit: int = 40, most_a_day: int | None = None
) -> list[FreeSlot]:
    """Times that are free from `now` on, soonest first. A constant number of queries.

    most_a_day: so many of each day, spread over it, so that a short list is several days and not one morning.
    """
    practitioners = _practitioners(clinic, practitioner_id=wish.practitioner_id)
    rooms = [room.pk for room in Room.objects.for_clinic(clinic).filter(is_active=True).order_by("name")]
    hours = _hours(clinic, practitioner_ids=list(practitioners))
    closed = _closed_days(clinic, from_day=wish.from_day, to_day=wish.to_day)
    by_practitioner, by_room = _busy(clinic, wish=wish, now=now)
    found: list[FreeSlot] = []
    for offset in range(wish.days):
        day = wish.from_day + timedelta(days=offset)
        if None in closed[day]:
            continue
        of_day = [
            FreeSlot(slot=placed, practitioner_name=practitioners[placed.practitioner_id].full_name)
            for working in hours[day.weekday()]
            if working.practitioner_id not in closed[day]
            for step in _steps(clinic, service=wish.service, day=day, working=working, now=now)
            if not _overlaps(step, by_practitioner[step.practitioner_id])
            if (placed := _with_room(step, rooms=rooms, taken=by_room)) is not None
        ]
        in_order = sorted(of_day, key=lambda free: (free.starts_at, free.practitioner_name))
        found += _spread(in_order, most=most_a_day) if most_a_day else in_order
        if len(found) >= limit:
            break
    return found[:limit]


def _spread(times: list[FreeSlot], *, most: int) -> list[FreeSlot]:
    return times[:: max(1, len(times) // most)][:most]


def is_within_hours(clinic: Clinic, *, slot: Slot) -> bool:
    """Whether the practitioner works through that slot. Hours end with the day, so a visit past midnight is outside."""
    ends = datetime.combine(slot.local_date, slot.local_time) + timedelta(minutes=slot.duration_minutes)
    if ends.date() != slot.local_date:
        return False
    return (
        WorkingHours.objects.for_clinic(clinic)
        .filter(
            practitioner_id=slot.practitioner_id,
            weekday=slot.local_date.weekday(),
            begins__lte=slot.local_time,
            ends__gte=ends.time(),
        )
        .exists()
    )


def is_closed(clinic: Clinic, *, slot: Slot) -> bool:
    """Whether the clinic or the practitioner is away that day."""
    return (
        Closure.objects.for_clinic(clinic)
        .filter(
            Q(practitioner=None) | Q(practitioner_id=slot.practitioner_id),
            begins_on__lte=slot.local_date,
            ends_on__gte=slot.local_date,
        )
        .exists()
    )


def _practitioners(clinic: Clinic, *, practitioner_id: int | None) -> dict[int, Practitioner]:
    active = Practitioner.objects.for_clinic(clinic).filter(is_active=True)
    if practitioner_id is not None:
        active = active.filter(pk=practitioner_id)
    return {practitioner.pk: practitioner for practitioner in active}


def _hours(clinic: Clinic, *, practitioner_ids: list[int]) -> defaultdict[int, list[WorkingHours]]:
    by_weekday: defaultdict[int, list[WorkingHours]] = defaultdict(list)
    for working in WorkingHours.objects.for_clinic(clinic).filter(practitioner_id__in=practitioner_ids):
        by_weekday[working.weekday].append(working)
    return by_weekday


def _closed_days(clinic: Clinic, *, from_day: date, to_day: date) -> defaultdict[date, set[int | None]]:
    """By day, the practitioners who are away; None among them: the clinic is closed."""
    closed: defaultdict[date, set[int | None]] = defaultdict(set)
    for closure in Closure.objects.for_clinic(clinic).filter(begins_on__lte=to_day, ends_on__gte=from_day):
        day = max(closure.begins_on, from_day)
        while day <= min(closure.ends_on, to_day):
            closed[day].add(closure.practitioner_id)
            day += timedelta(days=1)
    return closed


def _busy(
    clinic: Clinic, *, wish: SlotWish, now: datetime
) -> tuple[defaultdict[int, list[_Busy]], defaultdict[int, list[_Busy]]]:
    begins = wall_time.lenient_instant_of(wish.from_day, time.min, zone=clinic.zone) - timedelta(days=1)
    ends = wall_time.lenient_instant_of(wish.to_day, time.max, zone=clinic.zone) + timedelta(days=1)
    visits = (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, starts_at__lt=ends, ends_at__gt=begins)
        .exclude(status=AppointmentStatus.REQUESTED, hold_expires_at__lte=now)
        .exclude(pk__in=[] if wish.without_visit_id is None else [wish.without_visit_id])
    )
    by_practitioner: defaultdict[int, list[_Busy]] = defaultdict(list)
    by_room: defaultdict[int, list[_Busy]] = defaultdict(list)
    for visit in visits.only("practitioner_id", "room_id", "occupied"):
        busy = _Busy(visit.occupied.lower, visit.occupied.upper)
        by_practitioner[visit.practitioner_id].append(busy)
        if visit.room_id is not None:
            by_room[visit.room_id].append(busy)
    return by_practitioner, by_room


def _steps(clinic: Clinic, *, service: Service, day: date, working: WorkingHours, now: datetime) -> Iterator[Slot]:
    moment = datetime.combine(day, working.begins)
    last = datetime.combine(day, working.ends) - timedelta(minutes=service.duration_minutes)
    while moment <= last:
        slot = Slot(
            practitioner_id=working.practitioner_id,
            room_id=working.room_id,
            local_date=day,
            local_time=moment.time(),
            zone=clinic.zone,
            duration_minutes=service.duration_minutes,
            buffer_before_minutes=service.buffer_before_minutes,
            buffer_after_minutes=service.buffer_after_minutes,
        )
        moment += timedelta(minutes=STEP_MINUTES)
        try:
            if slot.starts_at > now:
                yield slot
        except TimeInGapError:
            continue


def _with_room(slot: Slot, *, rooms: list[int], taken: defaultdict[int, list[_Busy]]) -> Slot | None:
    """The slot in its usual room if that is free, else in the first free one; None when no room is. No rooms at all: none needed."""
    if not rooms:
        return slot
    wanted = [slot.room_id] if slot.room_id in rooms else []
    for room_id in [*wanted, *(room for room in rooms if room != slot.room_id)]:
        if not _overlaps(slot, taken[room_id]):
            return replace(slot, room_id=room_id)
    return None


def _overlaps(slot: Slot, taken: Iterable[_Busy]) -> bool:
    begins, ends = slot.occupied
    return any(begins < busy.ends and busy.begins < ends for busy in taken)
