"""Keeping our copy of the provider's templates in step, and asking for those that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from messaging.channels.whatsapp import templates_api
from messaging.channels.whatsapp.template_updates import APPROVED
from messaging.channels.whatsapp.templates_api import BusinessAccount, ProviderTemplate
from messaging.contracts import TaskReason
from messaging.models import MessageTemplate, SendingAccount
from messaging.texts.template_words import BY_STAFF, NOT_CREATED
from messaging.usecases.tasks import finish_tasks_of, open_task
from messaging.usecases.template_creating import create_missing
from messaging.usecases.template_troubles import tell_troubles

DELETED = "DELETED"
GONE = (DELETED, NOT_CREATED)
# Our own pause outlasts a provider that calls a template approved and refuses it all the same.
SHORTEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What one look came to. `is_complete` is false when some are still to be asked for."""

    listed: int = 0
    changed: int = 0
    created: int = 0
    refused: int = 0
    is_complete: bool = True


def sync_templates(clinic_id: int, *, account_id: int, now: datetime, real: datetime) -> SyncReport:
    """List the provider's, take in what changed, and ask for those of our texts that are not there.

    Runs without a transaction; each answer is recorded in its own.

    Raises:
        HttpError: no answer.
        ProviderRefusedError: the provider would not list them.
    """
    account = SendingAccount.objects.for_clinic(clinic_id).select_related("clinic").get(pk=account_id)
    business = business_account(account)
    tell_subscription(account, is_subscribed=templates_api.is_subscribed(business), now=now)
    listed = templates_api.list_templates(business)
    changed = record_listed(account, listed, now=now, real=real)
    created, refused, is_complete = create_missing(account, business, listed, now=now)
    return SyncReport(listed=len(listed), changed=changed, created=created, refused=refused, is_complete=is_complete)


def business_account(account: SendingAccount) -> BusinessAccount:
    return BusinessAccount(id=account.parent_id, token=account.access_token)


@transaction.atomic
def record_listed(account: SendingAccount, listed: Sequence[ProviderTemplate], *, now: datetime, real: datetime) -> int:
    """Our rows become what was listed; a template no longer there is kept as deleted, for old messages name it.

    A row that news has touched since `now`, when the listing began, knows better and stays. Answers how many changed.
    """
    SendingAccount.objects.for_clinic(account.clinic_id).filter(pk=account.pk).update(templates_synced_at=now)
    rows = {
        (row.name, row.language): row
        for row in MessageTemplate.objects.for_clinic(account.clinic_id).select_for_update().filter(account=account)
    }
    changed = 0
    for theirs in {(one.name, one.language): one for one in listed}.values():
        row = rows.pop((theirs.name, theirs.language), None) or _new_row(account, theirs, now=now)
        changed += _take_in(row, theirs, now=now, real=real)
    for row in rows.values():
        changed += _mark_gone(row, now=now)
    return changed


def _new_row(account: SendingAccount, theirs: ProviderTemplate, *, now: datetime) -> MessageTemplate:
    return MessageTemplate(
        clinic_id=account.clinic_id, account=account, name=theirs.name, language=theirs.language, synced_at=now
    )


def _take_in(row: MessageTemplate, theirs: ProviderTemplate, *, now: datetime, real: datetime) -> bool:
    if row.synced_at > now:
        return False
    before = _told(row)
    row.provider_id, row.status, row.category = theirs.provider_id, theirs.status, theirs.category
    row.correct_category, row.is_named, row.components = theirs.correct_category, theirs.is_named, theirs.components
    row.rejected_reason, row.quality = theirs.rejected_reason, theirs.quality
    has_changed = before != _told(row)
    was_paused = row.paused_at is not None
    if _may_go_on(row, has_changed=has_changed, real=real):
        row.paused_at, row.paused_reason = None, ""
    row.synced_at = now
    row.save()
    if has_changed or was_paused:
        tell_troubles(row, now=now)
    return has_changed


def _told(row: MessageTemplate) -> tuple[object, ...]:
    return (row.status, row.category, row.correct_category, row.is_named, row.components, row.rejected_reason)


def _may_go_on(row: MessageTemplate, *, has_changed: bool, real: datetime) -> bool:
    if row.paused_at is None or row.paused_reason == BY_STAFF or row.status != APPROVED:
        return False
    return has_changed or real - row.paused_at >= SHORTEST_PAUSE


def _mark_gone(row: MessageTemplate, *, now: datetime) -> bool:
    if row.status in GONE or row.synced_at > now:
        return False
    row.status, row.synced_at = DELETED, now
    row.save(update_fields=["status", "synced_at"])
    tell_troubles(row, now=now)
    return True


def tell_subscription(account: SendingAccount, *, is_subscribed: bool, now: datetime) -> None:
    """Without a subscription no receipt and no answer ever arrives, though every test at the provider's succeeds."""
    key = f"account:{account.pk}:not_subscribed"
    if is_subscribed:
        finish_tasks_of(account.clinic_id, unique_key=key, now=now)
    else:
        open_task(
            account.clinic_id, reason=TaskReason.ACCOUNT_TROUBLE, unique_key=key, detail="not_subscribed", now=now
        )
