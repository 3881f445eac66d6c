"""What a person may already have heard about a subject."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from messaging.contracts import QueuedMessage
from messaging.models import Attempt, AttemptState, MessageState, MessageSubject
from messaging.reasons import Reason

# Who booked with them told them; of a change, staff are asked to.
TOLD_BY_A_PERSON = Q(message__state=MessageState.SKIPPED, message__reason=Reason.OPTED_OUT)
# It reached nobody, so staff were asked to call: whether they have, nobody can say.
LEFT_TO_A_PERSON = Q(message__state=MessageState.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """The highest version of a subject that some attempt, not known to have failed, spoke of; or that a person at the clinic
    told somebody who wants no messages. None: there is none.

    left_to_a_person: a version above it whose message reached nobody, so that somebody at the clinic may have called.
    """

    version: int | None
    left_to_a_person: int | None = None


def announced(
    messages: Sequence[QueuedMessage], *, unless_said_in: Collection[str] = ()
) -> Mapping[UUID, Announcement]:
    """By message, what other messages told the same person about its first subject. Two queries, over all clinics.

    unless_said_in: texts that name their subjects and tell nothing of them.
    A message whose person cannot have heard of its subject is missing from the answer.
    """
    wanted = [message for message in messages if message.subjects]
    rows = (
        MessageSubject.objects.for_pairs(
            {(message.clinic_id, message.subjects[0].id) for message in wanted}, by="subject_id"
        )
        .filter(Q(message__attempts__isnull=False) | TOLD_BY_A_PERSON | LEFT_TO_A_PERSON)
        .exclude(Q(is_left_out=True) | Q(message__text_name__in=unless_said_in))
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
        others = [row for row in spoken if row[:5] == about and row[6] != message.message_id]
        version = max((row[5] for row in others if row[6] in heard), default=None)
        left = max((row[5] for row in others if row[7] == MessageState.FAILED), default=None)
        if left is not None and version is not None and left <= version:
            left = None
        if version is not None or left is not None:
            told[message.message_id] = Announcement(version=version, left_to_a_person=left)
    return told


def _may_have_arrived(pairs: set[tuple[int, UUID]]) -> set[UUID]:
    attempts = Attempt.objects.for_pairs(pairs, by="message_id").exclude(state=AttemptState.FAILED)
    return set(attempts.values_list("message_id", flat=True))
