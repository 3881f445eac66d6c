"""What sending teaches about a contact. Each function changes a locked contact in hand and says whether it did."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from django.db.models import Q

from clinicbot.backoff import Backoff
from messaging.channels.base import Outcome, Verdict
from messaging.models import Contact

UNREACHABLE_AFTER = 2  # Messages: once may be a phone that is being changed.
UNREACHED = ~Q(unreachable_count=0) | Q(unreachable_since__isnull=False)
"""Of whom `reached` is news."""
PAIR_BACKOFF = Backoff(base_seconds=1, factor=4, cap_seconds=3600, jitter=0)

CONTACT_FIELDS = (
    "whatsapp_id",
    "unreachable_since",
    "unreachable_count",
    "unreachable_reason",
    "slowed_until",
    "slowed_count",
)


class ContactNews(Protocol):
    def __call__(self, contact: Contact, outcome: Outcome, *, real: datetime, now: datetime) -> bool: ...


def accepted(contact: Contact, outcome: Outcome, *, real: datetime, now: datetime) -> bool:
    """The provider's own spelling is learned once; a pair that was slowed down may talk again."""
    learns = contact.whatsapp_id == "" and outcome.recipient_id != ""
    was_slow = contact.slowed_until is not None and contact.slowed_until <= real
    if learns:
        contact.whatsapp_id = outcome.recipient_id
    if was_slow:
        contact.slowed_until, contact.slowed_count = None, 0
    return learns or was_slow


def too_often(contact: Contact, outcome: Outcome, *, real: datetime, now: datetime) -> bool:
    """1, 4, 16 ... seconds: whatever goes to this contact waits. What was in its call at the same time says nothing new."""
    if contact.slowed_until is not None and contact.slowed_until > real:
        return False
    contact.slowed_count += 1
    wait = PAIR_BACKOFF.seconds_after(contact.slowed_count, at_least_seconds=outcome.after_seconds or 0.0)
    contact.slowed_until = real + timedelta(seconds=wait)
    return True


def unreachable(contact: Contact, outcome: Outcome, *, real: datetime, now: datetime) -> bool:
    """A message goes to a contact once only, so each count is another message's."""
    contact.unreachable_count += 1
    contact.unreachable_reason = outcome.code
    if contact.unreachable_count >= UNREACHABLE_AFTER and contact.unreachable_since is None:
        contact.unreachable_since = now
    return True


def reached(contact: Contact) -> bool:
    """A message has arrived there, so it can be reached."""
    if contact.unreachable_count == 0 and contact.unreachable_since is None:
        return False
    contact.unreachable_since, contact.unreachable_count, contact.unreachable_reason = None, 0, ""
    return True


CONTACT_NEWS: Mapping[Verdict, ContactNews] = {
    Verdict.ACCEPTED: accepted,
    Verdict.RETRY_RECIPIENT: too_often,
    Verdict.RECIPIENT_UNREACHABLE: unreachable,
}
