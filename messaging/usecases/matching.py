"""Who wrote? The contact behind the ids that a provider gives, which it spells in its own way and sometimes leaves out.

Contacts that bear the same WhatsApp id or user id are one WhatsApp user. Ids that appear together are learned as a pair; two
people who might both be meant are never guessed between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from messaging.channels.whatsapp.webhook.messages import Author
from messaging.models import Contact
from messaging.phones import from_whatsapp_id, spellings

WHATSAPP = "whatsapp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """same_user: every contact of that WhatsApp user, `contact` among them. is_ambiguous: `contact` is only one of those meant."""

    contact: Contact
    same_user: tuple[Contact, ...]
    is_ambiguous: bool = False


def match_inbound(clinic_id: int, *, author: Author, reached: Collection[int] = (), now: datetime) -> Match:
    """The contact that wrote, made if this clinic does not know it. Its rows are locked until the transaction ends.

    reached: contacts that the answered message went to. Whoever taps or quotes it is one of them.
    """
    known = _known(clinic_id, author=author)
    if not author.whatsapp_id and len(reached) == 1:
        known = _with_proven(clinic_id, known=known, reached_id=next(iter(reached)))
    if not known:
        return _of_one(_create(clinic_id, author=author, now=now))
    chosen = _choose(known, author=author, reached=reached)
    if chosen is None:
        return Match(contact=_first_spelled_so(known, author), same_user=tuple(known), is_ambiguous=True)
    _learn(chosen, author=author, others=[contact for contact in known if contact.pk != chosen.pk])
    return Match(contact=chosen, same_user=tuple(c for c in known if c.pk == chosen.pk or _is_exactly(c, author)))


def find_contacts(clinic_id: int, *, author: Author) -> list[Contact]:
    """Every contact that may be that WhatsApp user, locked. Nothing is made or learned."""
    return _known(clinic_id, author=author)


def learn_pairs(clinic_id: int, *, authors: Iterable[Author]) -> int:
    """Ids that a provider names together, for contacts that lack the second. Two queries, and one to write what is news."""
    pairs = {author.whatsapp_id: author.user_id for author in authors if author.whatsapp_id and author.user_id}
    if not pairs:
        return 0
    ours = Contact.objects.for_clinic(clinic_id).filter(channel=WHATSAPP)
    taken = set(ours.filter(user_id__in=pairs.values()).values_list("user_id", flat=True))
    nameless = ours.filter(
        Q(whatsapp_id__in=pairs) | Q(whatsapp_id="", address__in=[f"+{number}" for number in pairs]), user_id=""
    )
    learned = []
    for contact in nameless.select_for_update(no_key=True).order_by("pk"):
        user_id = pairs[contact.whatsapp_id or contact.address.removeprefix("+")]
        if user_id not in taken:
            taken.add(user_id)
            contact.user_id = user_id
            learned.append(contact)
    Contact.unscoped.bulk_update(learned, ["user_id"])
    return len(learned)


def _known(clinic_id: int, *, author: Author) -> list[Contact]:
    """By the ids given; and, where a contact without a number has learned one, by that."""
    found = _bearing(clinic_id, whatsapp_ids={author.whatsapp_id}, user_ids={author.user_id})
    learned = {contact.whatsapp_id for contact in found if not contact.address} - {"", author.whatsapp_id}
    if not learned:
        return found
    return _bearing(
        clinic_id, whatsapp_ids={author.whatsapp_id, *learned}, user_ids={c.user_id for c in found} | {author.user_id}
    )


def _bearing(clinic_id: int, *, whatsapp_ids: set[str], user_ids: set[str]) -> list[Contact]:
    numbers, names = whatsapp_ids - {""}, user_ids - {""}
    addresses = {spelling for number in numbers for spelling in spellings(f"+{number}")}
    contacts = Contact.objects.for_clinic(clinic_id).filter(
        Q(whatsapp_id__in=numbers) | Q(user_id__in=names) | Q(address__in=addresses), channel=WHATSAPP
    )
    return list(contacts.select_for_update(no_key=True).order_by("pk"))


def _with_proven(clinic_id: int, *, known: list[Contact], reached_id: int) -> list[Contact]:
    """No number was given, but what was answered went to one contact only: its ids are this user's, unless it has others."""
    if any(contact.address for contact in known):
        return known
    contacts = Contact.objects.for_clinic(clinic_id).filter(pk=reached_id, channel=WHATSAPP)
    reached = contacts.select_for_update(no_key=True).first()
    if reached is None or (reached.user_id and reached not in known):
        return known
    for contact in known:
        if contact.pk != reached.pk:
            _set(contact, whatsapp_id=reached.whatsapp_id or reached.address.removeprefix("+"))
    return [*(contact for contact in known if contact.pk != reached.pk), reached]


def _choose(known: Sequence[Contact], *, author: Author, reached: Collection[int]) -> Contact | None:
    """The one that the answer points at; else the one with exactly these ids; else the only one spelled like it."""
    answering = [contact for contact in known if contact.pk in reached]
    if len(answering) == 1:
        return answering[0]
    with_number = [contact for contact in known if contact.address] or list(known)
    exact = [contact for contact in with_number if _is_exactly(contact, author)]
    for tier in (exact, with_number):
        if len(tier) == 1:
            return tier[0]
        if tier:
            return None
    return None


def _is_exactly(contact: Contact, author: Author) -> bool:
    if author.user_id and contact.user_id == author.user_id:
        return True
    return bool(author.whatsapp_id) and author.whatsapp_id in (contact.whatsapp_id, contact.address.removeprefix("+"))


def _first_spelled_so(known: Sequence[Contact], author: Author) -> Contact:
    return next((contact for contact in known if contact.address == f"+{author.whatsapp_id}"), known[0])


def _learn(contact: Contact, *, author: Author, others: Sequence[Contact]) -> None:
    """Ids that appear together are one person's. A user id that another contact bears moves here, or links the two."""
    if author.whatsapp_id:
        _set(contact, whatsapp_id=author.whatsapp_id)
    if not contact.address and not any(other.address for other in others):
        _set(contact, address=from_whatsapp_id(author.whatsapp_id))
    if not author.user_id or contact.user_id == author.user_id:
        return
    for other in others:
        if other.user_id == author.user_id and other.address:
            _set(other, user_id="")
        elif other.user_id == author.user_id:
            # It has nothing else to be known by, and somebody may be linked to it: from now on it is found by the number.
            _set(other, whatsapp_id=author.whatsapp_id or contact.whatsapp_id or other.whatsapp_id)
            return
    _set(contact, user_id=author.user_id)


def _create(clinic_id: int, *, author: Author, now: datetime) -> Contact:
    """Two messages of a new person at once make one contact."""
    contact = Contact(
        clinic_id=clinic_id,
        channel=WHATSAPP,
        address=from_whatsapp_id(author.whatsapp_id),
        whatsapp_id=author.whatsapp_id,
        user_id=author.user_id,
        created_at=now,
    )
    Contact.objects.bulk_create([contact], ignore_conflicts=True)
    return _known(clinic_id, author=author)[0]


def _of_one(contact: Contact) -> Match:
    return Match(contact=contact, same_user=(contact,))


def _set(contact: Contact, **values: str) -> None:
    changed = [name for name, value in values.items() if getattr(contact, name) != value]
    for name in changed:
        setattr(contact, name, values[name])
    if changed:
        contact.save(update_fields=changed)
