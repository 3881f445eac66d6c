"""Contacts: one address of one channel at one clinic, whoever shares it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from clinicbot.emails import to_email
from clinicbot.models import Clinic
from messaging.channels.base import EMAIL
from messaging.models import Contact
from messaging.phones import spellings, to_e164
from messaging.queries.contacts import read_phones, same_number


@transaction.atomic
def add_contact(clinic: Clinic, *, channel: str, typed: str, now: datetime) -> int:
    """The contact at the number or address that was typed; made if this clinic does not know it. Returns its id.

    Raises:
        MalformedPhoneError, MalformedEmailError: with a sentence for whoever typed it.
    """
    address = to_email(typed) if channel == EMAIL else to_e164(typed, country=clinic.country)
    if known := _find(clinic, channel=channel, address=address):
        return _as_typed(known, address=address, typed=typed)
    contact = Contact(clinic=clinic, channel=channel, address=address, typed=typed, created_at=now)
    Contact.objects.bulk_create([contact], ignore_conflicts=True)  # Two desks at once make one.
    return Contact.objects.for_clinic(clinic).get(channel=channel, address=address).pk


@transaction.atomic
def add_phones(clinic: Clinic, *, channel: str, typed: Iterable[str], now: datetime) -> dict[str, int]:
    """`add_contact` for many phones, in a few statements: the contact's id by what was typed.

    Raises:
        MalformedPhoneError: one of them is no number.
    """
    wanted = set(typed)
    read = read_phones(clinic, channel=channel, typed=wanted)
    for phone in read.values():
        if phone.error is not None:
            raise phone.error
    news = {phone.address: one for one, phone in read.items() if phone.contact_id is None}
    Contact.objects.bulk_create(
        (
            Contact(clinic=clinic, channel=channel, address=address, typed=one, created_at=now)
            for address, one in sorted(news.items())
        ),
        ignore_conflicts=True,  # Two desks at once make one.
    )
    contact_ids = {
        one: phone.contact_id
        for one, phone in read_phones(clinic, channel=channel, typed=wanted).items()
        if phone.contact_id is not None
    }
    untyped = Contact.objects.for_clinic(clinic).filter(pk__in=contact_ids.values(), typed="").in_bulk()
    for one, contact_id in contact_ids.items():
        if contact_id in untyped:
            _as_typed(untyped[contact_id], address=read[one].address, typed=one)
    return contact_ids


def mark_wrong_number(clinic_id: int, *, contact_id: int, now: datetime) -> bool:
    """Whoever reads there is not whom we mean: nothing goes there any more. False when that was known."""
    contacts = Contact.objects.for_clinic(clinic_id).filter(pk=contact_id, wrong_number_at__isnull=True)
    return contacts.update(wrong_number_at=now) == 1


def clear_wrong_number(clinic_id: int, *, contact_id: int, said_at: datetime | None = None) -> bool:
    """Staff know better: the number is right. False when nobody had said otherwise; with `said_at`, not then."""
    contacts = Contact.objects.for_clinic(clinic_id).filter(pk=contact_id, wrong_number_at__isnull=False)
    if said_at is not None:
        contacts = contacts.filter(wrong_number_at=said_at)
    return contacts.update(wrong_number_at=None) == 1


def wrong_number_key(contact_id: int) -> str:
    """Of the one open task that asks for a right number."""
    return f"contact:{contact_id}:wrong_number"


def _find(clinic: Clinic, *, channel: str, address: str) -> Contact | None:
    same = spellings(address)
    known = {
        contact.pk: contact
        for contact in Contact.objects.for_clinic(clinic)
        .filter(Q(address__in=same) | Q(whatsapp_id__in=[spelling[1:] for spelling in same]), channel=channel)
        .order_by("pk")
    }
    rows = [(contact.pk, contact.address, contact.whatsapp_id) for contact in known.values()]
    return known.get(same_number(address, rows) or 0)


def _as_typed(contact: Contact, *, address: str, typed: str) -> int:
    """Somebody who wrote first is known by Meta's spelling only; now a person has said how the number goes."""
    if not contact.typed:
        contact.address, contact.typed = address, typed
        contact.save(update_fields=["address", "typed"])
    return contact.pk
