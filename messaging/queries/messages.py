"""Messages and their tries as facts, for a visit's story and for lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from uuid import UUID

from clinicbot.together import fetch_together, give_to_parents
from messaging.contracts import AttemptFact, MessageFact, Person, Subject
from messaging.models import Attempt, AttemptState, Message, MessageState, MessageSubject
from messaging.queries.marks import mark_of
from messaging.reasons import Reason
from messaging.texts.languages import base_of


def messages_about(clinic_id: int, *, subject_type: str, subject_id: str) -> list[MessageFact]:
    """Oldest first. Two queries."""
    return messages_about_many(clinic_id, subject_type=subject_type, subject_ids=[subject_id])[subject_id]


def messages_about_many(
    clinic_id: int, *, subject_type: str, subject_ids: Collection[str]
) -> Mapping[str, list[MessageFact]]:
    """By subject id, oldest first; a subject nobody was told of has an empty list. Two queries."""
    rows = MessageSubject.objects.for_clinic(clinic_id).filter(
        subject_type=subject_type, subject_id__in=set(subject_ids)
    )
    pairs = sorted(
        {(subject_id, message_id) for subject_id, message_id in rows.values_list("subject_id", "message_id")}
    )
    messages = {one.pk: one for one in _with_tries(clinic_id, {message_id for _id, message_id in pairs})}
    about: defaultdict[str, list[MessageFact]] = defaultdict(list)
    for subject_id, message_id in pairs:
        about[subject_id].append(fact_of(messages[message_id], about=(subject_type, subject_id)))
    return about


def messages_of(
    clinic_id: int,
    *,
    person: Person,
    subject_type: str,
    subject_ids: Collection[str],
    before: UUID | None = None,
    limit: int,
) -> list[MessageFact]:
    """Latest first: to that person, or to somebody else about one of these subjects. Two queries.

    before: older than that message. Each is told as of the first of these subjects that it speaks of.
    """
    to_them = Message.objects.for_clinic(clinic_id).filter(person_kind=person.kind, person_id=person.id)
    about = MessageSubject.objects.for_clinic(clinic_id).filter(subject_type=subject_type, subject_id__in=subject_ids)
    if before is not None:
        to_them, about = to_them.filter(pk__lt=before), about.filter(message_id__lt=before)
    ids_to_them = to_them.order_by("-pk").values_list("pk", flat=True)[:limit]
    ids_about = about.order_by("-message_id").values_list("message_id", flat=True).distinct()[:limit]
    fetch_together(ids_to_them, ids_about)
    found = _with_tries(clinic_id, sorted({*ids_to_them, *ids_about}, reverse=True)[:limit])
    return [fact_of(message, about=_first_about(message, subject_type, set(subject_ids))) for message in found[::-1]]


def _first_about(message: Message, subject_type: str, subject_ids: set[str]) -> tuple[str, str] | None:
    """What it does say of them, where it left another of them out."""
    own = [row for row in message.subjects.all() if row.subject_type == subject_type and row.subject_id in subject_ids]
    said = [row for row in own if not row.is_left_out] or own
    return (subject_type, said[0].subject_id) if said else None


def concerns_of(clinic_id: int, *, message_ids: Iterable[UUID]) -> Mapping[UUID, list[tuple[Subject, Person]]]:
    """By message, what it spoke of and whose that is, in its order. One query."""
    rows = MessageSubject.objects.for_clinic(clinic_id).filter(message_id__in=set(message_ids), is_left_out=False)
    found: defaultdict[UUID, list[tuple[Subject, Person]]] = defaultdict(list)
    for row in rows.order_by("pk"):
        subject = Subject(row.subject_type, row.subject_id, row.subject_version)
        found[row.message_id].append((subject, Person(row.person_kind, row.person_id)))
    return found


def find_message(clinic_id: int, *, message_id: UUID) -> MessageFact | None:
    found = _with_tries(clinic_id, [message_id])
    return fact_of(found[0]) if found else None


def _with_tries(clinic_id: int, ids: Collection[UUID]) -> list[Message]:
    """In the order of their ids, with what they speak of and their tries. One query."""
    messages = Message.objects.for_clinic(clinic_id).filter(pk__in=ids).order_by("pk")
    subjects = MessageSubject.objects.for_clinic(clinic_id).filter(message_id__in=ids).order_by("pk")
    tries = Attempt.objects.for_clinic(clinic_id).filter(message_id__in=ids).order_by("number")
    fetch_together(messages, subjects, tries)
    found = list(messages)
    give_to_parents(found, "subjects", subjects, by="message_id")
    give_to_parents(found, "attempts", tries, by="message_id")
    return found


def fact_of(message: Message, *, about: tuple[str, str] | None = None) -> MessageFact:
    """It comes with `subjects` and `attempts`, in order. `about`: (type, id) of the subject whose story it is told in.

    For a subject that it left out when it went, it was not sent.
    """
    own = [row for row in message.subjects.all() if (row.subject_type, row.subject_id) == about]
    if any(row.is_left_out for row in own):
        fact = fact_of(message)
        return replace(fact, state=MessageState.SKIPPED, reason=Reason.LEFT_OUT, mark="skipped", attempts=())
    attempts = list(message.attempts.all())
    said = [row for row in message.subjects.all() if own and row.subject_type == own[0].subject_type]
    return MessageFact(
        message_id=message.pk,
        kind=message.kind,
        text_name=message.text_name,
        rule=message.rule,
        person=Person(message.person_kind, message.person_id),
        subjects=tuple(
            Subject(row.subject_type, row.subject_id, row.subject_version) for row in message.subjects.all()
        ),
        generation=message.generation,
        state=message.state,
        reason=message.reason,
        mark=mark_of(
            MessageState(message.state),
            is_read=any(attempt.state == AttemptState.READ for attempt in attempts),
            answered_with=message.answered_with,
            subject_id=own[0].subject_id if own else "",
            is_one_of_several=sum(not row.is_left_out for row in said) > 1,
        ),
        created_at=message.created_at,
        due_at=message.due_at,
        expires_at=message.expires_at,
        settled_at=message.settled_at,
        attempts=tuple(_attempt_fact(attempt) for attempt in attempts),
        answered_with=message.answered_with,
        answered_at=message.answered_at,
    )


def _attempt_fact(attempt: Attempt) -> AttemptFact:
    return AttemptFact(
        attempt_id=attempt.pk,
        channel=attempt.channel,
        contact_id=attempt.contact_id,
        state=attempt.state,
        mode=attempt.mode,
        language=base_of(attempt.language),
        instead_of=attempt.instead_of,
        text=attempt.text,
        started_at=attempt.said_at,
        accepted_at=attempt.accepted_at,
        sent_at=attempt.sent_at,
        delivered_at=attempt.delivered_at,
        read_at=attempt.read_at,
        failed_at=attempt.failed_at,
        failure=attempt.failure_detail or attempt.failure_code,
        possibly_twice=attempt.possibly_twice,
    )


def clinics_of(message_ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Whose these messages are."""
    return dict(Message.unscoped.filter(pk__in=message_ids).values_list("pk", "clinic_id"))
