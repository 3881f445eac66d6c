"""What was said in a conversation since somebody looked at it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from messaging.models import InboundMessage, WrittenAnswer

ASIDES = ("reaction", "edit", "revoke", "system")
"""They say nothing new, and open no window."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How much stood there: what they wrote, and what staff did. Rows of a conversation are never taken away."""

    heard: int = 0
    written: int = 0

    def __str__(self) -> str:
        return f"{self.heard}.{self.written}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Of what a page kept; of anything else, that nothing was seen."""
        heard, _dot, written = text.partition(".")
        numbers = [int(one) if one.isascii() and one.isdigit() and len(one) < 10 else 0 for one in (heard, written)]
        return cls(*numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """heard: they have written since. by_id, at: a member of staff has, and when; the last one of several."""

    heard: bool = False
    by_id: int | None = None
    at: datetime | None = None


def news_since(clinic_id: int, *, contact_id: int, seen: Seen) -> News:
    """Two queries, three where staff wrote. A reaction or an edit is no news."""
    written = WrittenAnswer.objects.for_clinic(clinic_id).filter(contact_id=contact_id)
    heard = heard_of(clinic_id, contact_id=contact_id) > seen.heard
    if written.count() <= seen.written:
        return News(heard=heard)
    last = written.order_by("-written_at", "-pk").values_list("by_id", "written_at").first()
    by_id, at = last or (None, None)
    return News(heard=heard, by_id=by_id, at=at)


def seen_now(clinic_id: int, *, contact_id: int) -> Seen:
    """Two queries. Ask before reading what is shown: what comes between is news later, and so is never missed."""
    written = WrittenAnswer.objects.for_clinic(clinic_id).filter(contact_id=contact_id).count()
    return Seen(heard_of(clinic_id, contact_id=contact_id), written)


def heard_of(clinic_id: int, *, contact_id: int) -> int:
    heard = InboundMessage.objects.for_clinic(clinic_id).filter(contact_id=contact_id)
    return heard.exclude(type__in=ASIDES).count()
