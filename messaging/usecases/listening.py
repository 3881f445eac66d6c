"""Taking in what a person says: who it was, what they answered, and where it goes from here. Once per message."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from messaging.channels.whatsapp.webhook.messages import ReceivedMessage
from messaging.contracts import TaskReason
from messaging.events import InboundReceived
from messaging.keywords import keyword_of
from messaging.models import Contact, InboundMessage, InboundState, SendingAccount
from messaging.usecases.answering import Answered, find_answered
from messaging.usecases.answers import note_answer
from messaging.usecases.matching import Match, match_inbound
from messaging.usecases.renaming import rename
from messaging.usecases.tasks import open_task
from messaging.usecases.wishes import follow_keyword
from outbox.usecases.publishing import publish

WHATSAPP = "whatsapp"
WORDS = frozenset({"text", "button"})


@transaction.atomic
def listen(
    account: SendingAccount, *, received: ReceivedMessage, item_id: UUID, stored_at: datetime, now: datetime
) -> str:
    """Keep one message and pass it on to whoever answers. Returns what became of it, as a stable word.

    stored_at: when it reached us, in `now` time. It stands in for a person's own time that cannot be read. That may be days
    late and open the window wrongly, which costs one call: once free text is refused, only a later word opens it again. To
    leave it shut would cost the answer.
    """
    known = InboundMessage.objects.for_clinic(account.clinic_id)
    if known.filter(channel=WHATSAPP, provider_message_id=received.provider_message_id).exists():
        return "heard_before"
    if received.renaming is not None:
        return rename(account.clinic_id, author=received.author, renaming=received.renaming, now=now)
    if received.type == "system":
        return "noted"
    answered = find_answered(account.clinic_id, payload=received.payload, quoted_id=received.quoted_id)
    match = match_inbound(account.clinic_id, author=received.author, reached=answered.reached, now=now)
    if not answered.reached & {contact.pk for contact in match.same_user}:
        answered = replace(answered, message=None)  # It went to somebody else: who knows its id proves nothing.
    said_at = min(received.sent_at or stored_at, now)  # Nobody writes in the future.
    inbound = _keep(
        account, received=received, match=match, answered=answered, item_id=item_id, said_at=said_at, now=now
    )
    _note_presence(account, match=match, said_at=None if received.is_aside else said_at)
    if received.is_aside:
        return received.type
    if answered.message is not None:
        note_answer(
            account.clinic_id,
            message_id=answered.message.pk,
            provider_message_id=received.quoted_id,
            action=inbound.action,
            now=now,
        )
    return _pass_on(inbound, match=match, answered=answered, now=now)


def _keep(
    account: SendingAccount,
    *,
    received: ReceivedMessage,
    match: Match,
    answered: Answered,
    item_id: UUID,
    said_at: datetime,
    now: datetime,
) -> InboundMessage:
    return InboundMessage.objects.create(
        clinic_id=account.clinic_id,
        item_id=item_id,
        account=account,
        contact=match.contact,
        channel=WHATSAPP,
        provider_message_id=received.provider_message_id,
        type=received.type,
        text=received.text,
        action=answered.action,
        answers=answered.message,
        state=InboundState.NOTED if received.is_aside else InboundState.NEW,
        outcome=received.type if received.is_aside else "",
        sent_at=said_at,
        received_at=now,
    )


def _note_presence(account: SendingAccount, *, match: Match, said_at: datetime | None) -> None:
    """Who writes can be reached. The window opens from the person's own time, so a webhook that comes late opens nothing.

    said_at: None for what does not open it.
    """
    present = Contact.objects.for_clinic(account.clinic_id).filter(pk__in=[contact.pk for contact in match.same_user])
    present.exclude(unreachable_since=None, unreachable_count=0).update(
        unreachable_since=None, unreachable_count=0, unreachable_reason=""
    )
    if said_at is not None:
        latest = present.filter(Q(last_inbound_at=None) | Q(last_inbound_at__lte=said_at))
        latest.update(last_inbound_at=said_at, last_inbound_account=account)


def _pass_on(inbound: InboundMessage, *, match: Match, answered: Answered, now: datetime) -> str:
    """Wishes first, before anybody reads a meaning into the words."""
    keyword = keyword_of(inbound.text) if inbound.type in WORDS and not inbound.action else None
    category = answered.message.category if answered.message else ""
    if keyword and follow_keyword(keyword, inbound=inbound, contacts=match.same_user, category=category, now=now):
        return str(keyword)
    if match.is_ambiguous:
        open_task(
            inbound.clinic_id,
            reason=TaskReason.UNKNOWN_PERSON,
            unique_key=f"contact:{inbound.contact_id}:ambiguous",
            inbound_id=inbound.pk,
            detail="several_contacts",
            now=now,
        )
        return "ambiguous"
    publish(InboundReceived(clinic_id=inbound.clinic_id, inbound_id=inbound.pk), now=now)
    return "received"
