"""A message as other houses hold it."""

from __future__ import annotations

from messaging.contracts import Person, QueuedMessage, Subject
from messaging.models import Message


def as_queued(message: Message) -> QueuedMessage:
    """Prefetch `subjects`, or this is a query a message."""
    subjects = sorted(message.subjects.all(), key=lambda row: row.pk)
    return QueuedMessage(
        message_id=message.pk,
        clinic_id=message.clinic_id,
        kind=message.kind,
        rule=message.rule,
        person=Person(message.person_kind, message.person_id),
        subjects=tuple(Subject(row.subject_type, row.subject_id, row.subject_version) for row in subjects),
        generation=message.generation,
        params=message.params,
        created_at=message.created_at,
        due_at=message.due_at,
        expires_at=message.expires_at,
        persons=tuple(Person(row.person_kind, row.person_id) for row in subjects),
        text_name=message.text_name,
        left_out=frozenset(
            Subject(row.subject_type, row.subject_id, row.subject_version) for row in subjects if row.is_left_out
        ),
    )
