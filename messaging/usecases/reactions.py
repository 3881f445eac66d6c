"""What a failure asks of us: try again, try otherwise, or tell a person. The latest attempt's failure decides."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from clinicbot.backoff import Backoff
from messaging.channels.base import Outcome, Verdict
from messaging.contracts import WindowState
from messaging.models import Attempt, AttemptState, MessageState
from messaging.reasons import Reason
from messaging.usecases.changing import Entry, move
from messaging.usecases.leasing import report_failure

UNCHARGED = frozenset({Attempt.NOT_SENT, Verdict.PAUSE_ACCOUNT, Verdict.PAUSE_TEMPLATE})
# As an answer to the call: the provider's own word that it has not got the message, or no connection at all.
PROVABLY_NOT_TAKEN = UNCHARGED | {Verdict.RETRY, Verdict.RETRY_RECIPIENT}
FREE, TEMPLATE = "free", "template"

# It lasts as long as the message is useful: an hour's outage must not lose a reminder.
BACKOFF = Backoff(base_seconds=5, cap_seconds=60)
MAX_VAGUE_TRIES = 4
# With less of the window left, a refusal that does not say why may well mean that by Meta's clock it is shut.
SURELY_OPEN_FOR = timedelta(hours=4)

React = Callable[[Entry, Attempt, Outcome | None, datetime], None]


def react(entry: Entry, failure: Outcome | None, *, now: datetime) -> None:
    """No attempt of the message can have arrived any more. Changes the message in hand; the caller saves it.

    failure: the latest attempt's, if it is what has just become known.
    """
    latest = entry.attempts[-1]
    if entry.message.superseded:
        move(entry.message, MessageState.FAILED, reason=Reason.SENT_AGAIN, now=now)
        return
    _REACTIONS.get(latest.failure_verdict, _give_up)(entry, latest, failure, now)


def _go_again(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    """Nothing is charged, and the wave judges anew: the account may be paused by then, or a template be missing."""
    move(entry.message, MessageState.QUEUED, reason=Reason.NOT_SENT, now=now)


def _retry(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    """Later. What failed after it was accepted, or for no reason given, is not tried for ever."""
    message = entry.message
    failed_later = [a for a in entry.attempts if a.has_receipt and a.state == AttemptState.FAILED]
    message.tries += 1
    is_vague = failure is not None and failure.is_vague
    if len(failed_later) > 1 or (is_vague and message.tries >= MAX_VAGUE_TRIES):
        _give_up(entry, latest, failure, now)
        return
    asked_for = (failure.after_seconds or 0.0) if failure else 0.0
    wait = timedelta(seconds=BACKOFF.seconds_after(message.tries, at_least_seconds=asked_for))
    move(message, MessageState.QUEUED, reason=Reason.RETRY, now=now)
    message.due_at = now + wait


def _retry_recipient(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    """The contact is slowed down as well, so that its other messages wait too; the wave sees to that."""
    asked_for = (failure.after_seconds or 0.0) if failure else 0.0
    move(entry.message, MessageState.QUEUED, reason=Reason.RETRY_RECIPIENT, now=now)
    entry.message.due_at = now + timedelta(seconds=max(asked_for, 1.0))


def _use_template(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    """Once: what is refused as a template too is refused."""
    if latest.mode == TEMPLATE:
        _fail(entry, Reason.REFUSED_AS_TEMPLATE, now=now)
        return
    entry.message.must_use_template = True
    move(entry.message, MessageState.QUEUED, reason=Reason.USE_TEMPLATE, now=now)


def _next_contact(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    """The wave looks for another contact, and gives up if there is none."""
    move(entry.message, MessageState.QUEUED, reason=Reason.NEXT_CONTACT, now=now)


def _opted_out(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    _fail(entry, Reason.OPTED_OUT, now=now)


def _rejected(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    if failure is not None and failure.is_vague and latest.mode == FREE and not _was_surely_open(latest):
        _use_template(entry, latest, failure, now)
        return
    _fail(entry, Reason.REJECTED, now=now)


def _give_up(entry: Entry, latest: Attempt, failure: Outcome | None, now: datetime) -> None:
    _fail(entry, Reason.NOT_DELIVERED, now=now)


def _fail(entry: Entry, reason: Reason, *, now: datetime) -> None:
    move(entry.message, MessageState.FAILED, reason=reason, now=now)
    report_failure(entry.message, now=now)


def _was_surely_open(attempt: Attempt) -> bool:
    heard_at = attempt.contact.last_inbound_at
    return heard_at is not None and heard_at + WindowState.LENGTH - attempt.said_at > SURELY_OPEN_FOR


_REACTIONS: dict[str, React] = {
    **dict.fromkeys(UNCHARGED, _go_again),
    Verdict.RETRY: _retry,
    Verdict.RETRY_RECIPIENT: _retry_recipient,
    Verdict.USE_TEMPLATE: _use_template,
    Verdict.OTHER_CHANNEL: _next_contact,
    Verdict.RECIPIENT_UNREACHABLE: _next_contact,
    Verdict.OPTED_OUT: _opted_out,
    Verdict.REJECTED: _rejected,
}
