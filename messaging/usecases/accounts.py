"""Pausing and resuming a clinic's sending account."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from messaging.channels.base import Outcome
from messaging.contracts import Subject, TaskReason
from messaging.models import AccountState, Attempt, SendingAccount
from messaging.usecases.tasks import finish_tasks_of, open_task

BY_STAFF = "by_staff"


@transaction.atomic
def pause_after_refusal(attempt: Attempt, outcome: Outcome, *, real: datetime, now: datetime) -> None:
    """The provider says the account is out of order: its messages wait, and staff hear of it once per episode.

    An attempt begun before the last resume says nothing about the account as it is now.
    """
    account = (
        SendingAccount.objects.for_clinic(attempt.clinic_id).select_for_update(no_key=True).get(pk=attempt.account_id)
    )
    if account.state == AccountState.PAUSED or (account.ramp_from and attempt.started_at < account.ramp_from):
        return
    wait = timedelta(seconds=outcome.after_seconds) if outcome.after_seconds else None
    pause_locked(account, reason=outcome.code, detail=outcome.detail, resume_at=real + wait if wait else None, now=now)
    open_task(
        account.clinic_id,
        reason=TaskReason.ACCOUNT_TROUBLE,
        unique_key=task_key(account),
        subject=Subject("account", str(account.pk)),
        detail=outcome.code,
        now=now,
    )


@transaction.atomic
def pause_account(clinic_id: int, *, account_id: int, reason: str, actor: Actor, now: datetime) -> bool:
    """Staff stop one account. False when it was paused already."""
    account = lock_account(clinic_id, account_id)
    if account.state == AccountState.PAUSED:
        return False
    pause_locked(account, reason=BY_STAFF, detail=reason, resume_at=None, now=now)
    audit.record(actor, clinic=account.clinic, action="account.paused", subject=account, reason=reason, now=now)
    return True


@transaction.atomic
def resume_account(clinic_id: int, *, account_id: int, actor: Actor, real: datetime, now: datetime) -> bool:
    """Let it go on, slowly at first. Its messages stay held until the next tick looks at them. False when it was not paused."""
    account = lock_account(clinic_id, account_id)
    if account.state == AccountState.ACTIVE:
        return False
    resume_locked(account, real=real, now=now)
    audit.record(actor, clinic=account.clinic, action="account.resumed", subject=account, now=now)
    return True


@transaction.atomic
def resume_accounts_that_may(*, real: datetime, now: datetime) -> int:
    """Those for which the provider said when. Returns how many."""
    accounts = list(
        SendingAccount.unscoped.select_for_update(skip_locked=True, no_key=True).filter(
            state=AccountState.PAUSED, resume_at__lte=real
        )
    )
    for account in accounts:
        resume_locked(account, real=real, now=now)
    return len(accounts)


def lock_account(clinic_id: int, account_id: int) -> SendingAccount:
    accounts = SendingAccount.objects.for_clinic(clinic_id).select_for_update(no_key=True, of=("self",))
    return accounts.select_related("clinic").get(pk=account_id)


def pause_locked(
    account: SendingAccount, *, reason: str, detail: str, resume_at: datetime | None, now: datetime
) -> None:
    account.state = AccountState.PAUSED
    account.paused_at = now
    account.paused_reason = reason[:64]
    account.paused_detail = detail[:300]
    account.resume_at = resume_at
    account.save(update_fields=["state", "paused_at", "paused_reason", "paused_detail", "resume_at"])


def resume_locked(account: SendingAccount, *, real: datetime, now: datetime) -> None:
    account.state = AccountState.ACTIVE
    account.paused_at = account.resume_at = None
    account.paused_reason = account.paused_detail = ""
    account.ramp_from = real
    account.save(update_fields=["state", "paused_at", "paused_reason", "paused_detail", "resume_at", "ramp_from"])
    finish_tasks_of(account.clinic_id, unique_key=task_key(account), now=now)


def task_key(account: SendingAccount) -> str:
    return f"account:{account.pk}"
