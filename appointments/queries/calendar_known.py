"""All that the calendar knows of the days it shows: four queries, however many visits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time

from django.contrib.postgres.expressions import ArraySubquery
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import OuterRef, Q, QuerySet

from appointments import wall_time
from appointments.events import VISIT
from appointments.models import (
    LIVE,
    Appointment,
    AppointmentStatus,
    Closure,
    Practitioner,
    PractitionerService,
    Room,
    Service,
    WorkingHours,
)
from appointments.queries.calendar_tables import tables_of
from appointments.queries.free_slots import Known
from appointments.queries.opening import DAY, Shift, away, seconds, shifts_of
from appointments.queries.taken import visits_in_the_way
from clinicbot.models import Clinic
from messaging.queries.threads import Knot, threads_about


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is to be shown: one day of everybody, or, with `is_of_one`, some days of one practitioner or of one room.

    hand_id: a visit that is being moved, so that it does not stand in its own way. user_id: who looks.
    """

    first: date
    last: date
    is_of_one: bool = False
    practitioner_id: int | None = None
    room_id: int | None = None
    hand_id: int | None = None
    user_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """look: with one practitioner or room in it, if it is of one. people: who has working hours, by id, in order of names.

    given: (practitioner id, service id). visits: what stands, in order of time. hand: None where it cannot be moved any more.
    """

    look: Look
    people: Mapping[int, Practitioner]
    rooms: Sequence[Room]
    services: Sequence[Service]
    given: frozenset[tuple[int, int]]
    shifts: Mapping[int, Sequence[Shift]]
    closures: Sequence[Closure]
    visits: Sequence[Appointment]
    hand: Appointment | None
    threads: Mapping[str, Sequence[Knot]]
    known: Known

    def works_on(self, day: date, *, practitioner_id: int) -> bool:
        return any(one.begins.date() == day for one in self.shifts.get(practitioner_id, ()))

    def home_of(self, practitioner_id: int, *, local_date: date, begins_s: int) -> date:
        """In which day's column it stands: what begins after midnight in a shift of the day before, in that day's."""
        around = [one for one in self.shifts.get(practitioner_id, ()) if one.begins_s <= begins_s < one.ends_s]
        if not around or any(one.begins.date() == local_date for one in around):
            return local_date
        return around[0].begins.date()

    def home_of_visit(self, visit: Appointment) -> date:
        return self.home_of(visit.practitioner_id, local_date=visit.local_date, begins_s=seconds(visit.starts_at))


def days_of(clinic: Clinic, *, look: Look, now: datetime) -> Days:
    given = PractitionerService.objects.for_clinic(clinic).filter(practitioner=OuterRef("practitioner"))
    hours = list(
        WorkingHours.objects.for_clinic(clinic)
        .filter(practitioner__is_active=True)
        .select_related("practitioner")
        .annotate(gives=ArraySubquery(given.values("service_id")))
        .order_by("begins", "pk")
    )
    people = _people(hours)
    shifts = shifts_of(hours, first=look.first, last=look.last, zone=clinic.zone)
    in_the_way = visits_in_the_way(
        clinic,
        first=look.first,
        last=look.last,
        now=now,
        without_visit_id=look.hand_id,
    )
    tables = tables_of(clinic, first=look.first, last=look.last + DAY, taken=in_the_way)
    look = _settled(look, people=people, rooms=tables.rooms)
    visits = list(_visits(clinic, look=look, shifts=shifts, now=now))
    of_practitioner: defaultdict[int, list[Shift]] = defaultdict(list)
    for shift in shifts:
        of_practitioner[shift.practitioner_id].append(shift)
    return Days(
        look=look,
        people=people,
        rooms=tables.rooms,
        services=tables.services,
        given=frozenset((row.practitioner_id, service_id) for row in hours for service_id in row.gives),
        shifts=of_practitioner,
        closures=tables.closures,
        visits=visits,
        hand=next((one for one in visits if one.pk == look.hand_id and one.can_change(now=now)), None),
        threads=threads_about(clinic.pk, subject_type=VISIT, subject_ids=[str(visit.pk) for visit in visits]),
        known=Known(
            shifts=shifts,
            rooms=[room.pk for room in tables.rooms],
            away=away(tables.closures, zone=clinic.zone),
            taken=tables.taken,
        ),
    )


def _people(hours: Sequence[WorkingHours]) -> dict[int, Practitioner]:
    people = {row.practitioner_id: row.practitioner for row in hours}
    return dict(sorted(people.items(), key=lambda item: (item[1].full_name, item[0])))


def _settled(look: Look, *, people: Mapping[int, Practitioner], rooms: Sequence[Room]) -> Look:
    """Of one: the room that was asked for, else the practitioner, else whoever looks, else the first by name."""
    if not look.is_of_one:
        return replace(look, practitioner_id=None, room_id=None)
    if look.room_id in {room.pk for room in rooms}:
        return replace(look, practitioner_id=None)
    own = next((pk for pk, person in people.items() if person.user_id and person.user_id == look.user_id), None)
    wanted = look.practitioner_id if look.practitioner_id in people else own or next(iter(people), None)
    return replace(look, practitioner_id=wanted, room_id=None)


def _visits(clinic: Clinic, *, look: Look, shifts: Sequence[Shift], now: datetime) -> QuerySet[Appointment]:
    """What stands in these days and in the night after; and what is in the hand, wherever it stands."""
    nights = [shift.ends for shift in shifts if shift.begins.date() == look.last]
    until = max([datetime.combine(look.last + DAY, time.min), *nights])
    shown = (
        wall_time.lenient_instant_of(look.first, time.min, zone=clinic.zone),
        wall_time.lenient_instant_of(until.date(), until.time(), zone=clinic.zone),
    )
    of_one = Q(room_id=look.room_id) if look.room_id is not None else Q(practitioner_id=look.practitioner_id)
    in_these_days = Q(local_date__range=(look.first, look.last + DAY), occupied__overlap=DateTimeTZRange(*shown))
    return (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, (of_one if look.is_of_one else Q()) & in_these_days | Q(pk=look.hand_id))
        .exclude(status=AppointmentStatus.REQUESTED, hold_expires_at__lte=now)
        .select_related("patient", "practitioner", "room", "service")
        .order_by("starts_at", "pk")
    )
