"""Acting on what providers told us: each stored item is read, given to whom it concerns, and marked as handled."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from clinicbot.any_of import AnyOf
from messaging.channels.whatsapp.webhook.messages import Author, read_message
from messaging.channels.whatsapp.webhook.news import read_news
from messaging.channels.whatsapp.webhook.reading import Json, part, parts
from messaging.channels.whatsapp.webhook.receipts import read_receipt
from messaging.events import WebhookReceived
from messaging.models import SendingAccount, WebhookItem
from messaging.usecases.listening import listen
from messaging.usecases.listening_to_news import hear_news
from messaging.usecases.matching import learn_pairs
from messaging.usecases.receipts import apply_receipts
from outbox.usecases.publishing import publish_many

logger = logging.getLogger(__name__)

APPLIED = "applied"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class _Piece:
    """An item, whose it is, and what it says."""

    item: WebhookItem
    account: SendingAccount

    def value(self) -> Json:
        body: Any = json.loads(self.item.body or "{}")
        return part(body, "value")


@transaction.atomic
def handle_items(clinic_id: int, *, item_ids: Sequence[UUID], now: datetime, real: datetime) -> None:
    """Handle those that are not handled yet; several are all receipts. Query counts do not grow with receipts.

    When receipts cannot be taken together, each is published for itself, so that a bad one holds nobody up.
    """
    items = list(
        WebhookItem.objects.select_for_update(no_key=True)
        .filter(AnyOf(WebhookItem, "pk", item_ids), clinic_id=clinic_id, handled_at=None, account__isnull=False)
        .order_by("pk")
    )
    accounts = SendingAccount.objects.for_clinic(clinic_id).in_bulk({item.account_id for item in items})
    pieces = [_Piece(item, accounts[item.account_id]) for item in items if item.account_id is not None]
    if len(pieces) == 1:
        outcome = _handle_one(pieces[0], now=now, real=real)
        _finish(pieces, outcome=outcome, real=real)
    elif pieces:
        _handle_together(clinic_id, pieces, now=now, real=real)


def _handle_together(clinic_id: int, pieces: Sequence[_Piece], *, now: datetime, real: datetime) -> None:
    try:
        with transaction.atomic():
            _apply_receipts(pieces, now=now)
            _finish(pieces, outcome=APPLIED, real=real)
    except Exception:  # One of them is at fault; alone it can fail without its neighbours.
        logger.exception("Receipts could not be taken together; each is tried alone.", extra={"items": len(pieces)})
        publish_many([WebhookReceived(clinic_id=clinic_id, item_ids=(piece.item.pk,)) for piece in pieces], now=now)


def _handle_one(piece: _Piece, *, now: datetime, real: datetime) -> str:
    value = piece.value()
    if next(parts(value, "statuses"), None) is not None:
        _apply_receipts([piece], now=now)
        return APPLIED
    if next(parts(value, "messages"), None) is None:
        return hear_news(piece.account, news=read_news(piece.item.field, value), real=real, now=now)
    received = read_message(value)
    if received is None:
        return UNREADABLE
    stored_at = now - (real - piece.item.received_at)
    return listen(piece.account, received=received, item_id=piece.item.pk, stored_at=stored_at, now=now)


def _apply_receipts(pieces: Sequence[_Piece], *, now: datetime) -> None:
    read = [read_receipt(piece.value(), account_id=piece.account.pk, now=now) for piece in pieces]
    facts = [fact for fact in read if fact is not None]
    apply_receipts(facts, now=now)
    authors = [Author(whatsapp_id=fact.recipient_id, user_id=fact.user_id) for fact in facts]
    learn_pairs(pieces[0].account.clinic_id, authors=authors)


def _finish(pieces: Sequence[_Piece], *, outcome: str, real: datetime) -> None:
    ids = [piece.item.pk for piece in pieces]
    WebhookItem.objects.filter(AnyOf(WebhookItem, "pk", ids)).update(handled_at=real, outcome=outcome[:32])
