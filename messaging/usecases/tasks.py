"""Tasks for staff: opened once per cause, finished by a person or when the cause is gone."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from clinicbot import audit
from clinicbot.actors import Actor
from messaging.channels.base import EMAIL
from messaging.contracts import Category, Person, Subject, TaskReason
from messaging.models import Attempt, Contact, InboundMessage, InboundState, StaffTask, TaskState, WrittenAnswer

OF_MACHINES = frozenset(
    {
        TaskReason.ACCOUNT_TROUBLE,
        TaskReason.TEMPLATE_TROUBLE,
        TaskReason.MACHINE_TROUBLE,
        TaskReason.CLOCKS_CHANGED,
        TaskReason.OF_AGE,
    }
)
"""Not said in any conversation, and not answered in one."""


@transaction.atomic
def open_task(  # noqa: PLR0913  (Most are optional, and each caller has others.)
    clinic_id: int,
    *,
    reason: TaskReason,
    unique_key: str,
    person: Person | None = None,
    subject: Subject | None = None,
    message_id: UUID | None = None,
    inbound_id: UUID | None = None,
    detail: str = "",
    now: datetime,
) -> int:
    """Ask staff to look, once: while a task of that `unique_key` is open, it is the one. Returns its id.

    An inbound message that was not yet answered thereby ends as a task. `detail` is a stable word, never a text. What concerns a
    conversation waits there; where it concerns none, or nobody knows which, in the list of tasks.
    """
    task = StaffTask(
        clinic_id=clinic_id,
        reason=reason,
        unique_key=unique_key,
        person_kind=person.kind if person else "",
        person_id=person.id if person else None,
        subject_type=subject.type if subject else "",
        subject_id=subject.id if subject else "",
        message_id=message_id,
        inbound_id=inbound_id,
        contact_id=_contact_of(clinic_id, reason=reason, person=person, message_id=message_id, inbound_id=inbound_id),
        detail=detail,
        opened_at=now,
    )
    if inbound_id is not None:
        InboundMessage.objects.for_clinic(clinic_id).filter(pk=inbound_id, state=InboundState.NEW).update(
            state=InboundState.TASK, outcome=str(reason)
        )
    StaffTask.objects.bulk_create([task], ignore_conflicts=True)
    return StaffTask.objects.for_clinic(clinic_id).get(unique_key=unique_key, state=TaskState.OPEN).pk


def _contact_of(
    clinic_id: int, *, reason: TaskReason, person: Person | None, message_id: UUID | None, inbound_id: UUID | None
) -> int | None:
    """Who wrote; else whom it is about; else where its message was last tried. One query at most, of a written answer two.

    An e-mail address, a colleague's, has no conversation.
    """
    if reason in OF_MACHINES:
        return None
    if inbound_id is not None:
        heard = InboundMessage.objects.for_clinic(clinic_id).filter(pk=inbound_id)
        return heard.values_list("contact_id", flat=True).first()
    if person is not None and person.kind == "contact":
        talks = Contact.objects.for_clinic(clinic_id).filter(pk=person.id).exclude(channel=EMAIL)
        return talks.values_list("pk", flat=True).first()
    if message_id is None:
        return None
    tries = (
        Attempt.objects.for_clinic(clinic_id).filter(message_id=message_id).exclude(message__category=Category.STAFF)
    )
    tried = tries.order_by("-number").values_list("contact_id", flat=True).first()
    if tried is not None or person is None or person.kind != "patient":
        return tried
    written = WrittenAnswer.objects.for_clinic(clinic_id).filter(message_id=message_id)
    return written.values_list("contact_id", flat=True).first()


def is_task_open(clinic_id: int, *, unique_key: str) -> bool:
    """Whether staff have been asked already, and nobody has finished it."""
    return StaffTask.objects.for_clinic(clinic_id).filter(unique_key=unique_key, state=TaskState.OPEN).exists()


@transaction.atomic
def finish_task(clinic_id: int, *, task_id: int, actor: Actor, now: datetime) -> bool:
    """Say that a task is done. False when it is not open (any more)."""
    open_ones = StaffTask.objects.for_clinic(clinic_id).filter(pk=task_id, state=TaskState.OPEN)
    is_done = open_ones.update(state=TaskState.DONE, done_at=now, done_by=actor.id) == 1
    if is_done:
        audit.record(actor, clinic=clinic_id, action="task.done", subject=StaffTask(pk=task_id), now=now)
    return is_done


REOPEN_WITHIN = timedelta(days=1)


@transaction.atomic
def reopen_task(clinic_id: int, *, task_id: int, now: datetime) -> bool:
    """What somebody said was done at most a day ago is not. False where it is open, or the same was asked again since."""
    done = StaffTask.objects.for_clinic(clinic_id).filter(
        pk=task_id, state=TaskState.DONE, done_by__isnull=False, done_at__gte=now - REOPEN_WITHIN
    )
    try:
        with transaction.atomic():
            return done.update(state=TaskState.OPEN, done_at=None, done_by=None) == 1
    except IntegrityError:
        return False


def finish_tasks_of(clinic_id: int, *, unique_key: str, now: datetime) -> bool:
    """The cause is gone: nobody need look any more. False when no such task is open."""
    open_ones = StaffTask.objects.for_clinic(clinic_id).filter(unique_key=unique_key, state=TaskState.OPEN)
    return open_ones.update(state=TaskState.DONE, done_at=now) == 1
