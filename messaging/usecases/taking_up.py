"""What came for a number before anybody had set it up, handed to the clinic whose number it is now."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from clinicbot.ticks import Deadline
from messaging.models import SendingAccount, WebhookItem
from messaging.usecases.receiving import WHATSAPP, events_of
from outbox.usecases.publishing import publish_many

BATCH = 200


def take_up_kept_items(*, now: datetime, deadline: Deadline) -> int:
    """Let them be handled as if they had just come, the oldest first. Says how many.

    A look of its own, whichever way the account was made: a call that was being stored meanwhile has not seen it. Items whose
    body is gone are past it, and those of a number without a clinic go on waiting.
    """
    taken = 0
    while not deadline.is_over():
        batch = _take_up_batch(now=now)
        taken += batch
        if batch < BATCH:
            break
    return taken


@transaction.atomic
def _take_up_batch(*, now: datetime) -> int:
    # The provider knows no clinics: it is this very look-up that tells whose an item is.
    accounts = SendingAccount.unscoped.filter(channel=WHATSAPP, external_id__in=_kept().values("number_id"))
    account_of = {account.external_id: account for account in accounts.only("clinic_id", "external_id")}
    waiting = _kept().filter(number_id__in=account_of).order_by("pk").defer("body")
    items = list(waiting.select_for_update(no_key=True, skip_locked=True)[:BATCH])
    for item in items:
        _hand_over(item, account_of[item.number_id])
    WebhookItem.objects.bulk_update(items, ["account", "clinic", "number_id", "outcome", "handled_at"])
    publish_many(list(events_of(items)), now=now)
    return len(items)


def _kept() -> QuerySet[WebhookItem]:
    return WebhookItem.objects.filter(account=None, body__isnull=False).exclude(number_id="")


def _hand_over(item: WebhookItem, account: SendingAccount) -> None:
    item.account = account
    item.clinic_id = account.clinic_id
    item.number_id = item.outcome = ""
    item.handled_at = None
