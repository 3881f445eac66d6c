"""What has been put on its way before, and when it was said: for kinds that keep their messages apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery

from messaging.contracts import Person, QueuedMessage, Subject
from messaging.models import Attempt, AttemptState, Message, MessageState, MessageSubject
from messaging.reasons import Reason

Concern = tuple[int, str, Subject, Person]
About = tuple[int, str, str, Person]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message that a person may have received about a subject. `said_at`: its first try that is not known to have failed."""

    message_id: UUID
    kind: str
    rule: str
    version: int
    generation: int
    said_at: datetime


def said_already(concerns: Collection[Concern], *, kind: str) -> set[Concern]:
    """Which of these (clinic id, rule, subject, person) a message of that kind speaks of already. One query."""
    rows = MessageSubject.objects.for_pairs({(one[0], one[2].id) for one in concerns}, by="subject_id")
    columns = ("clinic_id", "rule", "subject_type", "subject_id", "subject_version", "person_kind", "person_id")
    found = {
        (clinic_id, rule, Subject(subject_type, subject_id, version), Person(person_kind, person_id))
        for clinic_id, rule, subject_type, subject_id, version, person_kind, person_id in rows.filter(
            kind=kind, generation=1
        ).values_list(*columns)
    }
    return found & set(concerns)


def last_told(
    abouts: Collection[About], *, kinds: Collection[str], besides: Collection[UUID] = ()
) -> Mapping[About, datetime]:
    """When each may last have been told by a message of these kinds; where it was left to them, by a person at the clinic.

    Who cannot have heard is missing. Three queries.
    """
    about_them = MessageSubject.objects.for_pairs({(about[0], about[2]) for about in abouts}, by="subject_id")
    rows = [
        row
        for row in about_them.filter(is_left_out=False, kind__in=kinds).exclude(message_id__in=besides)
        if _about(row) in abouts
    ]
    pairs = {(row.clinic_id, row.message_id) for row in rows}
    tries = Attempt.objects.for_pairs(pairs, by="message_id").exclude(state=AttemptState.FAILED)
    said_at = dict(tries.values("message_id").annotate(last=Max("said_at")).values_list("message_id", "last"))
    by_person = Message.objects.for_pairs(pairs).filter(
        Q(state=MessageState.SKIPPED, reason=Reason.OPTED_OUT) | Q(state=MessageState.FAILED)
    )
    said_at |= dict(by_person.values_list("pk", "settled_at"))
    told: dict[About, datetime] = {}
    for row in rows:
        if row.message_id in said_at:
            told[_about(row)] = max(said_at[row.message_id], told.get(_about(row), said_at[row.message_id]))
    return told


def _about(row: MessageSubject) -> About:
    return row.clinic_id, row.subject_type, row.subject_id, Person(row.person_kind, row.person_id)


def heard_rows(messages: Sequence[QueuedMessage]) -> QuerySet[MessageSubject]:
    """What `heard_before` reads. Each row with `heard_at`: its first try that is not known to have failed, if there is one."""
    about = {(message.clinic_id, subject.id) for message in messages for subject, _person in message.concerns()}
    tries = Attempt.unscoped.filter(message_id=OuterRef("message_id")).exclude(state=AttemptState.FAILED)
    first = tries.order_by("said_at").values("said_at")[:1]
    found = MessageSubject.objects.for_pairs(about, by="subject_id").filter(is_left_out=False)
    return found.annotate(heard_at=Subquery(first))


def heard_before(messages: Sequence[QueuedMessage], *, rows: Iterable[MessageSubject]) -> Mapping[About, list[Heard]]:
    """By (clinic id, subject type, subject id, person): what may have reached that person about it."""
    abouts = {
        (message.clinic_id, subject.type, subject.id, person)
        for message in messages
        for subject, person in message.concerns()
    }
    heard: defaultdict[About, list[Heard]] = defaultdict(list)
    row: Any
    for row in rows:
        if _about(row) in abouts and row.heard_at is not None:
            heard[_about(row)].append(
                Heard(
                    message_id=row.message_id,
                    kind=row.kind,
                    rule=row.rule,
                    version=row.subject_version,
                    generation=row.generation,
                    said_at=row.heard_at,
                )
            )
    return heard
