"""What this house does about its own events."""

from __future__ import annotations

from datetime import datetime

from clinicbot import clock
from messaging.events import WebhookReceived
from messaging.usecases.handling import handle_items
from outbox.contracts import subscribe


@subscribe(WebhookReceived, name="messaging.handle_webhook_item")
def handle_webhook_item(event: WebhookReceived, *, now: datetime) -> None:
    """Take in a message, receipts or news.

    Idempotent by: each item is handled under its lock, where it is not handled yet.
    """
    handle_items(event.clinic_id, item_ids=event.item_ids, now=now, real=clock.real())
