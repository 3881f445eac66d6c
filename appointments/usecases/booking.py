"""Booking, moving, confirming and cancelling a visit: the only code that changes one."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from appointments.errors import (
    ChangedMeanwhileError,
    NotLiveError,
    ReasonMissingError,
    SlotTakenError,
    VisitBegunError,
)
from appointments.events import AppointmentBooked, AppointmentCancelled, AppointmentConfirmed, AppointmentMoved
from appointments.models import Appointment, AppointmentStatus, BookingKey, ChangeKind, FormToken, Patient, Service
from appointments.models.guarding import changing_visits
from appointments.queries.visits import find_replay, get_visit
from appointments.slots import WALKED_IN_WITHIN, Slot, slot_of
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import (
    check_belongs,
    check_gives,
    check_open,
    check_place,
    expire_lapsed_holds,
    hold_patient,
    hold_visit,
    lock_in_order,
    lock_visit,
    naming_the_conflict,
    retire_keys,
)
from appointments.usecases.reminding import plan_reminders
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
    if form_token and (sent := _find_sent_form(clinic, form_token=form_token)):
        return sent
    patient = hold_patient(clinic, patient=patient)
    expire_lapsed_holds(clinic, slot=slot, now=now)
    key = f"MANUAL_{clinic.pk}_{slot.practitioner_id}_{slot.local_date:%Y%m%d}_{slot.local_time:%H%M}"
    replayed, is_known = find_replay(clinic, key=key, patient_id=patient.pk, service_id=service.pk, slot=slot)
    if replayed is not None:
        return replayed
    if is_known:
        raise SlotTakenError
    check_belongs(clinic, patient=patient, service=service)
    check_place(clinic, slot=slot)
    check_gives(clinic, practitioner_id=slot.practitioner_id, service=service)
    check_open(clinic, slot=slot, now=now - WALKED_IN_WITHIN if is_walk_in else now, override=tidy(override))
    with naming_the_conflict():
        visit = Appointment.objects.create(
            clinic=clinic,
            patient=patient,
            service=service,
            status=AppointmentStatus.BOOKED,
            note=tidy(note),
            is_told_in_person=is_walk_in or not notify,
            created_at=now,
            **slot.columns(),
        )
    BookingKey.objects.create(clinic=clinic, key=key, appointment=visit, made_at=now)
    if form_token:
        FormToken.objects.create(clinic=clinic, token=form_token, appointment=visit, used_at=now)
    record_change(visit, kind=ChangeKind.BOOKED, actor=actor, now=now, reason=tidy(override))
    publish(AppointmentBooked.of(visit), now=now)
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
    _check_changeable(visit, now=now)
    seen_version = visit.notice_version
    if _stands_at(visit, slot):
        return visit
    _check_same(visit, notice_version)
    expire_lapsed_holds(clinic, slot=slot, now=now)
    check_place(clinic, slot=slot)
    has_new_service = service is not None and service.pk != visit.service_id
    before = facts_of(visit)
    if service is not None and has_new_service:
        check_belongs(clinic, patient=visit.patient, service=service)
        visit.service = service
    check_gives(clinic, practitioner_id=slot.practitioner_id, service=visit.service)
    check_open(clinic, slot=slot, now=now, override=tidy(override))
    _put(visit, slot)
    with naming_the_conflict():
        visit.save(update_fields=[*slot.columns(), "service", "status", "notice_version"])
    retire_keys(visit, now=now)
    key = f"RESCHEDULE_{visit.pk}_{slot.local_date:%Y%m%d}_{slot.local_time:%H%M}"
    BookingKey.objects.create(clinic=clinic, key=key, appointment=visit, made_at=now)
    record_change(
        visit,
        kind=ChangeKind.MOVED,
        actor=actor,
        now=now,
        before=before,
        reason=tidy(override) or tidy(reason),
        inbound_id=inbound_id,
    )
    if visit.notice_version != seen_version:
        publish(AppointmentMoved.of(visit), now=now)
    elif has_new_service:
        plan_reminders(visit, now=now, due_after=now)
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
    _check_changeable(visit, now=now)
    _check_same(visit, notice_version)
    before = facts_of(visit)
    by_patient = actor.kind == ActorKind.PATIENT
    visit.status = AppointmentStatus.CANCELLED_BY_PATIENT if by_patient else AppointmentStatus.CANCELLED_BY_CLINIC
    visit.notice_version += 1
    with changing_visits():
        visit.save(update_fields=["status", "notice_version"])
    retire_keys(visit, now=now)
    record_change(
        visit,
        kind=ChangeKind.CANCELLED,
        actor=actor,
        now=now,
        before=before,
        reason=reason,
        inbound_id=inbound_id,
    )
    publish(AppointmentCancelled.of(visit), now=now)
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
    _check_changeable(visit, now=now)
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


def _find_sent_form(clinic: Clinic, *, form_token: UUID) -> Appointment | None:
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


def _put(visit: Appointment, slot: Slot) -> None:
    """Write the new place onto the visit: what the patient must hear of raises the version."""
    has_new_time = (visit.local_date, visit.local_time) != (slot.local_date, slot.local_time)
    if has_new_time or visit.practitioner_id != slot.practitioner_id:
        visit.notice_version += 1
    if has_new_time and visit.status == AppointmentStatus.CONFIRMED:
        visit.status = AppointmentStatus.BOOKED
    for name, value in slot.columns().items():
        setattr(visit, name, value)


def _check_changeable(visit: Appointment, *, now: datetime) -> None:
    if not visit.is_live:
        raise NotLiveError
    if not visit.can_change(now=now):
        raise VisitBegunError


def _check_same(visit: Appointment, notice_version: int | None) -> None:
    if notice_version is not None and notice_version != visit.notice_version:
        raise ChangedMeanwhileError


def _stands_at(visit: Appointment, slot: Slot) -> bool:
    return (visit.practitioner_id, visit.room_id, visit.local_date, visit.local_time, visit.duration_minutes) == (
        slot.practitioner_id,
        slot.room_id,
        slot.local_date,
        slot.local_time,
        slot.duration_minutes,
    )
