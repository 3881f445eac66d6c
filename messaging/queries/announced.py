"""What a person may already have heard about a subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from messaging.contracts import QueuedMessage, Subject
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


def announcements_asked(
    messages: Sequence[QueuedMessage], *, unless_said_in: Collection[str] = ()
) -> QuerySet[MessageSubject]:
    """What `announced` reads, over all clinics. Each row with `may_have_arrived`: by some attempt that is not known to have failed.

    unless_said_in: texts that name their subjects and tell nothing of them.
    """
    tries = Attempt.unscoped.filter(message_id=OuterRef("message_id"))
    about = {(message.clinic_id, subject.id) for message in messages for subject in message.subjects}
    return (
        MessageSubject.objects.for_pairs(about, by="subject_id")
        .annotate(
            may_have_arrived=Exists(tries.exclude(state=AttemptState.FAILED)),
            by_a_person=ExpressionWrapper(TOLD_BY_A_PERSON, output_field=BooleanField()),
            is_left=ExpressionWrapper(LEFT_TO_A_PERSON, output_field=BooleanField()),
        )
        .filter(Q(may_have_arrived=True) | Q(by_a_person=True) | Q(is_left=True))
        .exclude(Q(is_left_out=True) | Q(message__text_name__in=unless_said_in))
    )


def announced(
    messages: Sequence[QueuedMessage], *, rows: Iterable[MessageSubject]
) -> Mapping[tuple[UUID, Subject], Announcement]:
    """By message and subject, what other messages told the same person about it, from the rows that were asked for.

    What its person cannot have heard of is missing from the answer.
    """
    spoken: defaultdict[_About, list[Any]] = defaultdict(list)
    for row in rows:
        spoken[row.clinic_id, row.subject_type, row.subject_id, row.person_kind, row.person_id].append(row)
    told: dict[tuple[UUID, Subject], Announcement] = {}
    for message in messages:
        for subject, person in message.concerns():
            about = (message.clinic_id, subject.type, subject.id, person.kind, person.id)
            others = [row for row in spoken[about] if row.message_id != message.message_id]
            if announcement := _announcement(others):
                told[message.message_id, subject] = announcement
    return told


_About = tuple[int, str, str, str, int]


def _announcement(rows: Sequence[Any]) -> Announcement | None:
    heard = (row.subject_version for row in rows if row.may_have_arrived or row.by_a_person)
    version: int | None = max(heard, default=None)
    left: int | None = max((row.subject_version for row in rows if row.is_left), default=None)
    if left is not None and version is not None and left <= version:
        left = None
    return None if version is None and left is None else Announcement(version=version, left_to_a_person=left)
