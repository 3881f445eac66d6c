"""Visits that were booked elsewhere: they stand in the book, and nobody is told of what they know already."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime

from django.db import transaction

from appointments.models import LIVE, Appointment, AppointmentStatus, ChangeKind, Patient, Service
from appointments.slots import Slot
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import (
    check_belongs,
    check_not_closed,
    check_place,
    lock_in_order,
    naming_the_conflict,
)
from appointments.usecases.reminding import plan_clinic_again, plan_reminders
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic

IMPORTED = "imported"


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
        ClinicClosedError: it is to come, and nobody will be there.
        TimeInGapError: the clocks skip its time.
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
            note=tidy(note),
            is_brought_in=True,
            has_reminders=remind_from is not None and slot.local_date >= remind_from,
            created_at=now,
            **slot.columns(),
        )
    record_change(
        visit, kind=ChangeKind.BOOKED, actor=actor or Actor.system(), now=now, reason=tidy(override) or IMPORTED
    )
    if visit.starts_at > now:
        plan_reminders(visit, now=now)
    return visit


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
