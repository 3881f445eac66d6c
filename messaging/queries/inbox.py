"""The clinic's conversations: what waits in each, what was written last, whose it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from clinicbot.members import memberships_open
from messaging.channels.base import EMAIL
from messaging.contracts import TaskFact
from messaging.models import Contact, InboundMessage
from messaging.queries.conversation_news import ASIDES
from messaging.queries.tasks import conversations_that_wait, tasks_open_at, tasks_read

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
    """Those to show: all that need a person, and at most 500 others, who wrote last first. One query, however many.

    among: a query for the ids of contacts that a search found, beside any whose number ends in `digits`; None: nothing is looked for.
    """
    rows = _rows(clinic_id, show=show, user_id=user_id, now=now)
    if among is not None:
        found = Q(pk__in=among)
        if digits:
            found |= Q(address__endswith=digits, last_inbound_at__isnull=False)
        rows = _all(clinic_id).filter(found).order_by("-last_inbound_at")[:MANY]
    return [_fact(row) for row in rows]


def _rows(clinic_id: int, *, show: str, user_id: int, now: datetime) -> Iterable[Contact]:
    contacts = _all(clinic_id)
    waiting = conversations_that_wait(clinic_id)
    needs_somebody = contacts.filter(pk__in=waiting)
    if show == MINE:
        return needs_somebody.filter(conversation__assigned_to=user_id)
    if show == UNASSIGNED:
        works_here = memberships_open(clinic_id).filter(user=OuterRef("conversation__assigned_to"))
        return needs_somebody.filter(~Exists(works_here))
    needs_nobody = ~Exists(waiting.filter(contact=OuterRef("pk")))
    if show == DONE:
        ended = contacts.filter(needs_nobody).exclude(conversation__done_at=None)
        return ended.order_by("-conversation__done_at")[:MANY]
    others = Contact.objects.for_clinic(clinic_id).exclude(channel=EMAIL).filter(needs_nobody)
    lately = others.filter(last_inbound_at__gt=now - LATELY).order_by("-last_inbound_at")[:MANY]
    return contacts.filter(pk__in=waiting.union(lately.values("pk"))).order_by("-last_inbound_at")


def _all(clinic_id: int) -> QuerySet[Contact]:
    said = InboundMessage.objects.for_clinic(clinic_id).filter(contact=OuterRef("pk")).exclude(type__in=ASIDES)
    last = JSONObject(
        **{name: F(name) for name in ("type", "action", "text", "state", "outcome", "sent_at", "received_at")}
    )
    contacts = Contact.objects.for_clinic(clinic_id).exclude(channel=EMAIL)
    return contacts.select_related("conversation__assigned_to").annotate(
        last=Subquery(said.order_by("-sent_at", "-pk").values(last=last)[:1]),
        waiting=tasks_open_at(clinic_id, contact=OuterRef("pk")),
    )


def _fact(contact: Contact) -> ConversationFact:
    read: dict[str, Any] | None = contact.__dict__["last"]
    tasks = tasks_read(contact.__dict__["waiting"])
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
