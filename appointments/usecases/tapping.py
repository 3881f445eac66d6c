"""Taps on the buttons and rows of our messages. A tap carries its message and so the visit and the version it spoke of."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from appointments.chat_actions import CANCEL, CHANGE, CONFIRM, PickedSlot, read_more, read_slot, read_visit
from appointments.errors import (
    ChangedMeanwhileError,
    ClinicClosedError,
    NotAtThisClinicError,
    OutsideHoursError,
    SlotInPastError,
    SlotTakenError,
    TimeInGapError,
)
from appointments.models import Appointment, ChangeKind
from appointments.queries.answers import state_text
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.queries.known_visits import visit_subject
from appointments.queries.visits import find_visit
from appointments.slots import Slot
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.history import record_change
from appointments.usecases.replying import reply
from clinicbot.actors import Actor
from messaging.contracts import InboundFact, Person, QueuedMessage

CANNOT_GO_THERE = (
    SlotTakenError,
    SlotInPastError,
    ClinicClosedError,
    OutsideHoursError,
    TimeInGapError,
    NotAtThisClinicError,
    ChangedMeanwhileError,
)

TIMES_OF_A_DAY = 200


def follow_tap(fact: InboundFact, message: QueuedMessage, *, now: datetime) -> str | None:
    """Do what was tapped, if the visit still stands as the message said; else answer with how it stands.

    Returns the word for what was done, or None when the tap names nothing that we know.
    """
    if (visit_id := read_visit(fact.action)) is not None:
        return _show_picked(fact, visit_id=visit_id, now=now)
    subject = visit_subject(message)
    visit = find_visit(fact.clinic_id, appointment_id=int(subject.id)) if subject else None
    if visit is None or subject is None:
        return None
    if subject.version != visit.notice_version or not visit.can_change(now=now):
        return tell_state(fact, visit=visit, now=now)
    return _act(fact, visit=visit, now=now)


def confirm(fact: InboundFact, *, visit: Appointment, now: datetime) -> str:
    """The patient comes."""
    confirm_appointment(
        visit.clinic,
        appointment_id=visit.pk,
        actor=Actor.patient(visit.patient_id),
        notice_version=visit.notice_version,
        inbound_id=fact.inbound_id,
        now=now,
    )
    reply(fact, text="answer_confirmed", person=_patient(visit), visit=visit, now=now)
    return "confirmed"


def offer_times(
    fact: InboundFact,
    *,
    visit: Appointment,
    now: datetime,
    from_day: date | None = None,
    text: str = "answer_choose_time",
) -> str:
    """A list of free times, as they will be when the answer goes."""
    if from_day is None and text == "answer_choose_time":
        record_change(
            visit,
            kind=ChangeKind.ASKED_TO_MOVE,
            actor=Actor.patient(visit.patient_id),
            inbound_id=fact.inbound_id,
            now=now,
        )
    params = {"from_day": from_day.isoformat()} if from_day else {}
    reply(fact, text=text, person=_patient(visit), visit=visit, now=now, **params)
    return "offered_times"


def tell_state(fact: InboundFact, *, visit: Appointment, now: datetime) -> str:
    """Change nothing; say how the visit stands."""
    reply(fact, text=state_text(visit, now=now), person=_patient(visit), visit=visit, now=now)
    return "told_state"


def _act(fact: InboundFact, *, visit: Appointment, now: datetime) -> str | None:
    if fact.action == CONFIRM:
        return confirm(fact, visit=visit, now=now)
    if fact.action == CHANGE:
        return offer_times(fact, visit=visit, now=now)
    if fact.action == CANCEL:
        return _cancel(fact, visit=visit, now=now)
    if (picked := read_slot(fact.action)) is not None:
        return _move(fact, visit=visit, picked=picked, now=now)
    if (from_day := read_more(fact.action)) is not None:
        return offer_times(fact, visit=visit, from_day=from_day, now=now)
    return None


def _cancel(fact: InboundFact, *, visit: Appointment, now: datetime) -> str:
    cancelled = cancel_appointment(
        visit.clinic,
        appointment_id=visit.pk,
        actor=Actor.patient(visit.patient_id),
        inbound_id=fact.inbound_id,
        now=now,
    )
    reply(fact, text="answer_cancelled", person=_patient(visit), visit=cancelled, now=now)
    return "cancelled"


def _move(fact: InboundFact, *, visit: Appointment, picked: PickedSlot, now: datetime) -> str:
    slot = _slot_of(visit, picked=picked, now=now)
    try:
        moved = reschedule_appointment(
            visit.clinic,
            appointment_id=visit.pk,
            slot=slot,
            actor=Actor.patient(visit.patient_id),
            inbound_id=fact.inbound_id,
            now=now,
        )
    except CANNOT_GO_THERE:
        offer_times(fact, visit=visit, text="answer_slot_taken", now=now)
        return "slot_taken"
    reply(fact, text="answer_moved", person=_patient(visit), visit=moved, now=now)
    return "moved"


def _slot_of(visit: Appointment, *, picked: PickedSlot, now: datetime) -> Slot:
    """The picked time in a room that is free then; if none is, in the visit's own, and the database says no."""
    service = visit.service
    wanted = Slot(
        practitioner_id=picked.practitioner_id,
        room_id=visit.room_id,
        local_date=picked.local_date,
        local_time=picked.local_time,
        zone=visit.clinic.zone,
        duration_minutes=service.duration_minutes,
        buffer_before_minutes=service.buffer_before_minutes,
        buffer_after_minutes=service.buffer_after_minutes,
    )
    wish = SlotWish(
        service=service,
        from_day=picked.local_date,
        days=1,
        practitioner_id=picked.practitioner_id,
        without_visit_id=visit.pk,
    )
    free = find_free_slots(visit.clinic, wish=wish, now=now, limit=TIMES_OF_A_DAY)
    rooms = [one.slot.room_id for one in free if one.slot.local_time == picked.local_time]
    return replace(wanted, room_id=rooms[0]) if rooms else wanted


def _show_picked(fact: InboundFact, *, visit_id: int, now: datetime) -> str | None:
    """Which of several was meant: say how it stands, with its buttons. Only a visit of somebody at that number."""
    visit = find_visit(fact.clinic_id, appointment_id=visit_id)
    if visit is None or not visit.patient.reached_at.filter(contact_id=fact.contact_id).exists():
        return None
    return tell_state(fact, visit=visit, now=now)


def _patient(visit: Appointment) -> Person:
    return Person("patient", visit.patient_id)
