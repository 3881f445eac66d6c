"""Recording what calls came to. An outcome is a fact about its attempt, whatever has become of the lease meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from messaging import ranks
from messaging.channels.base import Outcome, Verdict
from messaging.models import Attempt, AttemptState, Message
from messaging.usecases.aftermath import Aftermath
from messaging.usecases.calling import Called
from messaging.usecases.changing import Entry, lock_entries, save
from messaging.usecases.reactions import BACKOFF, PROVABLY_NOT_TAKEN, UNCHARGED
from messaging.usecases.settling import fail_attempt, save_attempts, settle


def record_outcomes(called: Sequence[Called], *, real: datetime, now: datetime) -> None:
    """One transaction for what has come in, then what it means for accounts, templates and contacts."""
    aftermath = Aftermath()
    with transaction.atomic():
        entries = lock_entries(one.call.message_id for one in called)
        touched = []
        for one in called:
            entry = entries[one.call.message_id]
            attempt = next(attempt for attempt in entry.attempts if attempt.pk == one.call.attempt_id)
            touched.append(attempt)
            _apply(entry, attempt, one.outcome, aftermath, now=now)
        save_attempts(touched)
        save([entry.message for entry in entries.values()])
    aftermath.apply(real=real, now=now)


def _apply(entry: Entry, attempt: Attempt, outcome: Outcome | None, aftermath: Aftermath, *, now: datetime) -> None:
    known = AttemptState(attempt.state)
    has_failed = False
    if outcome is not None and outcome.verdict == Verdict.ACCEPTED:
        attempt.state = ranks.raised(known, AttemptState.ACCEPTED)
        attempt.accepted_at = attempt.accepted_at or now
        attempt.provider_message_id = attempt.provider_message_id or outcome.provider_message_id
    elif ranks.is_refusable(known) and outcome is not None and outcome.verdict == Verdict.UNKNOWN:
        attempt.state = AttemptState.UNKNOWN
        attempt.failure_code, attempt.failure_detail = outcome.code[:32], outcome.detail[:300]
    elif ranks.is_refusable(known):
        _fail(entry, attempt, outcome, now=now)
        has_failed = True
    if outcome is not None:
        aftermath.note(attempt, outcome)
    settle(entry, has_failed=has_failed, failure=outcome if attempt is entry.latest else None, now=now)


def _fail(entry: Entry, attempt: Attempt, outcome: Outcome | None, *, now: datetime) -> None:
    verdict, code, detail = (outcome.verdict, outcome.code, outcome.detail) if outcome else (Attempt.NOT_SENT, "", "")
    fail_attempt(attempt, verdict=verdict, code=code, detail=detail, at=now)
    if attempt.possibly_twice and verdict in PROVABLY_NOT_TAKEN:
        _give_the_second_chance_back(entry.message, verdict, outcome, now=now)


def _give_the_second_chance_back(message: Message, verdict: str, outcome: Outcome | None, *, now: datetime) -> None:
    """It was not used: the evidence is weighed once more, after the wait that the provider's trouble asks for."""
    message.was_sent_once_more = False
    if verdict in UNCHARGED:
        return
    message.tries += 1
    asked_for = (outcome.after_seconds or 0.0) if outcome else 0.0
    message.due_at = now + timedelta(seconds=BACKOFF.seconds_after(message.tries, at_least_seconds=asked_for))
