"""Every yes and no of a contact, for a patient's page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from messaging.models import Consent, ConsentState
from messaging.queries.words import title_of_category


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentFact:
    """`about`: what it is a yes or no to, in words. `source`: where it was heard, a `ConsentSource`."""

    contact_id: int
    about: str
    is_yes: bool
    source: str
    said_at: datetime


def list_consents(clinic_id: int, *, contact_ids: Iterable[int]) -> list[ConsentFact]:
    """Newest first; the newest of a contact and a category holds."""
    rows = Consent.objects.for_clinic(clinic_id).filter(contact_id__in=set(contact_ids)).order_by("-id")
    return [
        ConsentFact(
            contact_id=row.contact_id,
            about=title_of_category(row.category),
            is_yes=row.state == ConsentState.GRANTED,
            source=row.source,
            said_at=row.said_at,
        )
        for row in rows
    ]
