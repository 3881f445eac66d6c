"""The clinic's conversations: what waits in each, what was written last, whose it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from messaging.channels.base import EMAIL
from messaging.contracts import TaskFact
from messaging.models import Contact, InboundMessage
from messaging.queries.conversation_news import ASIDES
from messaging.queries.tasks import open_tasks_of_conversations

MANY_TASKS = 1_000
MANY = 500
LATELY = timedelta(hours=24)
MINE, UNASSIGNED, ALL, DONE = "mine", "unassigned", "all", "done"
SHOWN = (ALL, MINE, UNASSIGNED, DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastWord:
    """What they wrote last."""

    type: str
    action: str
    text: str
    state: str
    outcome: str
    sent_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFact:
    """tasks: open ones, the longest waiting first; none: nobody is needed. tail: the last digits of the number.

    is_unread: nobody has opened it since they wrote last. assigned_to, assigned_name: whose it is.
    """

    contact_id: int
    tail: str
    tasks: tuple[TaskFact, ...]
    last: LastWord | None
    is_unread: bool
    assigned_to: int | None
    assigned_name: str
    done_at: datetime | None

    @property
    def waits(self) -> bool:
        return bool(self.tasks)


def conversations(
    clinic_id: int, *, show: str, user_id: int, among: QuerySet[Any, Any] | None, digits: str, now: datetime
) -> list[ConversationFact]:
    """Those to show, in no order; at most 500 beside those that need a person. Two queries, however many.

    among: a query for the ids of contacts that a search found, beside any whose number ends in `digits`; None: nothing is looked for.
    """
    waiting = _by_contact(open_tasks_of_conversations(clinic_id, limit=MANY_TASKS))
    rows = _rows(clinic_id, show=show, user_id=user_id, waiting=waiting, now=now)
    if among is not None:
        found = Q(pk__in=among)
        if digits:
            found |= Q(address__endswith=digits, last_inbound_at__isnull=False)
        rows = _all(clinic_id).filter(found).order_by("-last_inbound_at")[:MANY]
    return [_fact(row, tasks=waiting.get(row.pk, ())) for row in rows]


def _rows(
    clinic_id: int, *, show: str, user_id: int, waiting: Mapping[int, tuple[TaskFact, ...]], now: datetime
) -> Iterable[Contact]:
    contacts = _all(clinic_id)
    needs_somebody = contacts.filter(pk__in=waiting.keys())
    if show == MINE:
        return needs_somebody.filter(conversation__assigned_to=user_id)
    if show == UNASSIGNED:
        return needs_somebody.filter(conversation__assigned_to=None)
    if show == DONE:
        ended = contacts.exclude(pk__in=waiting.keys()).exclude(conversation__done_at=None)
        return ended.order_by("-conversation__done_at")[:MANY]
    lately = Q(last_inbound_at__gt=now - LATELY)
    return contacts.filter(Q(pk__in=waiting.keys()) | lately).order_by("-last_inbound_at")[: MANY + len(waiting)]


def _all(clinic_id: int) -> QuerySet[Contact]:
    said = InboundMessage.objects.for_clinic(clinic_id).filter(contact=OuterRef("pk")).exclude(type__in=ASIDES)
    last = JSONObject(
        **{name: F(name) for name in ("type", "action", "text", "state", "outcome", "sent_at", "received_at")}
    )
    contacts = Contact.objects.for_clinic(clinic_id).exclude(channel=EMAIL)
    return contacts.select_related("conversation__assigned_to").annotate(
        last=Subquery(said.order_by("-sent_at", "-pk").values(last=last)[:1])
    )


def _by_contact(tasks: Iterable[TaskFact]) -> dict[int, tuple[TaskFact, ...]]:
    found: defaultdict[int, list[TaskFact]] = defaultdict(list)
    for task in tasks:
        if task.contact_id is not None:
            found[task.contact_id].append(task)
    return {contact_id: tuple(ones) for contact_id, ones in found.items()}


def _fact(contact: Contact, *, tasks: tuple[TaskFact, ...]) -> ConversationFact:
    read: dict[str, Any] | None = contact.__dict__["last"]
    conversation = getattr(contact, "conversation", None)
    assigned = conversation.assigned_to if conversation else None
    seen_at = conversation.seen_at if conversation else None
    return ConversationFact(
        contact_id=contact.pk,
        tail=contact.address[-4:],
        tasks=tasks,
        last=_last_word(read) if read else None,
        is_unread=bool(tasks and read and (seen_at is None or datetime.fromisoformat(read["received_at"]) > seen_at)),
        assigned_to=assigned.pk if assigned else None,
        assigned_name=(assigned.get_full_name() or assigned.get_username()) if assigned else "",
        done_at=conversation.done_at if conversation else None,
    )


def _last_word(read: Mapping[str, Any]) -> LastWord:
    words = {name: read[name] for name in ("type", "action", "text", "state", "outcome")}
    return LastWord(**words, sent_at=datetime.fromisoformat(read["sent_at"]))
