"""Where people can be reached, and what they want to hear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from clinicbot.models import Clinic
from clinicbot.redaction import mask_address
from clinicbot.together import fetch_together
from messaging import phones
from messaging.contracts import ContactFact, WindowState
from messaging.errors import MalformedPhoneError
from messaging.models import Consent, ConsentState, Contact
from messaging.phones import spellings, to_display, to_e164


def display_of(address: str) -> str:
    """A number in groups, as people read it aloud."""
    return to_display(address)


def is_landline(address: str) -> bool:
    """Whether nobody has such a number in their pocket."""
    return phones.is_landline(address)


def get_contact_facts(clinic_id: int, ids: Iterable[int], *, now: datetime) -> dict[int, ContactFact]:
    """By contact id, without those of another clinic. One query."""
    rows = ContactRows.of(clinic_id, set(ids))
    fetch_together(rows.contacts, rows.consents)
    return rows.facts(now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRows:
    """The tables behind facts about contacts, for a page that asks for them together with other things."""

    contacts: QuerySet[Contact]
    consents: QuerySet[Consent]

    @classmethod
    def of(cls, clinic_id: int, ids: Collection[int] | QuerySet[Any, Any]) -> ContactRows:
        """`ids` may be a question itself."""
        contacts = Contact.objects.for_clinic(clinic_id).filter(pk__in=ids)
        return cls(contacts=contacts, consents=_latest_words(clinic_id, ids))

    def facts(self, *, now: datetime) -> dict[int, ContactFact]:
        """By contact id."""
        opted_out = _withdrawn(self.consents)
        return {
            contact.pk: ContactFact(
                contact_id=contact.pk,
                clinic_id=contact.clinic_id,
                channel=contact.channel,
                masked_address=mask_address(contact.address),
                is_reachable=contact.unreachable_since is None and contact.wrong_number_at is None,
                window_open_until=window_open_until(contact, now=now),
                opted_out_of=opted_out[contact.pk],
            )
            for contact in self.contacts
        }


def get_addresses(clinic_id: int, ids: Iterable[int]) -> dict[int, str]:
    """For staff to read and to call: whole numbers, spaced. Never for a list that anybody may see, nor for a log."""
    rows = Contact.objects.for_clinic(clinic_id).filter(pk__in=set(ids)).values_list("pk", "address")
    return {pk: to_display(address) for pk, address in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPhone:
    """What a typed number comes to: `contact_id` None where this clinic does not know it; `error` where it is no number."""

    address: str = ""
    contact_id: int | None = None
    error: MalformedPhoneError | None = None


def read_phones(clinic: Clinic, *, channel: str, typed: Iterable[str]) -> dict[str, TypedPhone]:
    """As `add_contact` reads each, but nothing is written. One query."""
    read = {one: _read(one, country=clinic.country) for one in set(typed)}
    wanted = {spelling for phone in read.values() if phone.address for spelling in spellings(phone.address)}
    known = (
        Contact.objects.for_clinic(clinic)
        .filter(channel=channel)
        .filter(Q(address__in=wanted) | Q(whatsapp_id__in=[spelling[1:] for spelling in wanted]))
    )
    rows = list(known.order_by("pk").values_list("pk", "address", "whatsapp_id"))
    return {one: replace(phone, contact_id=same_number(phone.address, rows)) for one, phone in read.items()}


def _read(typed: str, *, country: str) -> TypedPhone:
    try:
        return TypedPhone(address=to_e164(typed, country=country))
    except MalformedPhoneError as error:
        return TypedPhone(error=error)


def same_number(address: str, rows: Sequence[tuple[int, str, str]]) -> int | None:
    """Exactly that address; else the only one that spells the same number in another way. rows: id, address, WhatsApp's id."""
    same = spellings(address)
    found = [row for row in rows if address and (row[1] in same or f"+{row[2]}" in same)]
    exact = [pk for pk, known, _whatsapp_id in found if known == address]
    if exact:
        return exact[0]
    return found[0][0] if len(found) == 1 else None


def window_open_until(contact: Contact, *, now: datetime) -> datetime | None:
    """Until when WhatsApp takes a message as written; None when it does not now."""
    if contact.last_inbound_at is None:
        return None
    closes_at = contact.last_inbound_at + WindowState.LENGTH - WindowState.MARGIN
    return closes_at if closes_at > now else None


def opted_out_categories(clinic_id: int, *, contact_ids: Iterable[int]) -> Mapping[int, frozenset[str]]:
    """What each contact wants no more; a contact without such a word has an empty set. One query."""
    return _withdrawn(_latest_words(clinic_id, set(contact_ids)))


def _latest_words(clinic_id: int, contact_ids: Collection[int] | QuerySet[Any, Any]) -> QuerySet[Consent]:
    words = Consent.objects.for_clinic(clinic_id).filter(contact_id__in=contact_ids)
    return words.order_by("contact_id", "category", "-id").distinct("contact_id", "category")


def _withdrawn(latest: Iterable[Consent]) -> Mapping[int, frozenset[str]]:
    withdrawn: defaultdict[int, set[str]] = defaultdict(set)
    for consent in latest:
        if consent.state == ConsentState.WITHDRAWN:
            withdrawn[consent.contact_id].add(consent.category)
    return defaultdict(frozenset, {pk: frozenset(categories) for pk, categories in withdrawn.items()})
