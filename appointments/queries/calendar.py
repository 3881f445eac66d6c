"""The calendar: a column for each practitioner and room of a day, or for each day of one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from appointments import wall_time
from appointments.models import Appointment, AppointmentStatus, Practitioner, Room
from appointments.queries.calendar_axis import Axis, Span, axis_of, hours_around
from appointments.queries.calendar_known import Days, Look
from appointments.queries.calendar_parts import Column, Grid, Held, Open, Tile, Wanted
from appointments.queries.calendar_shut import shut_of_practitioner, shut_of_room
from appointments.queries.day_rows import told_of_now
from appointments.queries.free_slots import free_among
from appointments.queries.offers import code_of
from appointments.queries.opening import DAY, days_between, seconds
from appointments.slots import Slot
from clinicbot.models import Clinic
from messaging.queries.threads import Knot

WORK_WEEK = range(5)


def grid_of(clinic: Clinic, *, days: Days, wanted: Wanted, now: datetime) -> Grid:
    """No query: `days` knows all."""
    look = days.look
    places = _places(look, days=days)
    walls = {day: _walls(day, look=look, days=days) for day, _person, _room in places}
    edges = [hours_around(of_day, day=day) for day, of_day in walls.items() if of_day] or [
        hours_around([], day=look.first)
    ]
    begins_hour, ends_hour = min(edge[0] for edge in edges), max(edge[1] for edge in edges)
    axes = {day: axis_of(clinic, day=day, begins_hour=begins_hour, ends_hour=ends_hour) for day in walls}
    opens = _opens(clinic, look=look, days=days, wanted=wanted, now=now)
    columns = tuple(
        _column(axes[day], person=person, room=room, days=days, opens=opens, wanted=wanted, now=now)
        for day, person, room in places
    )
    axis = next((one for one in axes.values() if one.is_plain), None) or axis_of(
        clinic, day=look.first, begins_hour=begins_hour, ends_hour=ends_hour
    )
    return Grid(columns=columns, axis=axis)


_Place = tuple[date, Practitioner | None, Room | None]


def _places(look: Look, *, days: Days) -> list[_Place]:
    if not look.is_of_one:
        return _everybody(look.first, days=days)
    person = days.people.get(look.practitioner_id or 0)
    room = next((one for one in days.rooms if one.pk == look.room_id), None)
    if person is None and room is None:
        return []
    busy = {days.home_of_visit(visit) for visit in days.visits}
    busy |= {one.begins.date() for one in days.shifts.get(person.pk if person else 0, ())}
    return [
        (day, None if room else person, room)
        for day in days_between(look.first, look.last)
        if day.weekday() in WORK_WEEK or day in busy
    ]


def _everybody(day: date, *, days: Days) -> list[_Place]:
    """Who works that day or has a visit, by name; then the rooms, by name."""
    visits = [visit for visit in days.visits if days.home_of_visit(visit) == day]
    people = {visit.practitioner_id: visit.practitioner for visit in visits}
    people |= {pk: one for pk, one in days.people.items() if days.works_on(day, practitioner_id=pk)}
    rooms = {room.pk: room for room in days.rooms}
    rooms |= {visit.room_id: visit.room for visit in visits if visit.room_id is not None and visit.room is not None}
    return [
        *((day, person, None) for person in sorted(people.values(), key=lambda one: (one.full_name, one.pk))),
        *((day, None, room) for room in sorted(rooms.values(), key=lambda one: (one.name, one.pk))),
    ]


def _walls(day: date, *, look: Look, days: Days) -> list[tuple[datetime, datetime]]:
    """What the day's column must have room for: working hours and visits, by the clinic's clock."""
    works = [
        (shift.begins, shift.ends)
        for pk, shifts in days.shifts.items()
        for shift in shifts
        if shift.begins.date() == day and look.practitioner_id in (None, pk)
    ]
    stands = [
        (datetime.combine(visit.local_date, visit.local_time), wall_time.local_of(visit.ends_at, zone=visit.zone))
        for visit in days.visits
        if days.home_of_visit(visit) == day
    ]
    return works + [(begins, ends.replace(tzinfo=None)) for begins, ends in stands]


def _column(
    axis: Axis,
    *,
    person: Practitioner | None,
    room: Room | None,
    days: Days,
    opens: Mapping[tuple[date, int], list[Slot]],
    wanted: Wanted,
    now: datetime,
) -> Column:
    visits = [visit for visit in days.visits if _is_in(visit, axis.day, person=person, room=room, days=days)]
    held = _held(axis, person=person, room=room, days=days, wanted=wanted)
    own = [visit for visit in visits if wanted.hand is not None and visit.pk == wanted.hand.pk]
    others = [visit for visit in visits if visit not in own]
    tiles = [tile for visit in others if (tile := _tile(axis, visit, days=days, now=now)) is not None]
    left = axis.span(seconds(own[0].starts_at), seconds(own[0].ends_at)) if own else None
    shuts = (
        shut_of_practitioner(
            axis, practitioner_id=person.pk, shifts=days.shifts.get(person.pk, ()), closures=days.closures
        )
        if person is not None
        else shut_of_room(axis, closures=days.closures)
    )
    free = opens.get((axis.day, person.pk), ()) if person is not None else ()
    return Column(
        axis=axis,
        practitioner=person,
        room=room,
        tiles=tuple(tiles),
        shuts=tuple(shuts),
        opens=tuple(_packed(axis, free, without=[one for one in (held and held.span, left) if one], wanted=wanted)),
        held=held,
        left=left,
        now=axis.offset_of(seconds(now)),
    )


def _is_in(visit: Appointment, day: date, *, person: Practitioner | None, room: Room | None, days: Days) -> bool:
    is_theirs = (
        visit.practitioner_id == person.pk if person is not None else room is not None and visit.room_id == room.pk
    )
    return is_theirs and days.home_of_visit(visit) == day


def _held(axis: Axis, *, person: Practitioner | None, room: Room | None, days: Days, wanted: Wanted) -> Held | None:
    """With the practitioner; in the room where that room was chosen, or the room alone is shown."""
    place = wanted.place
    if place is None or not _is_place(place, person=person, room=room, look=days.look, wanted=wanted):
        return None
    begins_s, ends_s = wanted.edges
    home = days.home_of(place.practitioner_id, local_date=place.local_date, begins_s=begins_s)
    span = axis.span(begins_s, ends_s) if home == axis.day else None
    return Held(span=span, at=place) if span is not None else None


def _is_place(place: Slot, *, person: Practitioner | None, room: Room | None, look: Look, wanted: Wanted) -> bool:
    chose_room = wanted.at is not None and wanted.at.room_id is not None
    if room is not None:
        return place.room_id == room.pk and (chose_room or look.is_of_one)
    return person is not None and place.practitioner_id == person.pk and (not chose_room or look.is_of_one)


def _tile(axis: Axis, visit: Appointment, *, days: Days, now: datetime) -> Tile | None:
    span = axis.span(seconds(visit.starts_at), seconds(visit.ends_at))
    if span is None:
        return None
    return Tile(
        span=span,
        visit=visit,
        mark=last_mark(visit, days.threads.get(str(visit.pk), ())),
        is_past=visit.ends_at <= now,
        can_move=visit.can_change(now=now),
    )


def last_mark(visit: Appointment, thread: Sequence[Knot]) -> str:
    """Of the newest message about it as it stands; a yes by phone, or by a word that quoted nothing, counts as one."""
    if visit.status == AppointmentStatus.CONFIRMED:
        return "yes"
    told = told_of_now(visit, thread)
    return told[-1].mark if told else ""


def _opens(
    clinic: Clinic, *, look: Look, days: Days, wanted: Wanted, now: datetime
) -> Mapping[tuple[date, int], list[Slot]]:
    """By day of the column and practitioner, in order of time."""
    service = wanted.service
    if service is None or look.room_id is not None:
        return {}
    names = {
        pk: person.full_name
        for pk, person in days.people.items()
        if (pk, service.pk) in days.given and look.practitioner_id in (None, pk)
    }
    found: defaultdict[tuple[date, int], list[Slot]] = defaultdict(list)
    asked = days_between(look.first, look.last + DAY)
    for free in free_among(clinic, known=days.known, names=names, service=service, days=asked, now=now):
        slot = free.slot
        home = days.home_of(slot.practitioner_id, local_date=slot.local_date, begins_s=seconds(slot.starts_at))
        found[home, slot.practitioner_id].append(slot)
    return found


def _packed(axis: Axis, slots: Iterable[Slot], *, without: Sequence[Span], wanted: Wanted) -> list[Open]:
    """One after the other: a time that overlaps the one before it, or what is drawn there already, is not shown."""
    opens: list[Open] = []
    for slot in slots:
        span = axis.span(seconds(slot.starts_at), seconds(slot.ends_at))
        drawn = [*without, *(one.span for one in opens[-1:])]
        if span is None or any(span.begins < one.ends and one.begins < span.ends for one in drawn):
            continue
        code = code_of(slot if wanted.hand is None else replace(slot, room_id=None))
        opens.append(Open(span=span, slot=slot, code=code))
    return opens
