"""Receipts for ids that no attempt has, yet: kept without addresses, and matched when an attempt gets the id."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from messaging.channels.base import Outcome, ReceiptFact, Verdict
from messaging.models import ParkedReceipt, SendingAccount


def park(facts: Iterable[ReceiptFact], accounts: dict[int, SendingAccount], *, now: datetime) -> None:
    """Once per id and status. Receipts of accounts that are gone are dropped."""
    ParkedReceipt.objects.bulk_create(
        (_row(fact, accounts[fact.account_id], now=now) for fact in facts if fact.account_id in accounts),
        ignore_conflicts=True,
    )


def restore(parked: ParkedReceipt) -> ReceiptFact:
    failure = parked.fact["failure"]
    return ReceiptFact(
        account_id=parked.account_id,
        attempt_id=None,
        provider_message_id=parked.provider_message_id,
        status=parked.status,
        happened_at=datetime.fromisoformat(parked.fact["happened_at"]),
        failure=Outcome(**{**failure, "verdict": Verdict(failure["verdict"])}) if failure else None,
        price_category=parked.fact["price_category"],
        is_billable=parked.fact["is_billable"],
    )


def _row(fact: ReceiptFact, account: SendingAccount, *, now: datetime) -> ParkedReceipt:
    return ParkedReceipt(
        clinic_id=account.clinic_id,
        channel=account.channel,
        account=account,
        provider_message_id=fact.provider_message_id,
        status=fact.status,
        fact={
            "happened_at": fact.happened_at.isoformat(),
            "failure": _failure(fact.failure) if fact.failure else None,
            "price_category": fact.price_category,
            "is_billable": fact.is_billable,
        },
        parked_at=now,
    )


def _failure(failure: Outcome) -> dict[str, Any]:
    return {
        "verdict": failure.verdict,
        "code": failure.code,
        "detail": failure.detail,
        "after_seconds": failure.after_seconds,
        "is_vague": failure.is_vague,
    }
