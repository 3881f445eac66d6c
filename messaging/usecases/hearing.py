"""Taking in what a provider says of one attempt, whose message is locked."""

from __future__ import annotations

from datetime import datetime

from messaging import ranks
from messaging.channels.base import Outcome, ReceiptFact, Verdict
from messaging.models import Attempt, AttemptState
from messaging.usecases.aftermath import Aftermath
from messaging.usecases.changing import Entry
from messaging.usecases.settling import fail_attempt, settle

NO_REASON = Outcome(verdict=Verdict.REJECTED)


def hear(entry: Entry, attempt: Attempt, fact: ReceiptFact, aftermath: Aftermath, *, now: datetime) -> bool:
    """Whether it was news for the message. The caller saves both; the same receipt again changes nothing.

    Each kind of receipt keeps its own time, whatever the order in which they come.
    """
    said = AttemptState(fact.status)
    known = AttemptState(attempt.state)
    attempt.has_receipt = True
    attempt.provider_message_id = attempt.provider_message_id or fact.provider_message_id
    attempt.price_category = fact.price_category or attempt.price_category
    attempt.is_billable = fact.is_billable if fact.is_billable is not None else attempt.is_billable
    raised = ranks.raised(known, said)
    if said == AttemptState.FAILED:
        return raised != known and _failed(entry, attempt, fact, aftermath, now=now)
    _note_time(attempt, said, at=fact.happened_at)
    attempt.state = raised
    if known == AttemptState.UNKNOWN:
        aftermath.note_landing(attempt, at=fact.happened_at)
    if raised != known and said in (AttemptState.DELIVERED, AttemptState.READ):
        aftermath.note_arrival(attempt)
    return settle(entry, now=now)


def _failed(entry: Entry, attempt: Attempt, fact: ReceiptFact, aftermath: Aftermath, *, now: datetime) -> bool:
    failure = fact.failure or NO_REASON
    fail_attempt(attempt, verdict=failure.verdict, code=failure.code, detail=failure.detail, at=fact.happened_at)
    aftermath.note(attempt, failure)
    return settle(entry, has_failed=True, failure=failure if attempt is entry.latest else None, now=now)


def _note_time(attempt: Attempt, said: AttemptState, *, at: datetime) -> None:
    name = {AttemptState.SENT: "sent_at", AttemptState.DELIVERED: "delivered_at", AttemptState.READ: "read_at"}[said]
    if getattr(attempt, name) is None:
        setattr(attempt, name, at)
