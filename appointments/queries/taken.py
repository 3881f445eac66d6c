"""Who and which room is taken when. One query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import BigIntegerField, F, Func, QuerySet

from appointments.models import LIVE, Appointment, AppointmentStatus
from appointments.queries.opening import NOTHING, Stretches
from clinicbot.models import Clinic

LONGEST = timedelta(days=2)
"""A visit that began longer ago than this is over, buffers included."""


class _Seconds(Func):
    """Whole seconds (UTC): thousands of ranges read as numbers, not as objects."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)::bigint"
    output_field = BigIntegerField()


BEGINS, ENDS = _Seconds(F("occupied__startswith")), _Seconds(F("occupied__endswith"))
"""Of what a visit occupies."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What live visits occupy, buffers included."""

    practitioners: Mapping[int, Stretches]
    rooms: Mapping[int, Stretches]

    def leaves_practitioner(self, practitioner_id: int, begins: int, ends: int) -> bool:
        return not self.practitioners.get(practitioner_id, NOTHING).meets(begins, ends)

    def leaves_room(self, room_id: int, begins: int, ends: int) -> bool:
        return not self.rooms.get(room_id, NOTHING).meets(begins, ends)


def taken_between(
    clinic: Clinic, *, first: date, last: date, now: datetime, without_visit_id: int | None = None
) -> Taken:
    """On these days; not by holds that have run out, nor by the visit that is being moved."""
    return _taken(visits_in_the_way(clinic, first=first, last=last, now=now, without_visit_id=without_visit_id))


def visits_in_the_way(
    clinic: Clinic, *, first: date, last: date, now: datetime, without_visit_id: int | None = None
) -> QuerySet[Appointment]:
    return (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, local_date__range=(first - LONGEST, last + LONGEST))
        .exclude(status=AppointmentStatus.REQUESTED, hold_expires_at__lte=now)
        .exclude(pk__in=[] if without_visit_id is None else [without_visit_id])
    )


def taken_on(clinic: Clinic, *, days: Collection[date]) -> Taken:
    """On these days, however far apart they are, as the database sees it: a hold takes its time until its row changes."""
    around = {day + timedelta(days=away) for day in days for away in range(-LONGEST.days, LONGEST.days + 1)}
    return _taken(Appointment.objects.for_clinic(clinic).filter(LIVE, local_date__in=around))


def _taken(visits: QuerySet[Appointment]) -> Taken:
    return taken_from(taken_rows(visits))


def taken_rows(visits: QuerySet[Appointment]) -> QuerySet[Appointment, tuple[int, int | None, int, int]]:
    """What `taken_from` reads."""
    return visits.order_by().values_list("practitioner_id", "room_id", BEGINS, ENDS)


def taken_from(rows: Iterable[tuple[int, int | None, int, int]]) -> Taken:
    """Of practitioner, room or None, and from when to when in seconds."""
    of_practitioner: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    of_room: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for practitioner_id, room_id, begins, ends in rows:
        of_practitioner[practitioner_id].append((begins, ends))
        if room_id is not None:
            of_room[room_id].append((begins, ends))
    return Taken(
        practitioners={one: Stretches(pieces) for one, pieces in of_practitioner.items()},
        rooms={one: Stretches(pieces) for one, pieces in of_room.items()},
    )
