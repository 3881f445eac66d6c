"""Putting messages on their way: said once per subject, whoever asks how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from clinicbot import nudge
from clinicbot.bulk import insert_like
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
    keys = {pk: _keys(message) for pk, message, _kind in wanted}
    # Subjects before their messages (the foreign key waits for the commit), so that no message comes without its key; in
    # one order, so that two who say the same things wait for each other instead of in a circle.
    rows = sorted((*key, pk) for pk, own in keys.items() for key in own)
    are_all_new = len(insert_like(MessageSubject(), (*Key._fields, "message_id"), rows, skips_conflicts=True)) == len(
        rows
    )
    sayer_of = (
        {key: pk for pk, own in keys.items() for key in own}
        if are_all_new
        else _sayers({key for own in keys.values() for key in own})
    )
    new_ids = set(sayer_of.values()) & keys.keys()
    _insert_messages([one for one in wanted if one[0] in new_ids], now=now)
    nudge.after_commit()
    return [
        Queued(message_id=pk if pk in new_ids else _first_sayer(own, sayer_of), is_new=pk in new_ids)
        for pk, own in keys.items()
    ]


def _insert_messages(wanted: Sequence[tuple[UUID, NewMessage, KindSpec]], *, now: datetime) -> None:
    """By kind: of one kind they differ in these columns only."""
    names = ("id", "clinic_id", "rule", "person_kind", "person_id", "params", "due_at", "expires_at")
    by_kind: defaultdict[str, list[tuple[UUID, NewMessage, KindSpec]]] = defaultdict(list)
    for one in wanted:
        by_kind[one[2].name].append(one)
    for ones in by_kind.values():
        values = [
            (pk, m.clinic_id, m.rule, m.person.kind, m.person.id, dict(m.params), *_times(m, kind, now=now))
            for pk, m, kind in ones
        ]
        insert_like(message_row(*ones[0], now=now), names, values)


def kind_of(message: NewMessage) -> KindSpec:
    kind = find_kind(message.kind)
    if kind is None:
        raise UnknownKindError(f"No house declares the message kind {message.kind}.")
    if not message.subjects:
        raise NothingToSayError
    return kind


def message_row(pk: UUID, message: NewMessage, kind: KindSpec, *, now: datetime) -> Message:
    due_at, expires_at = _times(message, kind, now=now)
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
        expires_at=expires_at,
        created_at=now,
    )


def _times(message: NewMessage, kind: KindSpec, *, now: datetime) -> tuple[datetime, datetime]:
    """When it is due, and when it is too late."""
    due_at = message.due_at or now
    return due_at, message.expires_at or due_at + kind.useful_for


class Key(NamedTuple):
    """What is said once; in the names of the columns."""

    clinic_id: int
    kind: str
    rule: str
    subject_type: str
    subject_id: str
    subject_version: int
    person_kind: str
    person_id: int


def _keys(message: NewMessage) -> list[Key]:
    """One for each subject, in their order."""
    return [
        Key(message.clinic_id, message.kind, message.rule, one.type, one.id, one.version, person.kind, person.id)
        for one, person in _persons_of(message).items()
    ]


def _persons_of(message: NewMessage) -> Mapping[Subject, Person]:
    return {subject: message.persons.get(subject, message.person) for subject in message.subjects}


def _sayers(keys: Collection[Key]) -> dict[Key, UUID]:
    """Which message says each of these subjects, in its first generation."""
    found = MessageSubject.objects.for_pairs({(key.clinic_id, key.subject_id) for key in keys}, by="subject_id")
    same_kinds = found.filter(kind__in={key.kind for key in keys}, generation=1)
    rows = same_kinds.values_list(*Key._fields, "message_id")
    return {key: message_id for *columns, message_id in rows if (key := Key(*columns)) in keys}


def _first_sayer(keys: Sequence[Key], sayer_of: Mapping[Key, UUID]) -> UUID | None:
    return next((sayer_of[key] for key in keys if key in sayer_of), None)
