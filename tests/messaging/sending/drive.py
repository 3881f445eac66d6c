"""The sender in slow motion: stopped between any two of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.models import Attempt, AttemptState, Message
from messaging.usecases.calling import Call, make_calls
from messaging.usecases.committing import commit_wave
from messaging.usecases.judging import judge
from messaging.usecases.leasing import lease_batch
from messaging.usecases.looking_again import look_at_held
from messaging.usecases.outcomes import record_outcomes
from messaging.usecases.rescuing import rescue_cut_off
from messaging.usecases.resolution import resolve_messages_in_doubt
from messaging.usecases.wave import as_call
from tests.messaging.sending.fakes import FakeChannel, send


def begin(*, now: datetime) -> list[Call]:
    """A wave up to its commit: the messages are `sending`, no call is made yet."""
    leased = lease_batch(resting=[], now=now)
    decisions = judge((row.message_id for row in leased), real=clock.real(), now=now)
    return [as_call(begun) for begun in commit_wave(leased, decisions, now=now)]


def finish(calls: Sequence[Call], *, now: datetime) -> None:
    """Make the calls and write down what they came to."""
    for group in make_calls(calls):
        record_outcomes(group, real=clock.real(), now=now)


def look(*, now: datetime) -> None:
    """A tick's look at all that is held."""
    deadline = Deadline(600)
    while look_at_held(real=clock.real(), now=now, deadline=deadline).more:
        pass


def put_in_doubt(message: Message, *, now: datetime, began: timedelta = timedelta(0)) -> Attempt:
    """Its process called the provider, and was killed before it could write down the answer."""
    [call] = [call for call in begin(now=now) if call.message_id == message.pk]
    list(make_calls([call]))
    rescue_cut_off(real=clock.real() + timedelta(hours=1), now=now)
    attempt = Attempt.unscoped.get(pk=call.attempt_id)
    assert attempt.state == AttemptState.UNKNOWN
    if began:
        Attempt.unscoped.filter(pk=attempt.pk).update(started_at=clock.real() - began)
        attempt.refresh_from_db()
    return attempt


def resolve(*, now: datetime) -> int:
    return resolve_messages_in_doubt(real=clock.real(), now=now)


def is_sent_once_more(message: Message, channel: FakeChannel, *, now: datetime) -> bool:
    """Resolve, send what is queued, and see whether it was called again."""
    calls = len(channel.calls)
    resolve(now=now)
    while send(now=now).more:
        pass
    return len(channel.calls) > calls
