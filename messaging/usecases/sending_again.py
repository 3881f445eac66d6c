"""Staff say it once more, knowingly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from clinicbot import audit, nudge
from clinicbot.actors import Actor
from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from messaging.contracts import find_kind
from messaging.errors import (
    AlreadySentAgainError,
    MessageNotFoundError,
    StillOnItsWayError,
    UnknownKindError,
    WrittenByHandError,
)
from messaging.models import Message, MessageState, MessageSubject
from messaging.usecases.changing import end_lease, save
from messaging.usecases.leasing import failure_key
from messaging.usecases.tasks import finish_tasks_of

ON_ITS_WAY = frozenset({MessageState.QUEUED, MessageState.HELD, MessageState.SENDING})


@transaction.atomic
def send_again(clinic_id: int, *, message_id: UUID, reason: str, actor: Actor, now: datetime) -> UUID:
    """A new generation of the message, and the end of the older: nothing retries or resends those, whatever is heard of them.

    Raises:
        MessageNotFoundError
        StillOnItsWayError: it has not come to an end yet.
        AlreadySentAgainError: there is a newer generation; so a double click sends once.
        UnknownKindError
        WrittenByHandError: its words, and what they answer, are the conversation's.
    """
    message = Message.objects.for_clinic(clinic_id).select_for_update(no_key=True).filter(pk=message_id).first()
    if message is None:
        raise MessageNotFoundError
    if message.superseded:
        raise AlreadySentAgainError
    if message.state in ON_ITS_WAY:
        raise StillOnItsWayError
    kind = find_kind(message.kind)
    if kind is None:
        raise UnknownKindError
    if kind.by_hand:
        raise WrittenByHandError
    message.superseded = True
    end_lease(message)
    save([message])
    subjects = list(MessageSubject.objects.for_clinic(clinic_id).filter(message=message).order_by("pk"))
    again = Message(
        pk=uuid7(),
        clinic_id=clinic_id,
        kind=message.kind,
        category=message.category,
        urgency=message.urgency,
        rule=message.rule,
        person_kind=message.person_kind,
        person_id=message.person_id,
        generation=message.generation + 1,
        params=message.params,
        due_at=now,
        expires_at=message.expires_at if message.expires_at > now else now + kind.useful_for,
        asked_again_reason=reason[:200],
        created_at=now,
    )
    again.save(force_insert=True)
    MessageSubject.objects.bulk_create(_of_generation(subjects, again))
    finish_tasks_of(clinic_id, unique_key=failure_key(message.pk), now=now)
    audit.record(
        actor,
        clinic=Clinic.objects.get(pk=clinic_id),
        action="message.sent_again",
        subject=message,
        detail={"again": str(again.pk)},
        reason=reason[:200],
        now=now,
    )
    nudge.after_commit()
    return again.pk


def _of_generation(subjects: Sequence[MessageSubject], message: Message) -> list[MessageSubject]:
    return [
        MessageSubject(
            clinic_id=subject.clinic_id,
            message_id=message.pk,
            kind=subject.kind,
            rule=subject.rule,
            subject_type=subject.subject_type,
            subject_id=subject.subject_id,
            subject_version=subject.subject_version,
            person_kind=subject.person_kind,
            person_id=subject.person_id,
            generation=message.generation,
        )
        for subject in subjects
    ]
