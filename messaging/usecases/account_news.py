"""What the provider tells of an account and its number: it stops, it may go on, somebody should look."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from messaging.channels.whatsapp.webhook.news import AccountNews, AccountVerdict, NumberNews
from messaging.contracts import Subject, TaskReason
from messaging.models import AccountState, SendingAccount
from messaging.usecases.accounts import BY_STAFF, lock_account, pause_locked, resume_locked, task_key
from messaging.usecases.tasks import open_task


@transaction.atomic
def hear_of_account(account: SendingAccount, *, news: AccountNews, real: datetime, now: datetime) -> str:
    """Returns what became of it, as a stable word. News never undo what staff did."""
    locked = lock_account(account.clinic_id, account.pk)
    match news.verdict:
        case AccountVerdict.PAUSE:
            if locked.state == AccountState.ACTIVE:
                pause_locked(locked, reason=news.event.lower(), detail=news.detail, resume_at=news.until, now=now)
            _ask_staff(locked, unique_key=task_key(locked), event=news.event, now=now)
            return "paused"
        case AccountVerdict.RESUME:
            if locked.state == AccountState.PAUSED and locked.paused_reason != BY_STAFF:
                resume_locked(locked, real=real, now=now)
            return "resumed"
        case AccountVerdict.LOOK:
            _ask_staff(locked, unique_key=f"account:{locked.pk}:{news.event.lower()}", event=news.event, now=now)
            return "told_staff"
        case AccountVerdict.NOTHING:
            return "noted"


@transaction.atomic
def hear_of_number(account: SendingAccount, *, news: NumberNews, now: datetime) -> str:
    """A business account may have several numbers, and such news come for all of them."""
    locked = lock_account(account.clinic_id, account.pk)
    own = "".join(filter(str.isdigit, locked.display_address))
    if own and news.digits and own != news.digits:
        return "other_number"
    locked.quality = news.event
    locked.save(update_fields=["quality"])
    if news.is_trouble:
        _ask_staff(locked, unique_key=f"account:{locked.pk}:quality", event=news.event, now=now)
    return "applied"


def _ask_staff(account: SendingAccount, *, unique_key: str, event: str, now: datetime) -> None:
    open_task(
        account.clinic_id,
        reason=TaskReason.ACCOUNT_TROUBLE,
        unique_key=unique_key,
        subject=Subject("account", str(account.pk)),
        detail=event.lower(),
        now=now,
    )
