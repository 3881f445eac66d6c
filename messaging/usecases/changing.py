"""How a locked message changes its state. Every change ends its lease, so that whoever held one finds it gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from clinicbot.any_of import AnyOf
from clinicbot.bulk import save_columns
from messaging.contracts import Person, Subject
from messaging.models import Attempt, AttemptState, Message, MessageState

UNSETTLED = frozenset({MessageState.QUEUED, MessageState.HELD, MessageState.SENDING, MessageState.UNKNOWN})
FIELDS = (
    "state",
    "reason",
    "text_name",
    "due_at",
    "must_use_template",
    "tries",
    "lease_no",
    "leased_until",
    "runs_alone",
    "lapses",
    "was_sent_once_more",
    "waits_for_account",
    "superseded",
    "settled_at",
)


@dataclass(slots=True)
class Entry:
    """A locked message with its attempts, oldest first."""

    message: Message
    attempts: list[Attempt]

    @property
    def latest(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def is_in_doubt(self) -> bool:
        return any(attempt.state == AttemptState.UNKNOWN for attempt in self.attempts)


def lock_entries(message_ids: Iterable[UUID]) -> dict[UUID, Entry]:
    """In one order, so that nobody waits in a circle. Whoever changes an attempt holds its message's lock. Two queries."""
    ids = set(message_ids)
    messages = Message.unscoped.select_for_update(no_key=True).filter(AnyOf(Message, "pk", ids)).order_by("pk")
    entries = {message.pk: Entry(message, []) for message in messages}
    # What was said changes nothing.
    attempts = Attempt.unscoped.filter(AnyOf(Attempt, "message_id", entries)).defer("text", "labels")
    for attempt in attempts.order_by("message_id", "number"):
        entries[attempt.message_id].attempts.append(attempt)
    return entries


def move(message: Message, state: MessageState, *, reason: str = "", now: datetime) -> None:
    message.state = state
    message.reason = reason
    message.waits_for_account_id = None
    message.settled_at = None if state in UNSETTLED else now
    end_lease(message)


def end_lease(message: Message) -> None:
    message.lease_no += 1
    message.leased_until = None


def save(messages: Sequence[Message]) -> None:
    save_columns(messages, FIELDS)


def person_of(message: Message) -> Person:
    return Person(message.person_kind, message.person_id)


def first_subject(message: Message) -> Subject | None:
    """Prefetch `subjects` where there are many messages."""
    row = min(message.subjects.all(), key=lambda subject: subject.pk, default=None)
    return Subject(row.subject_type, row.subject_id, row.subject_version) if row else None
