"""What Meta says of a message of ours: sent, delivered, read or failed.

Shapes: https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#statuses-object. `contacts` may be missing
or hold no more than a number, and so may everything else but id and status.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from messaging.channels.base import ReceiptFact
from messaging.channels.whatsapp.errors import outcome_of_receipt_error
from messaging.channels.whatsapp.webhook.messages import author_of
from messaging.channels.whatsapp.webhook.reading import Json, moment, part, parts, word

FAILED = "failed"
KNOWN = frozenset({"sent", "delivered", "read", FAILED})


def read_receipt(value: Json, *, account_id: int, now: datetime) -> ReceiptFact | None:
    """The receipt of an item; None when it says nothing of a message's way ("played", or a word Meta added since)."""
    status: Json = next(parts(value, "statuses"), {})
    name, provider_message_id = word(status, "status", length=16), word(status, "id", length=160)
    if name not in KNOWN or not provider_message_id:
        return None
    recipient = author_of(
        word(status, "recipient_id", length=64) or word(_contact(value), "wa_id", length=64),
        word(status, "recipient_user_id", length=160) or word(_contact(value), "user_id", length=160),
    )
    pricing = part(status, "pricing")
    billable = pricing.get("billable")
    return ReceiptFact(
        account_id=account_id,
        attempt_id=_attempt_id(word(status, "biz_opaque_callback_data", length=64)),
        provider_message_id=provider_message_id,
        status=name,
        happened_at=min(moment(status, "timestamp") or now, now),
        recipient_id=recipient.whatsapp_id,
        user_id=recipient.user_id,
        failure=outcome_of_receipt_error(next(parts(status, "errors"), None)) if name == FAILED else None,
        price_category=word(pricing, "category", length=32),
        is_billable=billable if isinstance(billable, bool) else None,
    )


def _contact(value: Json) -> Json:
    return next(parts(value, "contacts"), {})


def _attempt_id(echoed: str) -> UUID | None:
    """Ours is an attempt's id; other users of the number echo something else."""
    try:
        return UUID(echoed)
    except ValueError:
        return None
