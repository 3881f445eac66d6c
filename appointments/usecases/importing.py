"""Visits that were booked elsewhere: they stand in the book, and nobody is told of what they know already."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from appointments.models import Appointment, AppointmentStatus, ChangeKind, Patient, Service
from appointments.slots import Slot
from appointments.usecases.history import record_change
from appointments.usecases.integrity import (
    check_belongs,
    check_not_closed,
    check_place,
    lock_in_order,
    naming_the_conflict,
)
from appointments.usecases.reminding import plan_reminders
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic

IMPORTED = "imported"


@transaction.atomic
def import_visit(
    clinic: Clinic, *, patient: Patient, slot: Slot, service: Service, now: datetime, note: str = "", override: str = ""
) -> Appointment:
    """Write a visit that exists already, past or to come. It sends nothing; one to come gets its reminders.

    override: why one to come may stand on a closed day.

    Raises:
        NotAtThisClinicError: patient, service, practitioner or room is not this clinic's.
        SlotTakenError: somebody holds that time.
        ClinicClosedError: it is to come, and nobody will be there.
    """
    lock_in_order(clinic, slots=[slot])
    check_belongs(clinic, patient=patient, service=service)
    check_place(clinic, slot=slot)
    if slot.starts_at > now and not tidy(override):
        check_not_closed(clinic, slot=slot)
    with naming_the_conflict():
        visit = Appointment.objects.create(
            clinic=clinic,
            patient=patient,
            service=service,
            status=AppointmentStatus.BOOKED,
            note=note,
            created_at=now,
            **slot.columns(),
        )
    record_change(visit, kind=ChangeKind.BOOKED, actor=Actor.system(), now=now, reason=tidy(override) or IMPORTED)
    if visit.starts_at > now:
        plan_reminders(visit, now=now)
    return visit
