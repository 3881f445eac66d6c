"""What a contact has agreed to and what it wants no more. Every word is kept; the latest of a category holds."""

from __future__ import annotations

from collections.abc import Iterable
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
) -> frozenset[Category]:
    """Note a yes. Returns the categories for which that was news.

    Raises:
        ContactNotFoundError: not a contact of this clinic.
    """
    wanted = dict.fromkeys(categories, ConsentState.GRANTED)
    return _note(clinic_id, contact_id=contact_id, wanted=wanted, source=source, actor=actor, now=now)


def withdraw(
    clinic_id: int,
    *,
    contact_id: int,
    categories: Iterable[Category],
    source: ConsentSource,
    actor: Actor,
    now: datetime,
) -> frozenset[Category]:
    """Note a no: nothing of these categories goes to this contact any more, for whomever. Returns those for which it was news.

    Raises:
        ContactNotFoundError: not a contact of this clinic.
    """
    wanted = dict.fromkeys(categories, ConsentState.WITHDRAWN)
    return _note(clinic_id, contact_id=contact_id, wanted=wanted, source=source, actor=actor, now=now)


@transaction.atomic
def _note(
    clinic_id: int,
    *,
    contact_id: int,
    wanted: dict[Category, ConsentState],
    source: ConsentSource,
    actor: Actor,
    now: datetime,
) -> frozenset[Category]:
    """`now` is when it was said. A word that arrives after a later one (a delayed webhook) changes nothing."""
    _lock(clinic_id, contact_id=contact_id)
    latest = _latest_words(clinic_id, contact_id=contact_id)
    news = [
        category
        for category, state in wanted.items()
        if category not in latest or (latest[category].state != state and latest[category].said_at <= now)
    ]
    Consent.objects.bulk_create(
        Consent(
            clinic_id=clinic_id,
            contact_id=contact_id,
            category=category,
            state=wanted[category],
            source=source,
            actor_kind=actor.kind,
            actor_id=actor.id,
            said_at=now,
        )
        for category in news
    )
    return frozenset(news)


def _lock(clinic_id: int, *, contact_id: int) -> None:
    """Two words at once are written one after the other."""
    contact = Contact.objects.for_clinic(clinic_id).select_for_update(no_key=True).filter(pk=contact_id)
    if contact.first() is None:
        raise ContactNotFoundError


def _latest_words(clinic_id: int, *, contact_id: int) -> dict[str, Consent]:
    latest = (
        Consent.objects.for_clinic(clinic_id)
        .filter(contact_id=contact_id)
        .order_by("category", "-id")
        .distinct("category")
    )
    return {consent.category: consent for consent in latest}
