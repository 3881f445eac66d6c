"""What comes to each of a patient's numbers and addresses, as their page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from appointments.models import Patient
from appointments.queries.reach import reach_of
from messaging.contracts import Category, ContactFact, list_kinds

CHANNELS = {"whatsapp": "WhatsApp", "sms": "SMS", "telegram": "Telegram", "email": "E-mail"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """`category`: a `Category`. `wanted`: whether it comes."""

    category: str
    wanted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """`name`: channel and the end of the number. `shared_with`: first names of the others who are reached there."""

    contact_id: int
    name: str
    shared_with: tuple[str, ...]
    wishes: tuple[Wish, ...]


def wishes_of(patient: Patient, *, now: datetime) -> list[Way]:
    """Best first. Three queries."""
    sent = {kind.category for kind in list_kinds()} - {Category.STAFF}
    return [
        Way(
            contact_id=one.fact.contact_id,
            name=f"{CHANNELS.get(one.fact.channel, one.fact.channel)} {_end_of(one.fact)}",
            shared_with=one.shared_with,
            wishes=tuple(
                Wish(category=category.value, wanted=category not in one.fact.opted_out_of)
                for category in Category
                if category in sent
            ),
        )
        for one in reach_of(patient, now=now)
        if not one.is_kept_out
    ]


def _end_of(fact: ContactFact) -> str:
    """ "…2047", or "a***@clinic.example"."""
    return fact.masked_address.replace("*** ", "…")
