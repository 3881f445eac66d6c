"""The provider's word on messages it took: twice, late, out of order, before our own answer is stored, for ids we never sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from clinicbot import clock
from clinicbot.any_of import AnyOf
from messaging.channels.base import ReceiptFact
from messaging.models import Attempt, Message, ParkedReceipt, SendingAccount
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
        news: dict[UUID, Message] = {}
        for position in sorted(found):
            attempt = attempts[found[position].pk]
            entry = entries[attempt.message_id]
            if hear(entry, attempt, facts[position], aftermath, now=now):
                news[entry.message.pk] = entry.message
        save_attempts([attempts[pk] for pk in {one.pk: None for one in found.values()}])
        save(list(news.values()))
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


class _Found(NamedTuple):
    pk: UUID
    message_id: UUID
    account_id: int
    provider_message_id: str


def _find_attempts(facts: Sequence[ReceiptFact]) -> Mapping[int, _Found]:
    """By the receipt's place in the list. One query where the provider echoes our ids, three where some are others' messages."""
    ids = {fact.attempt_id for fact in facts if fact.attempt_id}
    ours = {(one.account_id, one.pk): one for one in _found(AnyOf(Attempt, "pk", ids))}
    found = {
        position: ours[fact.account_id, fact.attempt_id]
        for position, fact in enumerate(facts)
        if fact.attempt_id and (fact.account_id, fact.attempt_id) in ours
    }
    rest = {position: fact for position, fact in enumerate(facts) if position not in found}
    if rest:
        theirs = _by_their_ids(list(rest.values()))
        keys = {position: (fact.account_id, fact.provider_message_id) for position, fact in rest.items()}
        found |= {position: theirs[key] for position, key in keys.items() if key in theirs}
    return found


def _by_their_ids(facts: Sequence[ReceiptFact]) -> Mapping[tuple[int, str], _Found]:
    """With the channel, which the index on the provider's ids begins with."""
    account_ids = {fact.account_id for fact in facts}
    channels = set(SendingAccount.unscoped.filter(pk__in=account_ids).values_list("channel", flat=True))
    ids = {fact.provider_message_id for fact in facts} - {""}
    if not ids:
        return {}
    found = _found(channel__in=channels, provider_message_id__in=ids, account_id__in=account_ids)
    return {(one.account_id, one.provider_message_id): one for one in found}


def _found(*named: AnyOf, **wanted: Any) -> list[_Found]:
    return [_Found(*row) for row in Attempt.unscoped.filter(*named, **wanted).values_list(*_Found._fields)]


def _park_the_rest(facts: Sequence[ReceiptFact], found: Mapping[int, _Found], *, now: datetime) -> None:
    rest = [fact for position, fact in enumerate(facts) if position not in found]
    if rest:
        accounts = SendingAccount.unscoped.filter(pk__in={fact.account_id for fact in rest}).defer("access_token")
        park(rest, {account.pk: account for account in accounts}, now=now)
