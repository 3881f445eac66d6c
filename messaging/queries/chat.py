"""All that was said with one contact: our messages as they went there, staff's own words, and what they wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, JSONObject

from messaging.channels.base import EMAIL
from messaging.contracts import Category, Person, Subject, TaskFact
from messaging.models import (
    Attempt,
    AttemptState,
    Consent,
    ConsentState,
    Contact,
    InboundMessage,
    Message,
    MessageState,
    WrittenAnswer,
)
from messaging.queries.contacts import window_open_until
from messaging.queries.conversation_news import ASIDES, Seen
from messaging.queries.marks import mark_of
from messaging.queries.tasks import tasks_open_at, tasks_read
from messaging.texts.titles import title_of

LATEST = 60
OVER = (MessageState.FAILED, MessageState.EXPIRED, MessageState.SKIPPED, MessageState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkHead:
    """With whom, and how it stands.

    channel_number: as it is dialled, "" where they show none. window_open_until: till when a message goes as written; None: it
    does not now. wants_no_visits: they said stop to messages about visits. seen: how much stands there; heard_until: when the
    last of it reached us. tasks: what waits for a person.
    """

    contact_id: int
    channel_number: str
    tail: str
    window_opened_at: datetime | None
    window_open_until: datetime | None
    is_wrong_number: bool
    is_unreachable: bool
    wants_no_visits: bool
    assigned_to: int | None
    assigned_name: str
    done_at: datetime | None
    done_by: str
    seen: Seen
    heard_until: datetime | None
    tasks: tuple[TaskFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """One message of ours.

    title: what kind of text it is, in words. text: as it went, or is to go; labels: its buttons. failure: the provider's words.
    by: the member of staff who wrote it, "" for the machine's. concerns: what it speaks of, and whose that is.
    """

    message_id: UUID
    kind: str
    text_name: str
    rule: str
    text: str
    labels: tuple[str, ...]
    language: str
    mark: str
    state: str
    reason: str
    failure: str
    by: str
    at: datetime
    read_at: datetime | None
    concerns: tuple[tuple[Subject, Person], ...]
    person: Person
    title: str
    may_write_again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message of theirs. answers: ours that it quotes or taps."""

    inbound_id: UUID
    type: str
    action: str
    text: str
    state: str
    outcome: str
    sent_at: datetime
    received_at: datetime
    answers: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Each oldest first; is_cut: there is more before."""

    own: tuple[Own, ...]
    heard: tuple[Heard, ...]
    is_cut: bool


def find_talk(clinic_id: int, *, contact_id: int, now: datetime) -> TalkHead | None:
    """None also for another clinic's contact, and for a colleague's address. One query."""
    contacts = Contact.objects.for_clinic(clinic_id).filter(pk=contact_id).exclude(channel=EMAIL)
    contact = (
        contacts.select_related("conversation__assigned_to", "conversation__done_by")
        .annotate(
            heard=_count(InboundMessage.objects.for_clinic(clinic_id).exclude(type__in=ASIDES)),
            written=_count(WrittenAnswer.objects.for_clinic(clinic_id)),
            waiting=tasks_open_at(clinic_id, contact=OuterRef("pk")),
            word_on_visits=Subquery(
                Consent.objects.for_clinic(clinic_id)
                .filter(contact=OuterRef("pk"), category=Category.VISITS)
                .order_by("-pk")
                .values("state")[:1]
            ),
            heard_until=Subquery(
                InboundMessage.objects.for_clinic(clinic_id)
                .filter(contact=OuterRef("pk"))
                .order_by("-received_at")
                .values("received_at")[:1]
            ),
        )
        .first()
    )
    return _head(contact, now=now) if contact else None


def chat_of(clinic_id: int, *, contact_id: int) -> Chat:
    """The latest of each. Three queries, however much was said."""
    own = list(_own(clinic_id, message_ids=_latest(clinic_id, contact_id=contact_id)).order_by("-pk"))
    heard = list(_heard(clinic_id, contact_id=contact_id).order_by("-sent_at", "-pk")[: LATEST + 1])
    return Chat(
        own=tuple(_own_fact(message) for message in reversed(own[:LATEST])),
        heard=tuple(_heard_fact(inbound) for inbound in reversed(heard[:LATEST])),
        is_cut=len(own) > LATEST or len(heard) > LATEST,
    )


def find_words(clinic_id: int, *, contact_id: int, message_id: UUID) -> str:
    """What a member of staff wrote to that contact, to be written again; "" where there is no such answer."""
    written = WrittenAnswer.objects.for_clinic(clinic_id).filter(contact_id=contact_id, message_id=message_id)
    return written.values_list("text", flat=True).first() or ""


def _count(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.filter(contact=OuterRef("pk")).order_by().values("contact").annotate(many=Count("pk"))
    return Coalesce(Subquery(counted.values("many")), 0)


def _head(contact: Contact, *, now: datetime) -> TalkHead:
    known = contact.__dict__
    conversation = getattr(contact, "conversation", None)
    return TalkHead(
        contact_id=contact.pk,
        channel_number=contact.address,
        tail=contact.address[-4:],
        window_opened_at=contact.last_inbound_at,
        window_open_until=window_open_until(contact, now=now),
        is_wrong_number=contact.wrong_number_at is not None,
        is_unreachable=contact.unreachable_since is not None,
        wants_no_visits=known["word_on_visits"] == ConsentState.WITHDRAWN,
        assigned_to=conversation.assigned_to_id if conversation else None,
        assigned_name=_name(conversation.assigned_to) if conversation else "",
        done_at=conversation.done_at if conversation else None,
        done_by=_name(conversation.done_by) if conversation else "",
        seen=Seen(known["heard"], known["written"]),
        heard_until=known["heard_until"],
        tasks=tasks_read(known["waiting"]),
    )


def _name(user: Any) -> str:
    return (user.get_full_name() or user.get_username()) if user else ""


def _latest(clinic_id: int, *, contact_id: int) -> list[UUID]:
    """What was tried there, and what staff wrote for there. By the contact's rows alone: the page asks every few seconds."""
    tried = Attempt.objects.for_clinic(clinic_id).filter(contact_id=contact_id)
    there = tried.exclude(message__category=Category.STAFF).values_list("message_id", flat=True)
    written = WrittenAnswer.objects.for_clinic(clinic_id).filter(contact_id=contact_id)
    both = there.union(written.values_list("message_id", flat=True))
    return list(both.order_by("-message_id")[: LATEST + 1])


