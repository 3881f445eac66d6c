"""A clinic's small tables in one question: rooms, services, closures, and what of others' visits stands in the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import BigIntegerField, CharField, DateField, F, QuerySet, TimeField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from appointments.models import Appointment, Closure, Room, Service
from appointments.queries.taken import BEGINS, ENDS, Taken, taken_from
from clinicbot.models import Clinic

ROOM, SERVICE, CLOSURE, TAKEN = "room", "service", "closure", "taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """rooms: in use, by name. services: offered, in the order in which they were added. closures: by their first day."""

    rooms: tuple[Room, ...]
    services: tuple[Service, ...]
    closures: tuple[Closure, ...]
    taken: Taken


def tables_of(clinic: Clinic, *, first: date, last: date, taken: QuerySet[Appointment]) -> Tables:
    """closures: those that reach into these days; not the holidays on which the clinic works. One query."""
    rooms = Room.objects.for_clinic(clinic).filter(is_active=True)
    services = Service.objects.for_clinic(clinic).filter(is_active=True)
    closures = Closure.objects.for_clinic(clinic).filter(begins_on__lte=last, ends_on__gte=first, is_open=False)
    parts = [
        _rows(rooms, ROOM, text=F("name")),
        _rows(
            services,
            SERVICE,
            text=F("name"),
            numbers=(F("duration_minutes"), F("buffer_before_minutes"), F("buffer_after_minutes")),
        ),
        _rows(
            closures,
            CLOSURE,
            text=F("reason"),
            numbers=(F("practitioner_id"),),
            edges=(F("begins_on"), F("begins_at"), F("ends_on"), F("ends_at")),
        ),
        _rows(taken, TAKEN, pk=F("room_id"), numbers=(F("practitioner_id"), BEGINS, ENDS)),
    ]
    found: dict[str, list[Any]] = {ROOM: [], SERVICE: [], CLOSURE: [], TAKEN: []}
    for row in parts[0].union(*parts[1:], all=True):
        found[row[1]].append(row)
    return Tables(
        rooms=tuple(sorted((_room(clinic, row) for row in found[ROOM]), key=lambda one: (one.name, one.pk))),
        services=tuple(sorted((_service(clinic, row) for row in found[SERVICE]), key=lambda one: one.pk)),
        closures=tuple(sorted((_closure(clinic, row) for row in found[CLOSURE]), key=_first)),
        taken=taken_from((row[3], row[0], row[4], row[5]) for row in found[TAKEN]),
    )


def _rows(
    rows: QuerySet[Any],
    kind: str,
    *,
    pk: Combinable | None = None,
    text: Combinable | None = None,
    numbers: Iterable[Combinable] = (),
    edges: Iterable[Combinable] = (),
) -> QuerySet[Any, tuple[Any, ...]]:
    """Every part of the union has the same columns, of the same types."""
    none = Value(None)
    columns: list[tuple[Combinable, Any]] = [(pk or F("pk"), BigIntegerField()), (Value(kind), CharField())]
    columns.append((text or Value(""), CharField()))
    columns += zip([*numbers, none, none, none][:3], [BigIntegerField()] * 3, strict=True)
    kinds = [DateField(), TimeField(), DateField(), TimeField()]
    columns += zip([*edges, none, none, none, none][:4], kinds, strict=True)
    named = {f"c_{place}": Cast(value, output) for place, (value, output) in enumerate(columns)}
    found: QuerySet[Any, tuple[Any, ...]] = rows.order_by().annotate(**named).values_list(*named)
    return found


def _room(clinic: Clinic, row: tuple[Any, ...]) -> Room:
    return Room(pk=row[0], clinic=clinic, name=row[2])


def _service(clinic: Clinic, row: tuple[Any, ...]) -> Service:
    pk, _kind, name, minutes, before, after, *_rest = row
    return Service(
        pk=pk,
        clinic=clinic,
        name=name,
        duration_minutes=minutes,
        buffer_before_minutes=before,
        buffer_after_minutes=after,
    )


def _closure(clinic: Clinic, row: tuple[Any, ...]) -> Closure:
    pk, _kind, reason, practitioner_id, _two, _three, begins_on, begins_at, ends_on, ends_at = row
    return Closure(
        pk=pk,
        clinic=clinic,
        practitioner_id=practitioner_id,
        reason=reason,
        begins_on=begins_on,
        begins_at=begins_at,
        ends_on=ends_on,
        ends_at=ends_at,
    )


def _first(closure: Closure) -> tuple[date, int]:
    return closure.begins_on, closure.pk
