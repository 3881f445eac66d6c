"""What a contact has agreed to and what it wants no more. Every word is kept; the latest of a category holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from clinicbot.actors import Actor
from messaging.contracts import Category, ConsentSource
from messaging.errors import ContactNotFoundError
from messaging.models import Consent, ConsentState, Contact


def grant(
    clinic_id: int,
    *,
    contact_id: int,
    categories: Iterable[Category],
    source: ConsentSource,
    actor: Actor,
    now: datetime,
    reason: str = "",
) -> frozenset[Category]:
    """Note a yes. Returns the categories for which that was news.

    One that a file brings in counts only where nothing was said before: it does not take back a no.

    Raises:
        ContactNotFoundError: not a contact of this clinic.
    """
    wanted = dict.fromkeys(categories, ConsentState.GRANTED)
    news = _note(clinic_id, contact_ids=[contact_id], wanted=wanted, source=source, actor=actor, reason=reason, now=now)
    return news[contact_id]


def grant_each(
    clinic_id: int,
    *,
    contact_ids: Collection[int],
    categories: Iterable[Category],
    source: ConsentSource,
    actor: Actor,
    now: datetime,
) -> None:
    """The same yes of each of these, in three statements; one that a file brings in as above.

    Raises:
        ContactNotFoundError: one is not a contact of this clinic.
    """
    wanted = dict.fromkeys(categories, ConsentState.GRANTED)
    _note(clinic_id, contact_ids=contact_ids, wanted=wanted, source=source, actor=actor, now=now)


def withdraw(
    clinic_id: int,
    *,
    contact_id: int,
    categories: Iterable[Category],
    source: ConsentSource,
    actor: Actor,
    now: datetime,
    reason: str = "",
) -> frozenset[Category]:
    """Note a no: nothing of these categories goes to this contact any more, for whomever. Returns those for which it was news.

    Raises:
        ContactNotFoundError: not a contact of this clinic.
    """
    wanted = dict.fromkeys(categories, ConsentState.WITHDRAWN)
    news = _note(clinic_id, contact_ids=[contact_id], wanted=wanted, source=source, actor=actor, reason=reason, now=now)
    return news[contact_id]


@transaction.atomic
def _note(
    clinic_id: int,
    *,
    contact_ids: Collection[int],
    wanted: dict[Category, ConsentState],
    source: ConsentSource,
    actor: Actor,
    now: datetime,
    reason: str = "",
) -> dict[int, frozenset[Category]]:
    """`now` is when it was said. A word that arrives after a later one (a delayed webhook) changes nothing.

    Returns what was news, by contact.
    """
    _lock(clinic_id, contact_ids=contact_ids)
    latest = _latest_words(clinic_id, contact_ids=contact_ids)
    news = {
        contact_id: frozenset(
            category
            for category, state in wanted.items()
            if _is_news(latest.get((contact_id, category)), state=state, source=source, now=now)
        )
        for contact_id in contact_ids
    }
    Consent.objects.bulk_create(
        Consent(
            clinic_id=clinic_id,
            contact_id=contact_id,
            category=category,
            state=wanted[category],
            source=source,
            actor_kind=actor.kind,
            actor_id=actor.id,
            reason=reason,
            said_at=now,
        )
        for contact_id in contact_ids
        for category in wanted
        if category in news[contact_id]
    )
    return news


def _is_news(word: Consent | None, *, state: ConsentState, source: ConsentSource, now: datetime) -> bool:
    """word: the latest so far. Nobody knows when somebody said what a file says, so it is older than any word we heard."""
    if word is None:
        return True
    return source != ConsentSource.IMPORT and word.state != state and word.said_at <= now


def _lock(clinic_id: int, *, contact_ids: Collection[int]) -> None:
    """Two words at once are written one after the other."""
    contacts = Contact.objects.for_clinic(clinic_id).filter(pk__in=contact_ids).order_by("pk")
    if len(contacts.select_for_update(no_key=True)) != len(set(contact_ids)):
        raise ContactNotFoundError


def _latest_words(clinic_id: int, *, contact_ids: Collection[int]) -> dict[tuple[int, str], Consent]:
    latest = (
        Consent.objects.for_clinic(clinic_id)
        .filter(contact_id__in=contact_ids)
        .order_by("contact_id", "category", "-id")
        .distinct("contact_id", "category")
    )
    return {(consent.contact_id, consent.category): consent for consent in latest}
