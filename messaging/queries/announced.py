"""What a person may already have heard about a subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from messaging.contracts import QueuedMessage
from messaging.models import Attempt, AttemptState, MessageState, MessageSubject
from messaging.reasons import Reason

# Who booked with them told them; of a change, staff are asked to.
TOLD_BY_A_PERSON = Q(message__state=MessageState.SKIPPED, message__reason=Reason.OPTED_OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """The highest version of a subject that some attempt, not known to have failed, spoke of; or that a person at the clinic
    told somebody who wants no messages.
    """

    version: int


def announced(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Announcement]:
    """By message, what other messages told the same person about its first subject. Two queries, over all clinics.

    A message whose person cannot have heard of its subject is missing from the answer.
    """
    wanted = [message for message in messages if message.subjects]
    rows = (
        MessageSubject.objects.for_pairs(
            {(message.clinic_id, message.subjects[0].id) for message in wanted}, by="subject_id"
        )
        .filter(Q(message__attempts__isnull=False) | TOLD_BY_A_PERSON)
        .exclude(is_left_out=True)
        .values_list(
            "clinic_id",
            "subject_type",
            "subject_id",
            "person_kind",
            "person_id",
            "subject_version",
            "message_id",
            "message__state",
            "message__reason",
        )
    )
    spoken = list(rows.distinct())
    heard = _may_have_arrived({(row[0], row[6]) for row in spoken})
    heard |= {row[6] for row in spoken if row[7:] == (MessageState.SKIPPED, Reason.OPTED_OUT)}
    told: dict[UUID, Announcement] = {}
    for message in wanted:
        subject, person = message.concerns()[0]
        about = (message.clinic_id, subject.type, subject.id, person.kind, person.id)
        versions = [row[5] for row in spoken if row[:5] == about and row[6] in heard and row[6] != message.message_id]
        if versions:
            told[message.message_id] = Announcement(version=max(versions))
    return told


def _may_have_arrived(pairs: set[tuple[int, UUID]]) -> set[UUID]:
    attempts = Attempt.objects.for_pairs(pairs, by="message_id").exclude(state=AttemptState.FAILED)
    return set(attempts.values_list("message_id", flat=True))
