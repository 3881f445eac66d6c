"""The inbox: conversations that need a person first, by whose visit comes soonest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from appointments.models import LIVE, Appointment, Patient
from appointments.queries.heard_words import heard_in_words
from appointments.queries.inbox_names import name_of, people_at
from appointments.queries.people import contact_ids_found, last_digits
from clinicbot.models import Clinic
from messaging.queries.inbox import ALL, ConversationFact, conversations

A_PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """One conversation. visit: the next one of anybody who is reached there. snippet: what they wrote last, on a line."""

    fact: ConversationFact
    name: str
    people: tuple[Patient, ...]
    visit: Appointment | None
    snippet: str

    @property
    def since(self) -> datetime | None:
        """Since when somebody is needed; of a word that reached us late, since it was written."""
        if not self.fact.tasks:
            return None
        opened_at = self.fact.tasks[0].opened_at
        last = self.fact.last
        return min(opened_at, last.sent_at) if last and last.state == "task" else opened_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """waiting: need a person, all of them up to `shown`; others: need nobody. left: how many more there are of either."""

    waiting: tuple[InboxRow, ...]
    others: tuple[InboxRow, ...]
    left: int
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxWish:
    """show: as in messaging's inbox. text: what is looked for, "" for nothing."""

    user_id: int
    show: str = ALL
    text: str = ""
    shown: int = A_PAGE


def inbox_of(clinic: Clinic, *, wish: InboxWish, now: datetime) -> Inbox:
    """Three queries, however many conversations."""
    facts = conversations(
        clinic.pk,
        show=wish.show,
        user_id=wish.user_id,
        among=contact_ids_found(clinic, text=wish.text) if wish.text else None,
        digits=last_digits(wish.text),
        now=now,
    )
    people = people_at(clinic, [fact.contact_id for fact in facts])
    visits = _next_visits(clinic, {one.pk for ones in people.values() for one in ones}, now=now)
    rows = [_row(fact, people=people[fact.contact_id], visits=visits) for fact in facts]
    waiting = sorted((row for row in rows if row.fact.waits), key=_by_visit)
    others = [row for row in rows if not row.fact.waits]  # Latest first, as they were read.
    shown_waiting = waiting[: wish.shown]
    shown_others = others[: max(wish.shown - len(shown_waiting), 0)]
    return Inbox(
        waiting=tuple(shown_waiting),
        others=tuple(shown_others),
        left=len(rows) - len(shown_waiting) - len(shown_others),
        shown=wish.shown,
    )


def _by_visit(row: InboxRow) -> tuple[bool, datetime, int]:
    """Who has no visit comes last; among them who waits longest first."""
    since = row.fact.tasks[0].opened_at
    return row.visit is None, row.visit.starts_at if row.visit else since, row.fact.contact_id


def _row(fact: ConversationFact, *, people: Sequence[Patient], visits: Mapping[int, Appointment]) -> InboxRow:
    coming = [visits[one.pk] for one in people if one.pk in visits]
    last = fact.last
    return InboxRow(
        fact=fact,
        name=name_of(people, tail=fact.tail),
        people=tuple(people),
        visit=min(coming, key=lambda visit: (visit.starts_at, visit.pk), default=None),
        snippet=heard_in_words(last.type, last.text, action=last.action) if last else "",
    )


def _next_visits(clinic: Clinic, patient_ids: Collection[int], *, now: datetime) -> dict[int, Appointment]:
    """By patient, the one that is on or comes next."""
    visits = Appointment.objects.for_clinic(clinic).filter(LIVE, patient_id__in=patient_ids, ends_at__gt=now)
    return {
        visit.patient_id: visit for visit in visits.order_by("patient_id", "starts_at", "pk").distinct("patient_id")
    }
