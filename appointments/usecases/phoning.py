"""What came of a call about a visit: kept, acted on, and taken back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

from django.db import transaction

from appointments.errors import (
    AlreadyUndoneError,
    CallNotFoundError,
    ChangedMeanwhileError,
    NumberNotOfPatientError,
    UndoTooLateError,
    VisitBegunError,
)
from appointments.events import VISIT
from appointments.models import Appointment, CallAttempt, CallOutcome, PatientContact
from appointments.queries.call_tasks import TELLS, tasks_of_calls
from appointments.queries.undoing import UNDO_WITHIN, find_made, is_undone
from appointments.usecases.booking import confirm_appointment
from appointments.usecases.integrity import lock_visit
from appointments.usecases.undoing import undo_change
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject, TaskReason
from messaging.usecases.contacts import clear_wrong_number, mark_wrong_number, wrong_number_key
from messaging.usecases.tasks import finish_task, finish_tasks_of, open_task, reopen_task

SAME_CALL = timedelta(minutes=1)
"""The same outcome twice within so long is one call, noted twice."""


@transaction.atomic
def note_call(
    clinic: Clinic,
    *,
    appointment_id: int,
    outcome: CallOutcome,
    contact_id: int | None,
    notice_version: int,
    actor: Actor,
    now: datetime,
) -> CallAttempt:
    """Keep what came of a call. Who will come is confirmed; to a wrong number nothing goes any more.

    contact_id: the number that was called. notice_version: of the visit that was spoken of.

    Raises:
        AppointmentNotFoundError, NotLiveError, VisitBegunError: there is nothing to call about.
        ChangedMeanwhileError: the visit stands otherwise than they were told.
        NumberNotOfPatientError: nobody is reached at a wrong number by now, or none was called.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.notice_version != notice_version:
        raise ChangedMeanwhileError
    if visit.starts_at <= now:
        raise VisitBegunError
    if noted := _noted_just_now(visit, outcome=outcome, contact_id=contact_id, actor=actor, now=now):
        return noted
    _check_number(visit, outcome=outcome, contact_id=contact_id)
    call = CallAttempt.objects.create(
        clinic=clinic,
        appointment=visit,
        contact_id=contact_id,
        outcome=outcome,
        notice_version=notice_version,
        by_id=cast("int", actor.id),  # Only staff call.
        at=now,
    )
    if outcome == CallOutcome.WILL_COME:
        call.change = find_made(_confirm(visit, actor=actor, now=now), actor=actor, now=now)
    if outcome == CallOutcome.WRONG_NUMBER and contact_id is not None:
        _stop_number(visit, contact_id=contact_id, now=now)
    if outcome in TELLS:
        call.finished_tasks = _finish_tasks(visit, actor=actor, now=now)
    call.save(update_fields=["change", "finished_tasks"])
    return call


@transaction.atomic
def take_back_call(clinic: Clinic, *, call_id: int, actor: Actor, now: datetime) -> CallAttempt:
    """That call did not end so: its confirmation, the stop of the number and its finished tasks are taken back with it.

    Raises:
        CallNotFoundError: no such call at this clinic.
        AlreadyUndoneError, UndoTooLateError: it was taken back before, or is more than a day old.
        What `undo_change` raises: the confirmation cannot be taken back, so nothing is.
    """
    call = CallAttempt.objects.for_clinic(clinic).filter(pk=call_id).first()
    if call is None:
        raise CallNotFoundError
    lock_visit(clinic, appointment_id=call.appointment_id)
    call.refresh_from_db(from_queryset=CallAttempt.objects.for_clinic(clinic).select_related("change"))
    if call.taken_back_at is not None:
        raise AlreadyUndoneError
    if now - call.at > UNDO_WITHIN:
        raise UndoTooLateError
    call.taken_back_at = now
    call.save(update_fields=["taken_back_at"])
    if call.change is not None and not is_undone(call.change):
        undo_change(clinic, change_id=call.change.pk, actor=actor, now=now)
    if call.outcome == CallOutcome.WRONG_NUMBER and call.contact_id is not None:
        _open_number(call, contact_id=call.contact_id, now=now)
    for task_id in call.finished_tasks:
        reopen_task(clinic.pk, task_id=task_id, now=now)
    return call


def _noted_just_now(
    visit: Appointment, *, outcome: CallOutcome, contact_id: int | None, actor: Actor, now: datetime
) -> CallAttempt | None:
    """Two clicks, or two people at one desk, note one call."""
    calls = CallAttempt.objects.for_clinic(visit.clinic_id).filter(appointment=visit, taken_back_at=None)
    last = calls.order_by("-pk").first()
    is_same = last is not None and (last.outcome, last.contact_id, last.by_id) == (outcome, contact_id, actor.id)
    return last if is_same and last is not None and now - last.at <= SAME_CALL else None


def _check_number(visit: Appointment, *, outcome: CallOutcome, contact_id: int | None) -> None:
    if contact_id is None:
        if outcome == CallOutcome.WRONG_NUMBER:
            raise NumberNotOfPatientError
        return
    ways = PatientContact.objects.for_clinic(visit.clinic_id).filter(patient_id=visit.patient_id)
    if not ways.filter(contact_id=contact_id).exists():
        raise NumberNotOfPatientError


def _confirm(visit: Appointment, *, actor: Actor, now: datetime) -> Appointment:
    return confirm_appointment(visit.clinic, appointment_id=visit.pk, actor=actor, now=now)


def _stop_number(visit: Appointment, *, contact_id: int, now: datetime) -> None:
    """As when whoever reads there says so; known before: nothing changes."""
    if not mark_wrong_number(visit.clinic_id, contact_id=contact_id, now=now):
        return
    open_task(
        visit.clinic_id,
        reason=TaskReason.WRONG_NUMBER,
        unique_key=wrong_number_key(contact_id),
        person=Person("contact", contact_id),
        subject=Subject(VISIT, str(visit.pk), visit.notice_version),
        now=now,
    )


def _open_number(call: CallAttempt, *, contact_id: int, now: datetime) -> None:
    """Only what this call stopped."""
    if clear_wrong_number(call.clinic_id, contact_id=contact_id, said_at=call.at):
        finish_tasks_of(call.clinic_id, unique_key=wrong_number_key(contact_id), now=now)


def _finish_tasks(visit: Appointment, *, actor: Actor, now: datetime) -> list[int]:
    """A task about several visits waits until somebody has spoken with all of them."""
    finished = []
    for task in tasks_of_calls(visit.clinic):
        others = task.visit_ids - {visit.pk}
        if visit.pk not in task.visit_ids or len(others) != _told_since(visit.clinic, others, since=task.since):
            continue
        if finish_task(visit.clinic_id, task_id=task.task_id, actor=actor, now=now):
            finished.append(task.task_id)
    return finished


def _told_since(clinic: Clinic, visit_ids: frozenset[int], *, since: datetime) -> int:
    calls = CallAttempt.objects.for_clinic(clinic).filter(taken_back_at=None, outcome__in=TELLS, at__gte=since)
    return calls.filter(appointment_id__in=visit_ids).values("appointment_id").distinct().count()
