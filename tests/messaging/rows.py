"""Rows that tests of webhooks stand on, and the way an item takes once it is stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from messaging.events import ReceiptsReceived, WebhookReceived
from messaging.handlers import apply_receipts, handle_webhook_item
from messaging.models import (
    Attempt,
    AttemptState,
    Contact,
    Message,
    MessageState,
    MessageSubject,
    SendingAccount,
    WebhookItem,
)
from outbox.models import OutboxEvent
from tests.messaging.meta import BUSINESS_ID, NUMBER_ID


def make_account(
    clinic: Clinic, *, number_id: str = NUMBER_ID, business_id: str = BUSINESS_ID, **rest: Any
) -> SendingAccount:
    return SendingAccount.objects.create(
        clinic=clinic,
        channel="whatsapp",
        label="Front desk",
        external_id=number_id,
        parent_id=business_id,
        **{"display_address": "+1 555 078 3881", **rest},
    )


def make_contact(clinic: Clinic, *, now: datetime, address: str = "+34600111222", **rest: Any) -> Contact:
    return Contact.objects.create(clinic=clinic, channel="whatsapp", address=address, created_at=now, **rest)


def make_sent(
    account: SendingAccount,
    *,
    contact: Contact,
    now: datetime,
    wamid: str = "wamid.sent",
    category: str = "visits",
    state: AttemptState = AttemptState.SENT,
    labels: tuple[str, ...] = ("Sí", "Cambiar"),
) -> Message:
    """A question that has gone to one contact."""
    message = Message.objects.create(
        clinic_id=account.clinic_id,
        kind="appointments.reminder",
        category=category,
        person_kind="patient",
        person_id=1,
        state=MessageState.UNKNOWN if state == AttemptState.UNKNOWN else MessageState.SENT,
        text_name="visit_reminder_ask",
        due_at=now,
        expires_at=now,
        created_at=now,
    )
    MessageSubject.objects.create(
        clinic_id=account.clinic_id,
        message=message,
        kind=message.kind,
        subject_type="visit",
        subject_id=uuid7().hex,
        person_kind="patient",
        person_id=1,
    )
    Attempt.objects.create(
        clinic_id=account.clinic_id,
        message=message,
        number=1,
        account=account,
        contact=contact,
        channel="whatsapp",
        mode="free",
        language="es",
        text_name=message.text_name,
        labels=list(labels),
        state=state,
        provider_message_id=wamid,
        started_at=now,
        said_at=now,
    )
    return message


def payload(message_id: UUID, action: str) -> str:
    return f"m:{message_id.hex}:{action}"


def handle_stored(*, now: datetime) -> None:
    """What the outbox does with what was stored, for this house's handlers alone."""
    names = [WebhookReceived.name, ReceiptsReceived.name]
    for event in OutboxEvent.unscoped.filter(type__in=names).order_by("pk"):
        if event.type == WebhookReceived.name:
            handle_webhook_item(WebhookReceived.restore(clinic_id=event.clinic_id, payload=event.payload), now=now)
        else:
            apply_receipts([ReceiptsReceived.restore(clinic_id=event.clinic_id, payload=event.payload)], now=now)


def outcomes() -> list[str]:
    return list(WebhookItem.objects.order_by("pk").values_list("outcome", flat=True))
