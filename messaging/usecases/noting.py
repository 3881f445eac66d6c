"""A person's yes or no as staff heard it, with the reason why it is noted."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from messaging.contracts import Category, ConsentSource
from messaging.errors import ConsentReasonMissingError, ContactNotFoundError
from messaging.models import Contact
from messaging.usecases.consents import grant, withdraw


@transaction.atomic
def note_by_staff(
    clinic_id: int,
    *,
    contact_id: int,
    category: Category,
    wants_it: bool,
    reason: str,
    actor: Actor,
    now: datetime,
) -> bool:
    """False where it stood so already; then nothing is written. What waits is looked at when it goes.

    Raises:
        ConsentReasonMissingError: no reason was given.
        ContactNotFoundError: not a contact of this clinic.
    """
    if not tidy(reason):
        raise ConsentReasonMissingError
    contact = Contact.objects.for_clinic(clinic_id).select_related("clinic").filter(pk=contact_id).first()
    if contact is None:
        raise ContactNotFoundError
    note = grant if wants_it else withdraw
    news = note(
        clinic_id,
        contact_id=contact_id,
        categories=[category],
        source=ConsentSource.DESK,
        actor=actor,
        reason=tidy(reason),
        now=now,
    )
    if news:
        audit.record(
            actor,
            clinic=contact.clinic,
            action="consent.granted" if wants_it else "consent.withdrawn",
            subject=contact,
            detail={"category": str(category)},
            now=now,
        )
    return bool(news)
