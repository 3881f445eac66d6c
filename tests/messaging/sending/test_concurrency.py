"""Several senders, rescuers and receipts at once, on real connections."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from pytest_django import Settings

from clinicbot import clock
from clinicbot.models import Clinic
from messaging.background import BackgroundSender, background_sender
from messaging.channels.base import OutboundMessage
from messaging.contracts import Person, Subject
from messaging.models import Attempt, Contact, Message, MessageState, SendingAccount
from messaging.usecases.sending import cancel_overtaken
from tests.messaging.sending.drive import look
from tests.messaging.sending.fakes import (
    PATIENT,
    FakeChannel,
    FakeKind,
    again,
    apply_receipt,
    receipt,
    say,
    send,
    states_of,
    void,
)

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*tasks: Callable[[], None]) -> None:
    failures: list[Exception] = []

    def run(task: Callable[[], None]) -> None:
        try:
            task()
        except Exception as error:  # noqa: BLE001 (told below, in the thread that can fail the test)
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[task]) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_four_senders_and_a_storm_of_receipts_say_each_message_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    SendingAccount.unscoped.update(rate_per_second=100_000)
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(120)]
    is_over = threading.Event()

    def send_all() -> None:
        idle = 0
        while idle < 3:
            idle = 0 if send(now=now, real=clock.real() + timedelta(hours=1)).more else idle + 1

    def listen() -> None:
        hear()
        connection.close()

    def hear() -> None:
        """Receipts twice, the later before the earlier, often before our own answer is stored."""
        while not is_over.is_set() or len(heard) < len(channel.calls):
            for call in channel.calls[len(heard) :]:
                attempt = Attempt.unscoped.get(pk=call.attempt_id)
                for word in ("delivered", "sent", "delivered"):
                    apply_receipt(receipt(attempt, word, at=now), now=now)
                heard.append(call.attempt_id)

    heard: list[object] = []
    listener = threading.Thread(target=listen)
    listener.start()
    at_once(*[send_all] * 4)
    is_over.set()
    listener.join()

    calls = Counter(Attempt.unscoped.get(pk=call.attempt_id).message_id for call in channel.calls)
    assert calls == {message.pk: 1 for message in messages}
    assert {again(message).state for message in messages} == {MessageState.DELIVERED}


def test_a_handler_that_overtakes_and_a_wave_that_begins_never_both_win(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    ends = Counter[tuple[str, int]]()
    for number in range(12):
        message = say(clinic, subject=Subject("visit", str(number), 1), now=now)
        calls = len(channel.calls)
        cancelled: list[int] = []
        start = threading.Barrier(2)

        def overtake(visit: int = number, start: threading.Barrier = start, cancelled: list[int] = cancelled) -> None:
            start.wait()
            cancelled.append(
                cancel_overtaken(
                    clinic.pk,
                    subject_type="visit",
                    subject_id=str(visit),
                    below_version=2,
                    person=PATIENT,
                    now=now,
                )
            )

        def begin(start: threading.Barrier = start) -> None:
            start.wait()
            send(now=now)

        at_once(overtake, begin)
        called = len(channel.calls) - calls
        assert called + cancelled[0] == 1
        ends[again(message).state, called] += 1

    assert set(ends) <= {("cancelled", 0), ("accepted", 1)}


def test_woken_often_the_background_sends_all_once_and_ends(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    real_now = clock.now()
    Contact.unscoped.update(last_inbound_at=real_now)
    messages = [say(clinic, subject=Subject("visit", str(number)), now=real_now) for number in range(20)]
    background = BackgroundSender()
    begun = threading.Event()
    go_on = threading.Event()

    def during(message: OutboundMessage) -> None:
        begun.set()
        go_on.wait(10)

    channel.during = during

    for _ in range(5):
        background.wake()
    assert begun.wait(10)
    background.wake()
    go_on.set()
    assert background.join(10)

    assert len(channel.calls) == 20
    assert {again(message).state for message in messages} == {MessageState.ACCEPTED}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        assert cursor.fetchone() == (1,)


def test_a_process_that_ends_waits_for_its_calls_and_begins_no_more(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    real_now = clock.now()
    Contact.unscoped.update(last_inbound_at=real_now)
    for number in range(20):
        say(clinic, subject=Subject("visit", str(number)), now=real_now)
    background = BackgroundSender()
    begun = threading.Semaphore(0)
    go_on = threading.Event()

    def during(message: OutboundMessage) -> None:
        begun.release()
        go_on.wait(10)

    channel.during = during
    background.wake()
    for _ in range(8):
        assert begun.acquire(timeout=10)

    ending = threading.Thread(target=background.finish)
    ending.start()
    ending.join(0.2)
    assert ending.is_alive()
    go_on.set()
    ending.join(10)

    assert len(channel.calls) == 8
    assert Counter(Message.unscoped.values_list("state", flat=True)) == {"accepted": 8, "queued": 12}


def test_two_looks_at_once_let_each_held_message_go_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    person = Person("patient", 8)
    kind.contacts[person] = (contact.pk,)
    messages = [say(clinic, subject=Subject("visit", str(n)), person=person, now=now) for n in range(20)]
    Message.unscoped.update(state=MessageState.HELD, reason="quiet_hours")

    at_once(lambda: look(now=now), lambda: look(now=now))
    while send(now=now).more:
        pass

    assert {states_of(message)[0] for message in messages} == {MessageState.ACCEPTED}
    assert len(channel.calls) == 20


def test_a_commit_wakes_the_sender_and_nobody_waits_for_it(
    clinic: Clinic, contact: Contact, channel: FakeChannel, settings: Settings
) -> None:
    settings.NUDGE = True
    real_now = clock.now()
    Contact.unscoped.update(last_inbound_at=real_now)
    go_on = threading.Event()
    channel.during = lambda message: void(go_on.wait(10))

    message = say(clinic, now=real_now)
    assert again(message).state in (MessageState.QUEUED, MessageState.SENDING)
    go_on.set()
    assert background_sender.join(10)

    assert states_of(message) == (MessageState.ACCEPTED, ["accepted"])


def test_where_nothing_is_due_a_commit_wakes_nobody(clinic: Clinic, contact: Contact, settings: Settings) -> None:
    settings.NUDGE = True
    before = threading.active_count()

    say(clinic, now=clock.now() + timedelta(hours=1))

    assert threading.active_count() == before