def _own(clinic_id: int, *, message_ids: Sequence[UUID]) -> QuerySet[Message]:
    """With its tries, and whom it speaks of."""
    tries = Attempt.objects.for_clinic(clinic_id).filter(message_id=OuterRef("pk")).order_by("number")
    names = (
        "contact_id",
        "state",
        "text",
        "labels",
        "language",
        "said_at",
        "read_at",
        "failure_detail",
        "failure_code",
    )
    subject = {name: F(f"subjects__{name}") for name in ("subject_type", "subject_id", "person_kind", "person_id")}
    return (
        Message.objects.for_clinic(clinic_id)
        .filter(pk__in=message_ids)
        .select_related("written__by")
        .annotate(
            calls=ArraySubquery(tries.values(it=JSONObject(**{name: F(name) for name in names}))),
            concerns=ArrayAgg(
                JSONObject(**subject), filter=Q(subjects__is_left_out=False), order_by="subjects__pk", default=[]
            ),
        )
    )


def _own_fact(message: Message) -> Own:
    tries: Sequence[Mapping[str, Any]] = message.__dict__["calls"]
    last = tries[-1] if tries else None
    written = getattr(message, "written", None)
    reads = [one["read_at"] for one in tries if one["read_at"]]
    return Own(
        message_id=message.pk,
        kind=message.kind,
        text_name=message.text_name,
        rule=message.rule,
        text=(written.text if written else "") or (last["text"] if last else ""),
        labels=tuple(last["labels"]) if last else (),
        language=last["language"][:2] if last else "",
        mark=mark_of(
            MessageState(message.state),
            is_read=any(one["state"] == AttemptState.READ for one in tries),
            answered_with=message.answered_with,
        ),
        state=message.state,
        reason=message.reason,
        failure=(last["failure_detail"] or last["failure_code"]) if last else "",
        by=_name(written.by) if written else "",
        at=datetime.fromisoformat(last["said_at"]) if last else message.created_at,
        read_at=datetime.fromisoformat(reads[-1]) if reads else None,
        concerns=tuple(
            (Subject(one["subject_type"], one["subject_id"]), Person(one["person_kind"], one["person_id"]))
            for one in message.__dict__["concerns"]
        ),
        person=Person(message.person_kind, message.person_id),
        title=title_of(message.text_name),
        may_write_again=written is not None and bool(written.text) and message.state in OVER,
    )


def _heard(clinic_id: int, *, contact_id: int) -> QuerySet[InboundMessage]:
    return InboundMessage.objects.for_clinic(clinic_id).filter(contact_id=contact_id)


def _heard_fact(inbound: InboundMessage) -> Heard:
    return Heard(
        inbound_id=inbound.pk,
        type=inbound.type,
        action=inbound.action,
        text=inbound.text,
        state=inbound.state,
        outcome=inbound.outcome,
        sent_at=inbound.sent_at,
        received_at=inbound.received_at,
        answers=inbound.answers_id,
    )
