"""Keeping what a provider calls us with: every item once, and with it the duty to handle it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from clinicbot.bulk import insert_rows
from clinicbot.ids import uuid7
from messaging.channels.whatsapp.webhook.envelope import ItemKind, RawItem
from messaging.channels.whatsapp.webhook.news import TEMPLATE_FIELDS
from messaging.events import ReceiptsReceived, WebhookReceived
from messaging.models import WebhookItem
from messaging.usecases.calls import Call, end_call
from outbox.usecases.publishing import publish_many

WHATSAPP = "whatsapp"
UNKNOWN_ACCOUNT = "unknown_account"
RECEIPTS_PER_EVENT = 40
"""A payload holds twice as many ids; but some forty such events are handled in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """How many items a call brought, how many of them are new, and how many name an account we do not know."""

    items: int
    new: int
    parked: int


@transaction.atomic
def store_call(items: Sequence[RawItem], *, call: Call, now: datetime, real: datetime) -> Stored:
    """Keep each item that we do not have yet, and publish what it asks of us. Its queries do not grow with the items.
    Again is the same, and from its commit on nothing counts against the call.

    An item of an account that we do not know is kept and counts as handled: there is nobody to handle it for, yet.
    """
    accounts = _Accounts(items)
    rows = [_row(item, account, real=real) for item in items for account in accounts.of(item)]
    # In one order, so that two calls with the same items wait for each other instead of in a circle.
    in_order = sorted(rows, key=lambda row: row.unique_key)
    new_ids = set(insert_rows(in_order, skips_conflicts=True))
    new = [row for row in rows if row.pk in new_ids]
    publish_many(list(events_of(new)), now=now)
    end_call(call)
    return Stored(items=len(rows), new=len(new), parked=sum(row.clinic_id is None for row in new))


class _Account(NamedTuple):
    """Not the secrets, which would be decrypted."""

    id: int
    clinic_id: int
    external_id: str
    parent_id: str


# The provider knows no clinics: it is this very look-up that tells whose the item is.
_FIND_ACCOUNTS = """
SELECT id, clinic_id, external_id, parent_id FROM messaging_sendingaccount
WHERE channel = %(channel)s AND (external_id = ANY(%(numbers)s) OR parent_id = ANY(%(businesses)s))
ORDER BY id
"""


class _Accounts:
    """Whose number or business account is it? One query for the whole call."""

    def __init__(self, items: Iterable[RawItem]) -> None:
        named: dict[str, Any] = {
            "channel": WHATSAPP,
            "numbers": list({item.phone_number_id for item in items if item.phone_number_id}),
            "businesses": list({item.business_account_id for item in items if item.business_account_id}),
        }
        self._by_number: dict[str, _Account] = {}
        self._by_business: defaultdict[str, list[_Account]] = defaultdict(list)
        with connection.cursor() as cursor:
            cursor.execute(_FIND_ACCOUNTS, named)
            for account in map(_Account._make, cursor.fetchall()):
                self._by_number[account.external_id] = account
                self._by_business[account.parent_id].append(account)

    def of(self, item: RawItem) -> list[_Account | None]:
        """News of a whole business account concerns each of its numbers."""
        if item.phone_number_id or item.kind != ItemKind.NEWS:
            return [self._by_number.get(item.phone_number_id)]
        found = self._by_business[item.business_account_id] if item.business_account_id else []
        if item.field in TEMPLATE_FIELDS:
            found = found[:1]  # Who keeps the templates looks for all accounts of the business by itself.
        return [*found] or [None]


def _row(item: RawItem, account: _Account | None, *, real: datetime) -> WebhookItem:
    is_shared = account is not None and item.kind == ItemKind.NEWS
    return WebhookItem(
        id=uuid7(),
        clinic_id=account.clinic_id if account else None,
        account_id=account.id if account else None,
        provider=WHATSAPP,
        field=item.field,
        number_id="" if account else item.phone_number_id,
        unique_key=f"{item.unique_key}:{account.id}" if account and is_shared else item.unique_key,
        body=item.body,
        received_at=real,
        handled_at=None if account else real,
        outcome="" if account else UNKNOWN_ACCOUNT,
    )


def events_of(rows: Sequence[WebhookItem]) -> Iterator[WebhookReceived]:
    """One for each message and piece of news; receipts come by the thousand, so they travel together."""
    receipts: defaultdict[tuple[int, int | None], list[UUID]] = defaultdict(list)
    for row in rows:
        if row.clinic_id is None:
            continue
        if row.unique_key.startswith("s:"):
            receipts[row.clinic_id, row.account_id].append(row.pk)
        else:
            yield WebhookReceived(clinic_id=row.clinic_id, item_ids=(row.pk,))
    for (clinic_id, _account_id), ids in receipts.items():
        for start in range(0, len(ids), RECEIPTS_PER_EVENT):
            yield ReceiptsReceived(clinic_id=clinic_id, item_ids=tuple(ids[start : start + RECEIPTS_PER_EVENT]))
