"""What the house does about events: edges that look up and call one use case."""

from __future__ import annotations

from datetime import datetime

from appointments import events
from appointments.queries.visits import find_as_announced, find_visit
from appointments.usecases.answering import answer_inbound
from appointments.usecases.notifying import tell_patient
from appointments.usecases.relocating import tell_of_move_of_clinic, tell_where_it_stands_again
from appointments.usecases.reminding import plan_reminders, plan_reminders_again
from messaging.events import InboundReceived
from outbox.contracts import subscribe


def _tell(event: events.VisitEvent, *, now: datetime) -> None:
    visit = find_visit(event.clinic_id, appointment_id=event.appointment_id)
    if visit is not None:
        tell_patient(visit, notice_version=event.notice_version, now=now)


def _plan(event: events.VisitEvent, *, now: datetime) -> None:
    visit = find_as_announced(event.clinic_id, appointment_id=event.appointment_id, notice_version=event.notice_version)
    if visit is not None:
        plan_reminders(visit, now=now)


@subscribe(events.AppointmentBooked, name="appointments.tell_of_booking")
def tell_of_booking(event: events.AppointmentBooked, *, now: datetime) -> None:
    """Queue the confirmation.

    Idempotent by: the notice's dedup key, which carries the notice version.
    """
    _tell(event, now=now)


@subscribe(events.AppointmentMoved, name="appointments.tell_of_move")
def tell_of_move(event: events.AppointmentMoved, *, now: datetime) -> None:
    """Queue one notice of old and new.

    Idempotent by: the notice's dedup key, which carries the notice version.
    """
    _tell(event, now=now)


@subscribe(events.AppointmentCancelled, name="appointments.tell_of_cancellation")
def tell_of_cancellation(event: events.AppointmentCancelled, *, now: datetime) -> None:
    """Queue the cancellation; whether the patient ever heard of the visit is judged when it is sent.

    Idempotent by: the notice's dedup key, which carries the notice version.
    """
    _tell(event, now=now)


@subscribe(events.AppointmentRestored, name="appointments.tell_of_restoration")
def tell_of_restoration(event: events.AppointmentRestored, *, now: datetime) -> None:
    """Queue the news that the visit stands as before; whether the patient heard anything else is judged when it is sent.

    Where it is silent, the clinic's new address may have been told meanwhile, without this visit.
    Idempotent by: the messages' dedup keys, which carry the notice version.
    """
    _tell(event, now=now)
    visit = find_as_announced(event.clinic_id, appointment_id=event.appointment_id, notice_version=event.notice_version)
    if visit is not None:
        tell_where_it_stands_again(visit, now=now)


@subscribe(events.AppointmentExpired, name="appointments.tell_of_expiry")
def tell_of_expiry(event: events.AppointmentExpired, *, now: datetime) -> None:
    """Queue the news that a held time is free again.

    Idempotent by: the notice's dedup key, which carries the notice version.
    """
    _tell(event, now=now)


@subscribe(events.AppointmentBooked, name="appointments.plan_reminders_of_booking")
def plan_reminders_of_booking(event: events.AppointmentBooked, *, now: datetime) -> None:
    """Plan the reminders of a new visit. Cancelled or moved before we got here: the later event plans.

    Idempotent by: each reminder job's unique key, which carries notice and rule version.
    """
    _plan(event, now=now)


@subscribe(events.AppointmentMoved, name="appointments.plan_reminders_of_move")
def plan_reminders_of_move(event: events.AppointmentMoved, *, now: datetime) -> None:
    """Plan the reminders of the new time.

    Idempotent by: each reminder job's unique key, which carries notice and rule version.
    """
    _plan(event, now=now)


@subscribe(events.AppointmentRestored, name="appointments.plan_reminders_of_restoration")
def plan_reminders_of_restoration(event: events.AppointmentRestored, *, now: datetime) -> None:
    """Plan again what was still to come, came due while the visit stood otherwise, or was due and had not gone by then.

    Idempotent by: each reminder job's unique key, which carries notice and rule version.
    """
    visit = find_as_announced(event.clinic_id, appointment_id=event.appointment_id, notice_version=event.notice_version)
    if visit is not None:
        plan_reminders_again(visit, since=event.since, now=now)


@subscribe(events.ClinicMoved, name="appointments.tell_of_clinic_move")
def tell_of_clinic_move(event: events.ClinicMoved, *, now: datetime) -> None:
    """Queue one message for each household that knows the old address.

    Idempotent by: the message's dedup key, whose rule is the move.
    """
    tell_of_move_of_clinic(event.clinic_id, move_id=event.move_id, now=now)


@subscribe(InboundReceived, name="appointments.answer_inbound")
def answer_what_was_written(event: InboundReceived, *, now: datetime) -> None:
    """Do what a tap or a clear word asks for and answer it, or open a task.

    Idempotent by: the inbound message's state, locked; and the answer's dedup key, which carries its id.
    """
    answer_inbound(event.clinic_id, inbound_id=event.inbound_id, now=now)
