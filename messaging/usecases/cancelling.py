"""Taking back what has not left yet."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Person, find_kind
from messaging.models import Attempt, AttemptState, Message, MessageState, MessageSubject
from messaging.models.messages import WAITING
from messaging.reasons import Reason
from messaging.usecases.changing import move, save
from messaging.usecases.leasing import report_failure


@transaction.atomic
def cancel_overtaken(
    clinic_id: int, *, subject_type: str, subject_id: str, below_version: int, person: Person, now: datetime
) -> int:
    """A newer version speaks: what that person has not been sent of the older ones will not go. Returns how many.

    A message that speaks of other subjects too stays: its kind leaves the overtaken one out when it is sent. So does one that
    speaks of no version (0): it is as true of the newer.
    Compare-and-swap on queued and held, in the caller's transaction: a wave that holds one of them finds it gone. What is
    in its call cannot be stopped, and counts as announced.
    """
    subjects = MessageSubject.objects.for_clinic(clinic_id).filter(message_id=OuterRef("pk"))
    older = subjects.filter(
        subject_type=subject_type,
        subject_id=subject_id,
        subject_version__gt=0,
        subject_version__lt=below_version,
        person_kind=person.kind,
        person_id=person.id,
    )
    others = subjects.exclude(subject_type=subject_type, subject_id=subject_id)
    overtaken = _waiting(clinic_id).filter(Exists(older), ~Exists(others.filter(subject_type=subject_type)))
    return len(_cancel(overtaken, reason=Reason.OVERTAKEN, now=now))


@transaction.atomic
def cancel_messages(clinic_id: int, *, message_ids: Iterable[UUID], actor: Actor, now: datetime) -> int:
    """Staff take back messages that still wait. Returns how many; the others have left, or are over.

    Of an answer that somebody wrote, a task says that it did not go: who was to have it still waits.
    """
    cancelled = _cancel(_waiting(clinic_id).filter(pk__in=set(message_ids)), reason=Reason.CANCELLED_BY_STAFF, now=now)
    clinic = Clinic.objects.get(pk=clinic_id)
    for message in cancelled:
        audit.record(actor, clinic=clinic, action="message.cancelled", subject=message, now=now)
        kind = find_kind(message.kind)
        if kind is not None and kind.by_hand:
            report_failure(message, now=now)
    return len(cancelled)


def _waiting(clinic_id: int) -> QuerySet[Message]:
    """With an attempt in doubt a message is not cancelled: the person may have it."""
    in_doubt = Attempt.objects.for_clinic(clinic_id).filter(message_id=OuterRef("pk"), state=AttemptState.UNKNOWN)
    return Message.objects.for_clinic(clinic_id).filter(~Exists(in_doubt), state__in=WAITING)


def _cancel(messages: QuerySet[Message], *, reason: Reason, now: datetime) -> list[Message]:
    """Locked in one order, then changed: rows that others took meanwhile no longer match."""
    locked = list(messages.select_for_update(no_key=True).order_by("pk"))
    for message in locked:
        move(message, MessageState.CANCELLED, reason=reason, now=now)
    save(locked)
    return locked
