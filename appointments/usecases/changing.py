"""Edits of a visit: its service, its note, and, where somebody writes all of it at once, its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from appointments.models import Appointment, ChangeKind, Service
from appointments.queries.visits import get_visit
from appointments.slots import Slot, slot_of
from appointments.usecases.booking import reschedule_appointment
from appointments.usecases.deeds import check_changeable
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import (
    check_belongs,
    check_gives,
    check_open,
    expire_lapsed_holds,
    lock_visit,
    naming_the_conflict,
)
from appointments.usecases.reminding import plan_reminders
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitWish:
    """The visit as somebody wants it. `slot` None: where it stands; else it is as long as the service takes."""

    service: Service
    note: str
    slot: Slot | None = None


@transaction.atomic
def change_visit(
    clinic: Clinic,
    *,
    appointment_id: int,
    wish: VisitWish,
    actor: Actor,
    now: datetime,
    reason: str = "",
    override: str = "",
) -> Appointment:
    """Place, service and note at once. What is as it was stays untouched; nothing changed: no event, no line of history.

    Place and service are one line, so that they are taken back together.

    Raises:
        What `reschedule_appointment` and `edit_visit` raise; then nothing has changed.
    """
    seen = get_visit(clinic, appointment_id=appointment_id)
    if wish.slot is not None and not _is_place_of(seen, wish.slot):
        reschedule_appointment(
            clinic,
            appointment_id=appointment_id,
            slot=wish.slot,
            actor=actor,
            reason=reason,
            override=override,
            service=wish.service,
            now=now,
        )
    return edit_visit(
        clinic,
        appointment_id=appointment_id,
        service=wish.service,
        note=wish.note,
        actor=actor,
        override=override,
        now=now,
    )


@transaction.atomic
def edit_visit(
    clinic: Clinic,
    *,
    appointment_id: int,
    service: Service,
    note: str,
    actor: Actor,
    now: datetime,
    override: str = "",
) -> Appointment:
    """Another service, another note. The time at which it begins stands, so the patient is told nothing and their yes is kept.

    A note can be written at any time; the service only of a visit to come, which then follows that service's reminders.
    override: why it may end outside working hours, as in booking.

    Raises:
        AppointmentNotFoundError: no such visit at this clinic.
        NotAtThisClinicError: the service is another clinic's, or no longer offered.
        ServiceNotGivenError: the visit's practitioner does not give it.
        NotLiveError, VisitBegunError: the service of a visit that is over, or cancelled, is asked to change.
        SlotTakenError, ClinicClosedError, OutsideHoursError: the service takes longer than there is time.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    before, note = facts_of(visit), tidy(note).replace("\r\n", "\n")
    note_before = visit.note if note != visit.note else None
    has_new_service = service.pk != visit.service_id
    if note_before is None and not has_new_service:
        return visit
    visit.note = note
    if has_new_service:
        _take_service(clinic, visit=visit, service=service, now=now, override=tidy(override))
    else:
        visit.save(update_fields=["note"])
    record_change(
        visit,
        kind=ChangeKind.EDITED,
        actor=actor,
        now=now,
        before=before,
        reason=tidy(override) if has_new_service else "",
        note_before=note_before,
    )
    if has_new_service:
        plan_reminders(visit, now=now, due_after=now)
    return visit


def _is_place_of(visit: Appointment, slot: Slot) -> bool:
    return (visit.practitioner_id, visit.room_id, visit.local_date, visit.local_time) == (
        slot.practitioner_id,
        slot.room_id,
        slot.local_date,
        slot.local_time,
    )


def _take_service(clinic: Clinic, *, visit: Appointment, service: Service, now: datetime, override: str) -> None:
    check_belongs(clinic, patient=visit.patient, service=service)
    check_changeable(visit, now=now)
    check_gives(clinic, practitioner_id=visit.practitioner_id, service=service)
    slot = slot_for(visit, service=service)
    visit.service = service
    if slot != slot_of(visit):
        expire_lapsed_holds(clinic, slot=slot, now=now)
        check_open(clinic, slot=slot, now=now, override=override)
        for name, value in slot.columns().items():
            setattr(visit, name, value)
    with naming_the_conflict():
        visit.save(update_fields=[*slot.columns(), "service", "note"])


def slot_for(visit: Appointment, *, service: Service) -> Slot:
    """Where the visit stands, as long as that service takes."""
    return replace(
        slot_of(visit),
        duration_minutes=service.duration_minutes,
        buffer_before_minutes=service.buffer_before_minutes,
        buffer_after_minutes=service.buffer_after_minutes,
    )
