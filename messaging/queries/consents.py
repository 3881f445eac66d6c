"""Every yes and no of a contact, for a patient's page."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from clinicbot.actors import ActorKind
from messaging.models import Consent, ConsentState
from messaging.queries.words import title_of_category, title_of_source


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentFact:
    """about, source: what it is a yes or no to, and where it was heard, in words. staff_id: who noted it; None: nobody of staff.

    is_latest: it is the one that holds.
    """

    contact_id: int
    about: str
    is_yes: bool
    source: str
    said_at: datetime
    reason: str
    staff_id: int | None
    is_latest: bool


def list_consents(clinic_id: int, *, contact_ids: Iterable[int]) -> list[ConsentFact]:
    """Newest first; the newest of a contact and a category holds."""
    return consent_facts(consent_rows(clinic_id, set(contact_ids)))


def consent_rows(clinic_id: int, contact_ids: Collection[int] | QuerySet[Any, Any]) -> QuerySet[Consent]:
    """What `consent_facts` reads; `contact_ids` may be a question itself."""
    return Consent.objects.for_clinic(clinic_id).filter(contact_id__in=contact_ids).order_by("-id")


def consent_facts(rows: Iterable[Consent]) -> list[ConsentFact]:
    """Newest first; the newest of a contact and a category holds."""
    facts: list[ConsentFact] = []
    seen: set[tuple[int, str]] = set()
    for row in rows:
        key = (row.contact_id, row.category)
        facts.append(
            ConsentFact(
                contact_id=row.contact_id,
                about=title_of_category(row.category),
                is_yes=row.state == ConsentState.GRANTED,
                source=title_of_source(row.source),
                said_at=row.said_at,
                reason=row.reason,
                staff_id=row.actor_id if row.actor_kind == ActorKind.STAFF else None,
                is_latest=key not in seen,
            )
        )
        seen.add(key)
    return facts
