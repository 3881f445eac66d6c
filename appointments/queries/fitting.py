"""Whether a visit would fit at another place, and why not, before anybody tries. The use case that moves it has the last word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from appointments.errors import (
    NotAtThisClinicError,
    OutsideHoursError,
    ServiceNotGivenError,
    SlotInPastError,
    SlotTakenError,
)
from appointments.models import Appointment, Practitioner, PractitionerService, Room
from appointments.queries.opening import Shift, Stretches, closed_by, find_closure, seconds, shifts_between
from appointments.queries.taken import Taken, taken_between
from appointments.slots import Slot
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """slot: with the room that it would get. practitioner: None where this clinic has no such one at work. error: None if it fits."""

    slot: Slot
    practitioner: Practitioner | None
    room: Room | None
    error: ClinicBotError | None


def fit_of(clinic: Clinic, *, visit: Appointment, slot: Slot, now: datetime) -> Fit:
    """A slot without a room gets one that is free: the practitioner's usual, else the first by name. Six queries."""
    practitioner = Practitioner.objects.for_clinic(clinic).filter(pk=slot.practitioner_id, is_active=True).first()
    rooms = list(Room.objects.for_clinic(clinic).filter(is_active=True).order_by("name"))
    if practitioner is None or (slot.room_id is not None and slot.room_id not in {room.pk for room in rooms}):
        return Fit(slot=slot, practitioner=None, room=None, error=NotAtThisClinicError())
    day = slot.local_date
    shifts = shifts_between(clinic, first=day, last=day, practitioner_ids=[practitioner.pk])
    taken = taken_between(clinic, first=day, last=day, now=now, without_visit_id=visit.pk)
    room = _room_for(slot, rooms=rooms, shifts=shifts, taken=taken)
    error = (
        _not_given(clinic, visit=visit, slot=slot)
        or _not_open(clinic, slot=slot, shifts=shifts, now=now)
        or _not_free(slot, room=room, has_rooms=bool(rooms), taken=taken)
    )
    placed = replace(slot, room_id=room.pk if room is not None else slot.room_id)
    return Fit(slot=placed, practitioner=practitioner, room=room, error=error)


def _not_given(clinic: Clinic, *, visit: Appointment, slot: Slot) -> ClinicBotError | None:
    given = PractitionerService.objects.for_clinic(clinic).filter(
        practitioner_id=slot.practitioner_id, service_id=visit.service_id
    )
    return None if given.exists() else ServiceNotGivenError()


def _not_open(clinic: Clinic, *, slot: Slot, shifts: Sequence[Shift], now: datetime) -> ClinicBotError | None:
    if slot.starts_at <= now:
        return SlotInPastError()
    if (closure := find_closure(clinic, slot=slot)) is not None:
        return closed_by(closure, clinic=clinic)
    works = Stretches((shift.begins_s, shift.ends_s) for shift in shifts)
    return None if works.covers(seconds(slot.starts_at), seconds(slot.ends_at)) else OutsideHoursError()


def _not_free(slot: Slot, *, room: Room | None, has_rooms: bool, taken: Taken) -> ClinicBotError | None:
    begins, ends = (seconds(edge) for edge in slot.occupied)
    is_free = taken.leaves_practitioner(slot.practitioner_id, begins, ends)
    return None if is_free and (room is not None or not has_rooms) else SlotTakenError()


def _room_for(slot: Slot, *, rooms: Sequence[Room], shifts: Sequence[Shift], taken: Taken) -> Room | None:
    """The one that is asked for, if it is free; None where none is."""
    begins, ends = (seconds(edge) for edge in slot.occupied)
    starts = seconds(slot.starts_at)
    usual = next((one.room_id for one in shifts if one.begins_s <= starts < one.ends_s), None)
    wanted = [room for room in rooms if slot.room_id in (None, room.pk)]
    in_order = sorted(wanted, key=lambda room: room.pk != usual)
    return next((room for room in in_order if taken.leaves_room(room.pk, begins, ends)), None)
