"""Threads that call: no database, no open transaction, all at once."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, connection

from clinicbot import clock
from clinicbot.models import Clinic
from messaging.channels.base import OutboundMessage, Outcome, Verdict
from messaging.contracts import Subject
from messaging.errors import DatabaseInSendThreadError
from messaging.models import Contact, Message, MessageState, SendingAccount
from messaging.usecases.calling import make_calls
from messaging.usecases.rescuing import rescue_cut_off
from tests.messaging.sending.drive import begin
from tests.messaging.sending.fakes import FakeChannel, again, attempts_of, say, send, void


def test_a_thread_that_asks_the_database_raises(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    caught: list[BaseException] = []

    def ask(message: OutboundMessage) -> None:
        try:
            Message.unscoped.count()
        except DatabaseInSendThreadError as error:
            caught.append(error)

    channel.during = ask
    say(clinic, now=now)

    send(now=now)

    assert len(caught) == 1


def test_the_calls_of_a_wave_are_made_at_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    together = threading.Barrier(8, timeout=10)
    channel.during = lambda message: void(together.wait())
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(8)]

    send(now=now)

    assert {again(message).state for message in messages} == {MessageState.ACCEPTED}


def test_each_outcome_is_written_down_as_it_comes(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    slow, quick = (say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(2))
    calls = begin(now=now)
    slow_attempt = attempts_of(slow)[0].pk
    go_on = threading.Event()
    channel.during = lambda message: void(message.attempt_id != slow_attempt or go_on.wait(10))

    answers = make_calls(calls)
    assert [called.call.message_id for called in next(answers)] == [quick.pk]
    go_on.set()
    assert [called.call.message_id for called in next(answers)] == [slow.pk]


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_during_a_call(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    mine = connection
    open_ones: list[bool] = []
    driver = mine.connection
    channel.during = lambda message: open_ones.append(driver.info.transaction_status != 0)
    say(clinic, now=now)

    send(now=now)

    assert open_ones == [False]


@pytest.mark.django_db(transaction=True)
def test_fifty_sends_leave_no_connection_behind(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    SendingAccount.unscoped.update(rate_per_second=1_000)  # The bucket is not what this is about.
    for number in range(50):
        say(clinic, subject=Subject("visit", str(number)), now=now)

    while send(now=now).more:
        pass

    assert len(channel.calls) == 50
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        assert cursor.fetchone() == (1,)


def test_of_ten_the_sixth_fails_and_costs_nobody_else(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(10)]
    channel.script = [Outcome(verdict=Verdict.ACCEPTED, provider_message_id=f"wamid.f{n}") for n in range(5)]
    channel.script.append(Outcome(verdict=Verdict.RETRY))

    while send(now=now).more:
        pass

    states = [again(message).state for message in messages]
    assert sorted(states) == ["accepted"] * 9 + ["queued"]
    assert len(channel.calls) == 10


def test_an_outcome_that_cannot_be_written_costs_no_other(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(3)]
    # A provider that names two messages alike: the second cannot be stored.
    channel.script = [Outcome(verdict=Verdict.ACCEPTED, provider_message_id=name) for name in ("a", "a", "b")]

    with pytest.raises(IntegrityError):
        send(now=now)

    assert sorted(again(message).state for message in messages) == ["accepted", "accepted", "sending"]
    rescue_cut_off(real=clock.real() + timedelta(hours=1), now=now)
    assert sorted(again(message).state for message in messages) == ["accepted", "accepted", "unknown"]


@pytest.mark.django_db(transaction=True)
def test_outcomes_survive_a_connection_that_broke_during_the_calls(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(3)]
    driver = connection.connection
    channel.during = lambda message: driver.close()  # As a restart of the server does.

    send(now=now)

    assert {again(message).state for message in messages} == {MessageState.ACCEPTED}


def test_what_one_call_finds_out_of_order_the_rest_does_not_try(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    for number in range(24):
        say(clinic, subject=Subject("visit", str(number)), now=now)
    calls = [call for _wave in range(3) for call in begin(now=now)]
    assert len(calls) == 24
    channel.script = [Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="190") for _ in calls]

    answers = [called.outcome for group in make_calls(calls) for called in group]

    assert len(channel.calls) <= 8  # As many as there are threads.
    assert answers.count(None) == 24 - len(channel.calls)
