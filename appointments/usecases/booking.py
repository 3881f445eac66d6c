"""Booking, moving, confirming and cancelling a visit: the only code that changes one."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from appointments.errors import ChangedMeanwhileError, NotLiveError, ReasonMissingError
from appointments.events import AppointmentConfirmed
from appointments.models import Appointment, AppointmentStatus, ChangeKind, FormToken, Patient, Service
from appointments.models.guarding import changing_visits
from appointments.queries.visits import get_visit
from appointments.slots import Slot, slot_of
from appointments.usecases.deeds import (
    Booking,
    Why,
    check_changeable,
    check_same,
    end,
    put_elsewhere,
    stands_at,
    take,
)
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import hold_patient, hold_visit, lock_in_order, lock_visit
from clinicbot.actors import Actor, ActorKind
from clinicbot.human_text import tidy
from clinicbot.models import Clinic
from outbox.usecases.publishing import publish


@transaction.atomic
def book_appointment(  # noqa: PLR0913  Three of them are seldom given.
    clinic: Clinic,
    *,
    patient: Patient,
    slot: Slot,
    service: Service,
    actor: Actor,
    now: datetime,
    note: str = "",
    form_token: UUID | None = None,
    override: str = "",
    notify: bool = True,
    is_walk_in: bool = False,
) -> Appointment:
    """Take one slot and announce it, both or neither. The same wish, or the same form, again returns the same visit.

    notify: whether a message confirms it; not where the patient stands there, or is on the phone. Reminders go by their rules.
    is_walk_in: they are here, and the visit began at most an hour ago; nothing is sent.
    override: why it may stand on a closed day or outside working hours; whether the actor may say so is asked at the door.

    Raises:
        NotAtThisClinicError: patient, service, practitioner or room is not this clinic's, or out of use.
        ServiceNotGivenError: the practitioner does not give that service.
        SlotTakenError: somebody holds it.
        SlotInPastError, ClinicClosedError, OutsideHoursError, TimeInGapError: nobody can have it.
    """
    lock_in_order(clinic, slots=[slot])
    if form_token and (sent := find_sent_form(clinic, form_token=form_token)):
        return sent
    booking = Booking(
        patient=hold_patient(clinic, patient=patient),
        service=service,
        note=note,
        notify=notify,
        is_walk_in=is_walk_in,
        override=override,
    )
    visit = take(clinic, slot=slot, booking=booking, actor=actor, now=now)
    if form_token:
        FormToken.objects.create(clinic=clinic, token=form_token, appointment=visit, used_at=now)
    return visit


@transaction.atomic
def reschedule_appointment(  # noqa: PLR0913  As in booking.
    clinic: Clinic,
    *,
    appointment_id: int,
    slot: Slot,
    actor: Actor,
    now: datetime,
    reason: str = "",
    inbound_id: UUID | None = None,
    override: str = "",
    notice_version: int | None = None,
    service: Service | None = None,
) -> Appointment:
    """Move a live visit. Another time resets the patient's yes; another practitioner keeps it; both are told to the patient.

    Another room alone is not: no text names the room. The same wish again, or a move to where it stands, changes nothing.
    override: as in booking; it is kept as the reason. notice_version: what the wish was about; it does not count for another.
    service: what it will be for, where that changes with the place: one act, and one line of history.

    Raises:
        AppointmentNotFoundError, NotLiveError, VisitBegunError: there is nothing to move.
        NotAtThisClinicError: the service is another clinic's, or no longer offered.
        ServiceNotGivenError: the practitioner does not give its service.
        SlotTakenError, SlotInPastError, ClinicClosedError, OutsideHoursError, TimeInGapError: it cannot go there.
        ChangedMeanwhileError: it no longer stands as `notice_version` did.
    """
    visit = _lock_for_move(clinic, appointment_id=appointment_id, slot=slot)
    check_changeable(visit, now=now)
    if stands_at(visit, slot):
        return visit
    check_same(visit, notice_version)
    why = Why(reason=reason, override=override, inbound_id=inbound_id)
    put_elsewhere(clinic, visit, slot=slot, why=why, actor=actor, service=service, now=now)
    return visit


@transaction.atomic
def cancel_appointment(
    clinic: Clinic,
    *,
    appointment_id: int,
    actor: Actor,
    now: datetime,
    reason: str = "",
    inbound_id: UUID | None = None,
    notice_version: int | None = None,
) -> Appointment:
    """End a live visit and free its slot. Cancelled already: nothing changes. Staff give a reason, a patient need not.

    Raises:
        AppointmentNotFoundError: no such visit at this clinic.
        ReasonMissingError: staff gave none.
        VisitBegunError: it has begun or is over.
        ChangedMeanwhileError: it no longer stands as `notice_version` did.
    """
    reason = tidy(reason)
    if actor.kind == ActorKind.STAFF and not reason:
        raise ReasonMissingError
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if not visit.is_live:
        return visit
    check_changeable(visit, now=now)
    check_same(visit, notice_version)
    end(visit, why=Why(reason=reason, inbound_id=inbound_id), actor=actor, now=now)
    return visit


@transaction.atomic
def confirm_appointment(
    clinic: Clinic,
    *,
    appointment_id: int,
    actor: Actor,
    now: datetime,
    notice_version: int | None = None,
    inbound_id: UUID | None = None,
) -> Appointment:
    """Note that the patient comes. Confirmed already: nothing changes.

    notice_version: the version the patient was answering; a yes to an older one does not count.

    Raises:
        AppointmentNotFoundError, NotLiveError, VisitBegunError: there is nothing to confirm.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    check_changeable(visit, now=now)
    if notice_version is not None and notice_version != visit.notice_version:
        raise NotLiveError
    if visit.status == AppointmentStatus.CONFIRMED:
        return visit
    before = facts_of(visit)
    visit.status = AppointmentStatus.CONFIRMED
    with changing_visits():
        visit.save(update_fields=["status"])
    record_change(visit, kind=ChangeKind.CONFIRMED, actor=actor, now=now, before=before, inbound_id=inbound_id)
    publish(AppointmentConfirmed.of(visit), now=now)
    return visit


def find_sent_form(clinic: Clinic, *, form_token: UUID) -> Appointment | None:
    """What that form booked already; of a series the first."""
    sent = FormToken.objects.for_clinic(clinic).filter(token=form_token).select_related("appointment").first()
    return sent.appointment if sent else None


def _lock_for_move(clinic: Clinic, *, appointment_id: int, slot: Slot) -> Appointment:
    """Both places in one order; then the visit is read again, and must still stand where it stood.

    Raises:
        ChangedMeanwhileError: it went elsewhere first, so other rows would have to be locked, out of order.
    """
    seen = get_visit(clinic, appointment_id=appointment_id)
    lock_in_order(clinic, slots=[slot_of(seen), slot])
    visit = hold_visit(clinic, appointment_id=appointment_id)
    if (visit.practitioner_id, visit.room_id) != (seen.practitioner_id, seen.room_id):
        raise ChangedMeanwhileError
    return visit
