"""A channel that does as it is told, a message kind that answers as it is told, and short ways to drive the sender."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, StepReport
from messaging.channels.base import OutboundMessage, Outcome, ReceiptFact, Verdict
from messaging.contracts import STILL_TRUE, Context, Person, QueuedMessage, Standing, Subject
from messaging.models import Attempt, Contact, Message, SendingAccount
from messaging.usecases.receipts import apply_receipts
from messaging.usecases.rounds import send_batch
from messaging.usecases.sending import Queued, queue_message

KIND = "tests.notice"
PATIENT = Person("patient", 7)
VISIT = Subject("visit", "1", 1)
WORDS = {
    "clinic": "Clínica Sol",
    "patient": "Ada",
    "when": "lunes 20 de abril a las 10:00",
    "where": "Calle Mayor 1",
    "practitioner": "Dra. Noor",
    "phone": "910 000 000",
    "link": "https://clinic.example/visit/abc/",
}

_wamids = itertools.count(1)


def accepted() -> Outcome:
    return Outcome(verdict=Verdict.ACCEPTED, provider_message_id=f"wamid.{next(_wamids)}")


def refused(verdict: Verdict, **words: Any) -> Outcome:
    return Outcome(verdict=verdict, code="131000", detail="words of the provider", **words)


class FakeChannel:
    """Answers with the script, then accepts. Each call is kept; `during` runs in the sending thread."""

    kind = "whatsapp"

    def __init__(self) -> None:
        self.calls: list[OutboundMessage] = []
        self.script: list[Outcome | Exception] = []
        self.by_phone: dict[str, list[Outcome]] = {}
        self.during: Callable[[OutboundMessage], None] = lambda message: None
        self._lock = threading.Lock()

    def send(self, message: OutboundMessage) -> Outcome:
        with self._lock:
            self.calls.append(message)
            answers = self.by_phone.get(message.phone) or self.script
            answer = answers.pop(0) if answers else accepted()
        self.during(message)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class FakeKind:
    """Everything is still true and goes to `contacts` of the message's clinic, unless told otherwise."""

    text: str = "visit_booked"
    language: str = "es"
    standings: dict[UUID, Standing] = field(default_factory=dict)
    standing: Standing = STILL_TRUE
    contacts: dict[Person, tuple[int, ...]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=lambda: dict(WORDS))
    unkept: frozenset[str] = frozenset()
    failures: int = 0
    fails_for: set[UUID] = field(default_factory=set)
    asked_to_speak: list[str] = field(default_factory=list)
    on_check: Callable[[Sequence[QueuedMessage]], None] = lambda messages: None

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        self.on_check(messages)
        if self.fails_for & {message.message_id for message in messages}:
            self.failures += 1
            raise ZeroDivisionError
        return {message.message_id: self.standings.get(message.message_id, self.standing) for message in messages}

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        self.asked_to_speak += [message.language for message in messages]
        return {
            message.message_id: Context(
                text=self.text,
                language=message.language or self.language,
                contact_ids=self.contacts.get(message.person, ()),
                variables=self.variables,
                unkept=self.unkept,
            )
            for message in messages
        }


def say(clinic: Clinic, *, now: datetime, person: Person = PATIENT, subject: Subject = VISIT, **wishes: Any) -> Message:
    """Queue one message and return its row."""
    queued = queue(clinic, now=now, person=person, subject=subject, **wishes)
    assert queued.is_new
    assert queued.message_id is not None
    return Message.unscoped.get(pk=queued.message_id)


def queue(
    clinic: Clinic, *, now: datetime, person: Person = PATIENT, subject: Subject = VISIT, **wishes: Any
) -> Queued:
    return queue_message(clinic.pk, kind=wishes.pop("kind", KIND), person=person, subjects=[subject], now=now, **wishes)


def send(*, now: datetime, real: datetime | None = None) -> StepReport:
    """One round of the sender."""
    return send_batch(real=real or clock.real(), now=now, deadline=Deadline(600))


def again(message: Message) -> Message:
    """The row as it is now."""
    return Message.unscoped.get(pk=message.pk)


def attempts_of(message: Message) -> list[Attempt]:
    return list(Attempt.unscoped.filter(message=message).order_by("number"))


def states_of(message: Message) -> tuple[str, list[str]]:
    """The message's state, and its attempts' in order."""
    return again(message).state, [attempt.state for attempt in attempts_of(message)]


def receipt(attempt: Attempt, status: str, *, at: datetime, **wishes: Any) -> ReceiptFact:
    """What the provider says of an attempt it can name."""
    values: dict[str, Any] = {
        "account_id": attempt.account_id,
        "attempt_id": attempt.pk,
        "provider_message_id": attempt.provider_message_id or f"wamid.late{attempt.number}",
    }
    return ReceiptFact(**(values | {"status": status, "happened_at": at} | wishes))


def apply_receipt(fact: ReceiptFact, *, now: datetime) -> bool:
    """One receipt; whether it found its attempt."""
    return apply_receipts([fact], now=now) == 1


def open_window(contact: Contact, *, at: datetime) -> None:
    Contact.unscoped.filter(pk=contact.pk).update(last_inbound_at=at - timedelta(minutes=1))
    contact.refresh_from_db()


def account_of(clinic: Clinic) -> SendingAccount:
    return SendingAccount.objects.for_clinic(clinic).get()


def void(_value: object) -> None:
    """For a call that is made for what it does."""
