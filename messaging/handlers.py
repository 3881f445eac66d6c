"""What this house does about its own events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from clinicbot import clock
from messaging.events import ReceiptsReceived, WebhookReceived
from messaging.usecases.handling import handle_items
from outbox.contracts import subscribe

RECEIPT_EVENTS_TOGETHER = 40
"""Receipts that came one by one share the statements and the commit; of Meta's large calls it is some 1,600 at a time."""


@subscribe(WebhookReceived, name="messaging.handle_webhook_item")
def handle_webhook_item(event: WebhookReceived, *, now: datetime) -> None:
    """Take in a message or news; and receipts that could not be taken together.

    Idempotent by: each item is handled under its lock, where it is not handled yet.
    """
    handle_items(event.clinic_id, item_ids=event.item_ids, now=now, real=clock.real())


@subscribe(ReceiptsReceived, name="messaging.apply_receipts", together=RECEIPT_EVENTS_TOGETHER)
def apply_receipts(events: Sequence[ReceiptsReceived], *, now: datetime) -> None:
    """Take in receipts of one clinic, in the order in which they came.

    Idempotent by: each item is handled under its lock, where it is not handled yet.
    """
    item_ids = [item_id for event in events for item_id in event.item_ids]
    handle_items(events[0].clinic_id, item_ids=item_ids, now=now, real=clock.real())
