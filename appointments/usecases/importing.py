"""Visits that were booked elsewhere: they stand in the book, and nobody is told of what they know already."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from appointments.models import LIVE, Appointment, AppointmentStatus, BookingKey, ChangeKind, Patient, Service
from appointments.queries.bringing.reports import is_reminded
from appointments.slots import Slot
from appointments.usecases.history import facts_of, record_change, record_new
from appointments.usecases.integrity import (
    check_belongs,
    check_gives,
    check_not_closed,
    check_place,
    hold_patient,
    lock_in_order,
    naming_the_conflict,
)
from appointments.usecases.reminding import plan_clinic_again, plan_reminders_of
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic

IMPORTED = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """A visit to write. key: as which it is known for ever, so that nobody brings it in again; "": nobody will."""

    patient: Patient
    slot: Slot
    service: Service
    note: str
    has_reminders: bool
    key: str = ""


@transaction.atomic
def import_visit(  # noqa: PLR0913  Half of them are seldom given.
    clinic: Clinic,
    *,
    patient: Patient,
    slot: Slot,
    service: Service,
    now: datetime,
    remind_from: date | None = None,
    actor: Actor | None = None,
    note: str = "",
    override: str = "",
) -> Appointment:
    """Write a visit that exists already, past or to come. It sends nothing.

    remind_from: visits of that day and later get their reminders; None: none do until `start_reminders`.
    override: why one to come may stand on a closed day.

    Raises:
        NotAtThisClinicError: patient, service, practitioner or room is not this clinic's.
        SlotTakenError: somebody holds that time.
        ServiceNotGivenError: it is to come, and the practitioner does not give its service.
        ClinicClosedError: it is to come, and nobody will be there.
        TimeInGapError: the clocks skip its time.
    """
    lock_in_order(clinic, slots=[slot])
    patient = hold_patient(clinic, patient=patient)
    check_belongs(clinic, patient=patient, service=service)
    check_place(clinic, slot=slot)
    if slot.starts_at > now:
        check_gives(clinic, practitioner_id=slot.practitioner_id, service=service)
        if not tidy(override):
            check_not_closed(clinic, slot=slot)
    has_reminders = is_reminded(slot.local_date, remind_from)
    brought = Brought(patient=patient, slot=slot, service=service, note=note, has_reminders=has_reminders)
    [visit] = write_brought(
        clinic, [brought], actor=actor or Actor.system(), reason=tidy(override) or IMPORTED, now=now
    )
    return visit


@transaction.atomic
def write_brought(
    clinic: Clinic, brought: Sequence[Brought], *, actor: Actor, now: datetime, reason: str = IMPORTED
) -> list[Appointment]:
    """All of them, in as many statements as one takes, with their history and reminders. Whoever calls has locked and checked.

    Raises:
        SlotTakenError: somebody holds the time of one of them.
    """
    visits = [
        Appointment(
            clinic=clinic,
            patient=one.patient,
            service=one.service,
            status=AppointmentStatus.BOOKED,
            note=tidy(one.note),
            is_brought_in=True,
            has_reminders=one.has_reminders,
            created_at=now,
            **one.slot.columns(),
        )
        for one in brought
    ]
    with naming_the_conflict():
        Appointment.objects.bulk_create(visits)
    record_new(visits, actor=actor, reason=reason, now=now)
    BookingKey.objects.bulk_create(
        BookingKey(clinic=clinic, key=one.key, appointment=visit, made_at=now)
        for one, visit in zip(brought, visits, strict=True)
        if one.key
    )
    plan_reminders_of([visit for visit in visits if visit.starts_at > now], now=now)
    return visits


@transaction.atomic
def start_reminders(clinic: Clinic, *, appointment_ids: Collection[int], actor: Actor, now: datetime) -> int:
    """From now on these visits are reminded of like others; what would have been due is not made up for. Returns how many."""
    waiting = Appointment.objects.for_clinic(clinic).filter(
        LIVE, pk__in=appointment_ids, starts_at__gt=now, has_reminders=False
    )
    visits = list(waiting.select_for_update(no_key=True).order_by("pk"))
    for visit in visits:
        before = facts_of(visit)
        visit.has_reminders = True
        visit.save(update_fields=["has_reminders"])
        record_change(visit, kind=ChangeKind.EDITED, actor=actor, now=now, before=before)
    plan_clinic_again(clinic.pk, now=now)
    return len(visits)
