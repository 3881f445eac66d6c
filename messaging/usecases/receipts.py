"""The provider's word on messages it took: twice, late, out of order, before our own answer is stored, for ids we never sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from clinicbot import clock
from messaging.channels.base import ReceiptFact
from messaging.models import Attempt, ParkedReceipt, SendingAccount
from messaging.usecases.aftermath import Aftermath
from messaging.usecases.changing import lock_entries, save
from messaging.usecases.hearing import hear
from messaging.usecases.parking import park, restore
from messaging.usecases.settling import save_attempts

# Our answer is stored within minutes of the receipt, or never.
MATCH_FOR = timedelta(days=1)
MATCH_BATCH = 500


def apply_receipts(facts: Sequence[ReceiptFact], *, now: datetime) -> int:
    """In the order given; the number of queries does not grow with theirs. Returns how many found their attempt.

    Found by our own id, which the provider echoes, or by its id; and only from the account that the attempt was made with.
    """
    aftermath = Aftermath()
    with transaction.atomic():
        found = _find_attempts(facts)
        entries = lock_entries(attempt.message_id for attempt in found.values())
        attempts = {attempt.pk: attempt for entry in entries.values() for attempt in entry.attempts}
        for position, stale in found.items():
            attempt = attempts[stale.pk]
            hear(entries[attempt.message_id], attempt, facts[position], aftermath, now=now)
        save_attempts([attempts[attempt.pk] for attempt in {a.pk: a for a in found.values()}.values()])
        save([entry.message for entry in entries.values()])
        _park_the_rest(facts, found, now=now)
    aftermath.apply(real=clock.real(), now=now)
    return len(found)


def match_parked_receipts(*, now: datetime) -> int:
    """Give receipts that came too early to the attempts that have their id by now. Returns how many."""
    theirs = Attempt.unscoped.filter(
        account_id=OuterRef("account_id"),
        channel=OuterRef("channel"),
        provider_message_id=OuterRef("provider_message_id"),
    )
    matched = list(
        ParkedReceipt.unscoped.filter(Exists(theirs), parked_at__gt=now - MATCH_FOR).order_by("pk")[:MATCH_BATCH]
    )
    if matched:
        apply_receipts([restore(parked) for parked in matched], now=now)
        ParkedReceipt.unscoped.filter(pk__in=[parked.pk for parked in matched]).delete()
    return len(matched)


def _find_attempts(facts: Sequence[ReceiptFact]) -> Mapping[int, Attempt]:
    """By the receipt's place in the list."""
    wanted = Q(pk__in=[fact.attempt_id for fact in facts if fact.attempt_id]) | Q(
        provider_message_id__in=[fact.provider_message_id for fact in facts if fact.provider_message_id],
        account_id__in={fact.account_id for fact in facts},
    )
    attempts = list(Attempt.unscoped.filter(wanted).only("id", "message_id", "account_id", "provider_message_id"))
    by_id = {(attempt.account_id, attempt.pk): attempt for attempt in attempts}
    by_theirs = {(attempt.account_id, attempt.provider_message_id): attempt for attempt in attempts}
    found = {}
    for position, fact in enumerate(facts):
        attempt = by_id.get((fact.account_id, fact.attempt_id)) if fact.attempt_id else None
        attempt = attempt or by_theirs.get((fact.account_id, fact.provider_message_id))
        if attempt is not None:
            found[position] = attempt
    return found


def _park_the_rest(facts: Sequence[ReceiptFact], found: Mapping[int, Attempt], *, now: datetime) -> None:
    rest = [fact for position, fact in enumerate(facts) if position not in found]
    if rest:
        accounts = SendingAccount.unscoped.filter(pk__in={fact.account_id for fact in rest}).defer("access_token")
        park(rest, {account.pk: account for account in accounts}, now=now)
