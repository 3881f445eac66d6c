"""A message whose people are no longer reached together becomes several. Each subject takes its key along, and is said once."""

from __future__ import annotations

from collections.abc import Sequence

from clinicbot.ids import uuid7
from messaging.contracts import Subject
from messaging.models import Message, MessageSubject

# What the new message has from the old one; who it is to, and how its own tries go, is its own.
TAKEN_OVER = (
    "clinic_id",
    "kind",
    "category",
    "urgency",
    "rule",
    "generation",
    "params",
    "due_at",
    "expires_at",
    "asked_again_reason",
    "created_at",
)


def divide(message: Message, parts: Sequence[Sequence[Subject]], *, once_more: bool) -> list[Message]:
    """One more queued message for each part; what is in none of them stays. The caller holds the message's lock.

    once_more: the message may have arrived already, and goes once more: so do its parts, and no more often.
    """
    rows = MessageSubject.objects.for_clinic(message.clinic_id).filter(message=message)
    known = {Subject(row.subject_type, row.subject_id, row.subject_version): row for row in rows}
    return [_take_out([known[subject] for subject in part], of=message, once_more=once_more) for part in parts]


def _take_out(rows: Sequence[MessageSubject], *, of: Message, once_more: bool) -> Message:
    first = rows[0]
    message = Message(
        pk=uuid7(),
        person_kind=first.person_kind,
        person_id=first.person_id,
        was_sent_once_more=once_more or of.was_sent_once_more,
        **{name: getattr(of, name) for name in TAKEN_OVER},
    )
    message.save(force_insert=True)
    own = MessageSubject.objects.for_clinic(of.clinic_id).filter(pk__in=[row.pk for row in rows])
    own.update(message=message, is_left_out=False)
    return message
