"""What a message goes through when nothing goes wrong."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging import conf
from messaging.channels.base import FreeContent, Verdict
from messaging.contracts import Standing, Subject
from messaging.models import Contact, MessageState
from messaging.usecases.calling import make_calls
from messaging.usecases.outcomes import record_outcomes
from messaging.usecases.rounds import send_batch, send_batches
from tests.messaging.sending.drive import begin
from tests.messaging.sending.fakes import FakeChannel, FakeKind, again, attempts_of, refused, say, send, states_of


def test_a_queued_message_is_said_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)

    send(now=now)
    send(now=now)

    assert states_of(message) == (MessageState.ACCEPTED, ["accepted"])
    [call] = channel.calls
    assert call.phone == contact.address
    assert isinstance(call.content, FreeContent)
    [attempt] = attempts_of(message)
    assert call.attempt_id == attempt.pk
    assert attempt.text == call.content.body
    assert attempt.provider_message_id.startswith("wamid.")
    assert again(message).leased_until is None


def test_nothing_is_taken_whose_call_may_not_end_in_time(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    hurried = Deadline(conf.send_call_seconds())

    report = send_batch(real=clock.real(), now=now, deadline=hurried)

    assert (report.more, channel.calls) == (False, [])
    assert again(message).leased_until is None


def test_a_rounds_counts_say_what_became_of_each(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(4)]
    kind.standings = {messages[0].pk: Standing.skipped("moved"), messages[1].pk: Standing.held("quiet_hours")}
    channel.script = [refused(Verdict.RETRY)]

    report = send(now=now)

    assert report.counts == {
        "messages_skip": 1,
        "messages_hold": 1,
        "messages_retry": 1,
        "messages_accepted": 1,
    }


def test_a_wave_of_many_takes_as_many_queries_as_one(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    """Outcomes are written down as they come; here they come together."""

    def cost(count: int, start: int) -> int:
        for number in range(start, start + count):
            say(clinic, subject=Subject("visit", str(number)), now=now)
        with CaptureQueriesContext(connection) as queries:
            calls = begin(now=now)
            answers = [called for group in make_calls(calls) for called in group]
            record_outcomes(answers, real=now, now=now)
        assert len(calls) == count
        return len(queries)

    assert cost(1, 0) == cost(8, 100)


def test_a_step_of_the_tick_sends_more_than_one_wave(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    many = 2 * conf.send_threads() + 1
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(many)]

    report = send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) == many
    assert {again(message).state for message in messages} == {"accepted"}
    assert report.counts["messages_accepted"] == many
