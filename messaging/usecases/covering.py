"""A message that says more than it was queued for."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from messaging.contracts import Subject
from messaging.models import Message, MessageSubject


@transaction.atomic
def cover(clinic_id: int, *, message_id: UUID, subject: Subject) -> None:
    """Write down that the message speaks of this as well. Written before, it stays as it is."""
    message = Message.objects.for_clinic(clinic_id).get(pk=message_id)
    also = MessageSubject(
        clinic_id=clinic_id,
        message=message,
        kind=message.kind,
        rule=message.rule,
        subject_type=subject.type,
        subject_id=subject.id,
        subject_version=subject.version,
        person_kind=message.person_kind,
        person_id=message.person_id,
        generation=message.generation,
    )
    MessageSubject.objects.bulk_create([also], ignore_conflicts=True)
