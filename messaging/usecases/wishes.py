"""Whether somebody wants to hear from us, said by a keyword in the chat or to the provider."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from clinicbot.actors import Actor, ActorKind
from messaging.contracts import Category, ConsentSource, Person, Subject
from messaging.keywords import Keyword
from messaging.message_names import OPT_IN_CONFIRMATION, OPT_OUT_CONFIRMATION
from messaging.models import Contact, InboundMessage
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.consents import grant, withdraw
from messaging.usecases.inbound import mark_answered, mark_noted
from messaging.usecases.sending import queue_message

SOMEBODY = Actor(ActorKind.PATIENT)
"""Whoever holds the phone: which of the people who share it, nobody knows."""


def follow_keyword(
    keyword: Keyword, *, inbound: InboundMessage, contacts: Sequence[Contact], category: str, now: datetime
) -> bool:
    """Do what the keyword asks, confirm it once, and end the message. False: it was no such wish, but a word like another.

    category: of our message that was answered, "" when none was. An answer to a recall stops recalls, for so the answer reads;
    anything else stops all, for then nobody says what was meant, and one message too many is the worse mistake.
    """
    if keyword == Keyword.STOP:
        only_recalls = category == Category.RECALLS
        _stop(inbound, contacts, categories=[Category.RECALLS] if only_recalls else list(Category), now=now)
        return True
    return _start(inbound, contacts, now=now)


def follow_preference(
    clinic_id: int, *, contacts: Iterable[Contact], wants_it: bool, said_at: datetime
) -> frozenset[Category]:
    """Meta's own stop is about marketing. To us that is recalls: visits are not meant."""
    note = grant if wants_it else withdraw
    news: frozenset[Category] = frozenset()
    for contact in contacts:
        news |= note(
            clinic_id,
            contact_id=contact.pk,
            categories=[Category.RECALLS],
            source=ConsentSource.PROVIDER,
            actor=SOMEBODY,
            now=said_at,
        )
    return news


def _stop(
    inbound: InboundMessage, contacts: Sequence[Contact], *, categories: Sequence[Category], now: datetime
) -> None:
    news = [
        withdraw(
            inbound.clinic_id,
            contact_id=contact.pk,
            categories=categories,
            source=ConsentSource.KEYWORD,
            actor=SOMEBODY,
            now=inbound.sent_at,
        )
        for contact in contacts
    ]
    if not any(news):
        mark_noted(inbound.clinic_id, inbound_id=inbound.pk, outcome="opted_out_before")
        return
    text = "opted_out_recalls" if list(categories) == [Category.RECALLS] else "opted_out"
    _confirm(inbound, kind=OPT_OUT_CONFIRMATION, text=text, outcome="opted_out", now=now)


def _start(inbound: InboundMessage, contacts: Sequence[Contact], *, now: datetime) -> bool:
    """Without anything stopped "alta" may be a new patient who asks to be taken in: that is for others to answer."""
    stopped = opted_out_categories(inbound.clinic_id, contact_ids=[contact.pk for contact in contacts])
    if not stopped:
        return False
    news = [
        grant(
            inbound.clinic_id,
            contact_id=contact_id,
            categories=[Category(category) for category in categories],
            source=ConsentSource.KEYWORD,
            actor=SOMEBODY,
            now=inbound.sent_at,
        )
        for contact_id, categories in stopped.items()
    ]
    if any(news):
        _confirm(inbound, kind=OPT_IN_CONFIRMATION, text="opted_in", outcome="opted_in", now=now)
    else:
        mark_noted(inbound.clinic_id, inbound_id=inbound.pk, outcome="overtaken")
    return True


def _confirm(inbound: InboundMessage, *, kind: str, text: str, outcome: str, now: datetime) -> None:
    queue_message(
        inbound.clinic_id,
        kind=kind,
        person=Person("contact", inbound.contact_id),
        subjects=[Subject("inbound", str(inbound.pk))],
        params={"text": text},
        now=now,
    )
    mark_answered(inbound.clinic_id, inbound_id=inbound.pk, outcome=outcome)
