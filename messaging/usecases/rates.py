"""One bucket of messages per sending account, over all hosts: charged once per wave, the unspent part returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F

from clinicbot.bulk import save_columns
from messaging import conf
from messaging.models import SendingAccount
from messaging.reasons import Reason
from messaging.usecases.deciding import Decision, Fate

BURST_SECONDS = 1.0
RAMP_START_SHARE = 0.05
CHARGED = ("tokens", "tokens_at")
BUCKET = ("clinic_id", "rate_per_second", "ramp_from", *CHARGED)  # Not the secrets, which would be decrypted.


@dataclass(frozen=True, slots=True)
class Grant:
    """How many may go, and in how many seconds the next one may."""

    count: int
    next_in_seconds: float


def charge(wanted: Mapping[int, int], *, real: datetime) -> dict[int, Grant]:
    """By account. Locked in one order for a moment."""
    with transaction.atomic():
        accounts = list(SendingAccount.unscoped.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk"))
        grants = {}
        for account in accounts:
            tokens = tokens_of(account, real=real)
            count = min(wanted[account.pk], int(tokens))
            account.tokens, account.tokens_at = tokens - count, max(real, account.tokens_at or real)
            grants[account.pk] = Grant(count, seconds_until_one(account))
        save_columns(accounts, CHARGED)
    return grants


def too_fast(grant: Grant) -> Decision:
    return Decision(fate=Fate.WAIT, reason=Reason.TOO_FAST, after_seconds=grant.next_in_seconds)


def give_back(unspent: Mapping[int, int]) -> None:
    for account_id, count in sorted(unspent.items()):
        SendingAccount.unscoped.filter(pk=account_id).update(tokens=F("tokens") + count)


def dry_clinics(*, real: datetime) -> dict[int, float]:
    """Clinics with an account that may not send yet, and in how many seconds it may. One query, of the few last drained."""
    dry: dict[int, float] = {}
    for account in SendingAccount.unscoped.filter(tokens__lt=1, tokens_at__isnull=False).only(*BUCKET):
        account.tokens, account.tokens_at = tokens_of(account, real=real), real
        if wait := seconds_until_one(account):
            dry[account.clinic_id] = max(wait, dry.get(account.clinic_id, wait))
    return dry


def tokens_of(account: SendingAccount, *, real: datetime) -> float:
    """What has flowed in since it was last charged, up to a second's worth. A new bucket is full."""
    rate = rate_of(account, real=real)
    full = max(1.0, rate * BURST_SECONDS)
    if account.tokens_at is None:
        return full
    elapsed = max(0.0, (real - account.tokens_at).total_seconds())
    return min(full, account.tokens + elapsed * rate)


def rate_of(account: SendingAccount, *, real: datetime) -> float:
    """Messages a second: all of it, or after a resume a share that grows."""
    rate = max(account.rate_per_second, 0.01)
    if account.ramp_from is None:
        return rate
    elapsed = (real - account.ramp_from).total_seconds()
    return rate * min(1.0, max(RAMP_START_SHARE, elapsed / conf.ramp_seconds()))


def seconds_until_one(account: SendingAccount) -> float:
    """At its present rate. `tokens` must be up to date."""
    at = account.tokens_at
    if at is None or account.tokens >= 1.0:
        return 0.0
    return (1.0 - account.tokens) / rate_of(account, real=at)
