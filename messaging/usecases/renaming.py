"""A person goes by another number or id from now on: Meta says so."""

from __future__ import annotations

from datetime import datetime

from messaging.channels.whatsapp.webhook.messages import Author, Renaming
from messaging.contracts import Person, TaskReason
from messaging.models import Contact
from messaging.usecases.matching import find_contacts
from messaging.usecases.tasks import open_task


def rename(clinic_id: int, *, author: Author, renaming: Renaming, now: datetime) -> str:
    """Let the contact be found by its new ids. Returns what became of it, as a stable word.

    With a new number what we send still goes to the old one, which may soon be a stranger's; whose number the new one is, a
    person decides.
    """
    old = Author(whatsapp_id=author.whatsapp_id, user_id=renaming.old_user_id or author.user_id)
    contacts = find_contacts(clinic_id, author=old)
    if not contacts:
        return "nobody"
    new = Author(whatsapp_id=renaming.new_whatsapp_id, user_id=renaming.new_user_id)
    is_taken = bool(set(find_contacts(clinic_id, author=new)) - set(contacts))
    if len(contacts) == 1 and not is_taken:
        _save(contacts[0], renaming)
    if renaming.new_whatsapp_id:
        for contact in contacts:
            _ask_staff(contact, now=now)
    return "renamed"


def _save(contact: Contact, renaming: Renaming) -> None:
    contact.whatsapp_id = renaming.new_whatsapp_id or contact.whatsapp_id
    contact.user_id = renaming.new_user_id or contact.user_id
    contact.save(update_fields=["whatsapp_id", "user_id"])


def _ask_staff(contact: Contact, *, now: datetime) -> None:
    open_task(
        contact.clinic_id,
        reason=TaskReason.WRONG_NUMBER,
        unique_key=f"contact:{contact.pk}:number_changed",
        person=Person("contact", contact.pk),
        detail="number_changed",
        now=now,
    )
