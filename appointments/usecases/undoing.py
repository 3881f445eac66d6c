"""Taking back the last thing that was done to a visit, whatever it was: the one way back, and a refusal where there is none."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from appointments.errors import (
    AlreadyUndoneError,
    ChangedMeanwhileError,
    NotUndoableError,
    SlotInPastError,
    UndoTooLateError,
    VisitBegunError,
)
from appointments.events import AppointmentCancelled, AppointmentRestored
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, ChangeKind, Service
from appointments.queries.known_visits import place_of
from appointments.queries.previews import told_of
from appointments.queries.undoing import (
    UNDO_WITHIN,
    can_be_undone,
    ends_a_yes,
    facts_before,
    find_latest,
    get_change,
    is_undone,
)
from appointments.queries.visits import get_visit
from appointments.slots import WALKED_IN_WITHIN, Slot, slot_of
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import (
    check_not_closed,
    check_place,
    derive_again,
    hold_visit,
    lock_in_order,
)
from appointments.usecases.reminding import plan_reminders
from appointments.usecases.standing import save_standing
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic
from outbox.usecases.publishing import publish


@transaction.atomic
def undo_change(clinic: Clinic, *, change_id: int, actor: Actor, now: datetime) -> Appointment:
    """Make the visit what it was before that change, if it is the last one and at most a day old.

    A visit whose booking is taken back ends. The patient hears of it only if they heard of the change; that is judged when
    the message goes. A yes counts on only while they heard of no other time, and no end. No booking key is written.

    Raises:
        ChangeNotFoundError: no such change at this clinic.
        NotUndoableError, UndoTooLateError, AlreadyUndoneError: it cannot be taken back, or not any more.
        ChangedMeanwhileError: something else has happened to the visit since.
        VisitBegunError: it has begun, and so is moved nowhere.
        SlotTakenError, SlotInPastError, ClinicClosedError, TimeInGapError, NotAtThisClinicError: it cannot be there again.
    """
    change = get_change(clinic, change_id=change_id)
    visit = _lock(clinic, change)
    _check_last(visit, change=change, now=now)
    derive_again(visit, now=now)
    before, facts, slot = facts_of(visit), facts_before(change), slot_before(change, visit=visit)
    is_elsewhere = slot != slot_of(visit)
    if is_elsewhere and visit.starts_at <= now:
        raise VisitBegunError
    if change.kind in (ChangeKind.MOVED, ChangeKind.CANCELLED):
        _check_open(clinic, slot=slot, now=now)
        has_heard = change.actor_kind == ActorKind.PATIENT or told_of(visit, now=now) == place_of(visit)
        if ends_a_yes(change) and has_heard:
            facts |= {"status": AppointmentStatus.BOOKED}  # A yes was to what they have heard otherwise of since.
    for name, value in {**facts, **(slot.columns() if is_elsewhere else {})}.items():
        setattr(visit, name, value)
    save_standing(visit, before=before, now=now)
    record_change(visit, kind=ChangeKind.UNDONE, actor=actor, now=now, before=before, undoes=change)
    _announce(visit, change=change, now=now)
    return visit


def slot_before(change: AppointmentChange, *, visit: Appointment) -> Slot:
    """Where and how long the visit was before the change, the buffers those of its service then."""
    facts = facts_before(change)
    named = ("practitioner_id", "room_id", "local_date", "local_time", "duration_minutes")
    slot = replace(slot_of(visit), **{name: facts[name] for name in named if name in facts})
    if "service_id" not in facts:
        return slot
    service = Service.objects.for_clinic(visit.clinic_id).get(pk=facts["service_id"])
    return replace(
        slot,
        buffer_before_minutes=service.buffer_before_minutes,
        buffer_after_minutes=service.buffer_after_minutes,
    )


def _lock(clinic: Clinic, change: AppointmentChange) -> Appointment:
    """Where it is and where it was, in one order; then the visit as it is.

    Raises:
        ChangedMeanwhileError: it went elsewhere first, so other rows would have to be locked, out of order.
    """
    seen = get_visit(clinic, appointment_id=change.appointment_id)
    lock_in_order(clinic, slots=[slot_of(seen), slot_before(change, visit=seen)])
    visit = hold_visit(clinic, appointment_id=seen.pk)
    if (visit.practitioner_id, visit.room_id) != (seen.practitioner_id, seen.room_id):
        raise ChangedMeanwhileError
    return visit


def _check_last(visit: Appointment, *, change: AppointmentChange, now: datetime) -> None:
    if not can_be_undone(change):
        raise NotUndoableError
    if is_undone(change):
        raise AlreadyUndoneError
    if find_latest(visit) != change:
        raise ChangedMeanwhileError
    if now - change.happened_at > UNDO_WITHIN:
        raise UndoTooLateError


def _check_open(clinic: Clinic, *, slot: Slot, now: datetime) -> None:
    """It stood there, inside the hours or by somebody's leave; a closure may have come since."""
    check_place(clinic, slot=slot)
    if slot.starts_at <= now - WALKED_IN_WITHIN:
        raise SlotInPastError
    check_not_closed(clinic, slot=slot)


def _announce(visit: Appointment, *, change: AppointmentChange, now: datetime) -> None:
    if change.kind == ChangeKind.BOOKED:
        publish(AppointmentCancelled.of(visit), now=now)
    elif visit.notice_version != change.notice_version and visit.is_live and visit.starts_at > now:
        publish(AppointmentRestored.of_change(visit, since=change.happened_at), now=now)
    elif "service_id" in change.before:
        plan_reminders(visit, now=now, due_after=now)
