"""Putting messages on their way: said once per subject, whoever asks how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from clinicbot import nudge
from clinicbot.bulk import insert_rows
from clinicbot.ids import uuid7
from messaging.contracts import KindSpec, Person, Subject, find_kind
from messaging.errors import NothingToSayError, UnknownKindError
from messaging.models import Message, MessageSubject
from messaging.usecases.cancelling import cancel_messages, cancel_overtaken
from messaging.usecases.sending_again import send_again

__all__ = [
    "NewMessage",
    "Queued",
    "cancel_messages",
    "cancel_overtaken",
    "queue_message",
    "queue_messages",
    "send_again",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """What is to be said, to whom and about what. The words are chosen when it is sent.

    persons: to whom a subject belongs that is not `person`'s own, so that a visit's reminder has one key, alone or bundled.
    due_at: not before; None is at once. expires_at: too late after; None is the kind's own `useful_for` after it is due.
    """

    clinic_id: int
    kind: str
    person: Person
    subjects: tuple[Subject, ...]
    rule: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    persons: Mapping[Subject, Person] = field(default_factory=dict)
    due_at: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """`message_id` is the one that says it: this one, or with `is_new` false the one that did so before."""

    message_id: UUID | None
    is_new: bool


def queue_message(  # noqa: PLR0913 (the door that other houses know)
    clinic_id: int,
    *,
    kind: str,
    person: Person,
    subjects: Sequence[Subject],
    rule: str = "",
    params: Mapping[str, Any] | None = None,
    due_at: datetime | None = None,
    expires_at: datetime | None = None,
    now: datetime,
) -> Queued:
    """Say one thing to one person, once.

    Raises:
        UnknownKindError, NothingToSayError
    """
    message = NewMessage(
        clinic_id=clinic_id,
        kind=kind,
        person=person,
        subjects=tuple(subjects),
        rule=rule,
        params=params or {},
        due_at=due_at,
        expires_at=expires_at,
    )
    return queue_messages([message], now=now)[0]


@transaction.atomic
def queue_messages(messages: Sequence[NewMessage], *, now: datetime) -> list[Queued]:
    """Many at once, in order. Subjects that were said before are left out; a message with none left is not new.

    Raises:
        UnknownKindError, NothingToSayError
    """
    wanted = [(uuid7(), message, kind_of(message)) for message in messages]
    rows = [row for pk, message, _kind in wanted for row in _subject_rows(pk, message)]
    # Subjects before their messages (the foreign key waits for the commit), so that no message comes without its key; in
    # one order, so that two who say the same things wait for each other instead of in a circle.
    in_order = sorted(rows, key=_key)
    are_all_new = len(insert_rows(in_order, skips_conflicts=True)) == len(rows)
    sayer_of = {_key(row): row.message_id for row in rows} if are_all_new else _sayers(rows)
    new_ids = set(sayer_of.values()) & {pk for pk, _message, _kind in wanted}
    insert_rows([message_row(pk, m, kind, now=now) for pk, m, kind in wanted if pk in new_ids])
    nudge.after_commit()
    return [
        Queued(message_id=pk if pk in new_ids else _first_sayer(pk, message, sayer_of), is_new=pk in new_ids)
        for pk, message, _kind in wanted
    ]


def kind_of(message: NewMessage) -> KindSpec:
    kind = find_kind(message.kind)
    if kind is None:
        raise UnknownKindError(f"No house declares the message kind {message.kind}.")
    if not message.subjects:
        raise NothingToSayError
    return kind


def message_row(pk: UUID, message: NewMessage, kind: KindSpec, *, now: datetime) -> Message:
    due_at = message.due_at or now
    return Message(
        pk=pk,
        clinic_id=message.clinic_id,
        kind=kind.name,
        category=kind.category,
        urgency=kind.urgency,
        rule=message.rule,
        person_kind=message.person.kind,
        person_id=message.person.id,
        params=dict(message.params),
        due_at=due_at,
        expires_at=message.expires_at or due_at + kind.useful_for,
        created_at=now,
    )


def _subject_rows(pk: UUID, message: NewMessage) -> list[MessageSubject]:
    persons = {subject: message.persons.get(subject, message.person) for subject in message.subjects}
    return [
        MessageSubject(
            clinic_id=message.clinic_id,
            message_id=pk,
            kind=message.kind,
            rule=message.rule,
            subject_type=subject.type,
            subject_id=subject.id,
            subject_version=subject.version,
            person_kind=person.kind,
            person_id=person.id,
        )
        for subject, person in persons.items()
    ]


Key = tuple[int, str, str, str, str, int, str, int]


def _key(row: MessageSubject) -> Key:
    return (
        row.clinic_id,
        row.kind,
        row.rule,
        row.subject_type,
        row.subject_id,
        row.subject_version,
        row.person_kind,
        row.person_id,
    )


def _sayers(rows: Sequence[MessageSubject]) -> dict[Key, UUID]:
    """Which message says each of these subjects, in its first generation."""
    wanted = {_key(row) for row in rows}
    found = MessageSubject.objects.for_pairs({(row.clinic_id, row.subject_id) for row in rows}, by="subject_id")
    same_kinds = found.filter(kind__in={row.kind for row in rows}, generation=1)
    return {_key(row): row.message_id for row in same_kinds if _key(row) in wanted}


def _first_sayer(pk: UUID, message: NewMessage, sayer_of: Mapping[Key, UUID]) -> UUID | None:
    return next((sayer_of[_key(row)] for row in _subject_rows(pk, message) if _key(row) in sayer_of), None)
