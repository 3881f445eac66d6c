"""Messages in doubt: once more, once, or a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging import contracts
from messaging.channels.base import Verdict
from messaging.contracts import Standing, Subject
from messaging.models import (
    Attempt,
    Contact,
    Message,
    MessageState,
    StaffTask,
    WebhookProbe,
)
from messaging.usecases.sending import send_again
from messaging.usecases.switches import throw_switch
from tests.messaging.sending.drive import is_sent_once_more, put_in_doubt, resolve
from tests.messaging.sending.fakes import (
    KIND,
    FakeChannel,
    FakeKind,
    again,
    apply_receipt,
    attempts_of,
    receipt,
    refused,
    say,
    send,
    states_of,
)

MINUTE = timedelta(minutes=1)


def our_webhook_was_down(message: Message) -> None:
    WebhookProbe.objects.filter(probed_at__gt=clock.real() - 3 * MINUTE).update(was_up=False)


def its_kind_forbids_it(message: Message) -> None:
    contracts._kinds[KIND] = replace(contracts._kinds[KIND], once_more=False)


def it_was_sent_once_more_before(message: Message) -> None:
    Message.unscoped.filter(pk=message.pk).update(was_sent_once_more=True)


@pytest.mark.parametrize("lacks", [our_webhook_was_down, its_kind_forbids_it, it_was_sent_once_more_before])
def test_what_can_never_be_known_becomes_a_task_at_once(
    message: Message, evidence: Message, clinic: Clinic, now: datetime, lacks: Callable[[Message], None]
) -> None:
    lacks(message)

    resolve(now=now)
    resolve(now=now)

    [task] = StaffTask.objects.for_clinic(clinic)
    assert (task.reason, task.message_id) == ("not_known_whether_sent", message.pk)
    assert again(message).reason == "needs_person"


def test_what_may_still_show_is_waited_for_and_then_becomes_a_task(
    message: Message, clinic: Clinic, now: datetime
) -> None:
    WebhookProbe.objects.bulk_create(
        WebhookProbe(probed_at=clock.real() - minute * MINUTE, was_up=True) for minute in range(90)
    )
    resolve(now=now)
    assert not StaffTask.objects.for_clinic(clinic).exists()

    Attempt.unscoped.filter(message=message).update(started_at=clock.real() - 61 * MINUTE)
    resolve(now=now)

    assert StaffTask.objects.for_clinic(clinic).get().reason == "not_known_whether_sent"
    assert again(message).state == MessageState.UNKNOWN


def test_a_receipt_ends_the_doubt_and_the_task(
    message: Message, evidence: Message, clinic: Clinic, now: datetime
) -> None:
    its_kind_forbids_it(message)
    resolve(now=now)

    [attempt] = attempts_of(message)
    apply_receipt(receipt(attempt, "delivered", at=now), now=now)

    assert states_of(message) == (MessageState.DELIVERED, ["delivered"])
    assert StaffTask.objects.for_clinic(clinic).get().state == "done"


def test_once_more_is_once_even_when_that_too_is_in_doubt(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    channel.script = [refused(Verdict.UNKNOWN)]
    assert is_sent_once_more(message, channel, now=now)
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown", "unknown"])
    Attempt.unscoped.filter(message=message).update(started_at=clock.real() - 12 * MINUTE)

    assert not is_sent_once_more(message, channel, now=now)

    assert StaffTask.objects.for_clinic(clinic).get().reason == "not_known_whether_sent"


def test_a_new_generation_may_go_once_more_again(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    it_was_sent_once_more_before(message)
    newer_id = send_again(clinic.pk, message_id=message.pk, reason="nothing came", actor=Actor.system(), now=now)
    newer = Message.unscoped.get(pk=newer_id)
    put_in_doubt(newer, now=now)
    Attempt.unscoped.filter(message=newer).update(started_at=clock.real() - 12 * MINUTE)

    assert is_sent_once_more(newer, channel, now=now)
    assert len(attempts_of(newer)) == 2
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])


def test_what_staff_sent_again_is_not_sent_once_more_as_well(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    send_again(clinic.pk, message_id=message.pk, reason="nothing came", actor=Actor.system(), now=now)
    while send(now=now).more:
        pass

    assert not is_sent_once_more(message, channel, now=now)

    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])
    assert not StaffTask.objects.for_clinic(clinic).exists()


def test_what_is_no_longer_true_does_not_go_once_more(
    message: Message, evidence: Message, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    kind.standing = Standing.skipped("moved")

    assert not is_sent_once_more(message, channel, now=now)

    assert again(message).state == MessageState.UNKNOWN


def test_a_thrown_switch_leaves_the_second_chance_unspent(
    message: Message, evidence: Message, channel: FakeChannel, now: datetime
) -> None:
    throw_switch(None, reason="drill", actor=Actor.system(), now=now)

    assert not is_sent_once_more(message, channel, now=now)

    assert not again(message).was_sent_once_more
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])


def test_a_second_chance_that_was_never_called_is_not_spent(
    message: Message, evidence: Message, channel: FakeChannel, now: datetime, settings: Settings
) -> None:
    settings.SEND_LEASE_SECONDS = 1  # Less than a call takes: nothing may begin.
    resolve(now=now)
    send(now=now)
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown", "failed"])
    assert not again(message).was_sent_once_more

    settings.SEND_LEASE_SECONDS = 30
    assert is_sent_once_more(message, channel, now=now)


def test_a_second_chance_that_the_provider_did_not_take_comes_again_later(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    channel.script = [refused(Verdict.RETRY, after_seconds=60)]
    assert is_sent_once_more(message, channel, now=now)
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown", "failed"])

    assert not is_sent_once_more(message, channel, now=now + timedelta(seconds=59))
    assert is_sent_once_more(message, channel, now=now + timedelta(seconds=120))

    assert states_of(message) == (MessageState.ACCEPTED, ["unknown", "failed", "accepted"])
    assert not StaffTask.objects.for_clinic(clinic).exists()


def test_a_second_chance_that_failed_after_it_was_taken_is_spent(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    assert is_sent_once_more(message, channel, now=now)
    second = attempts_of(message)[1]
    apply_receipt(receipt(second, "failed", at=now, failure=refused(Verdict.RETRY)), now=now)
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown", "failed"])

    assert not is_sent_once_more(message, channel, now=now + timedelta(minutes=5))

    assert StaffTask.objects.for_clinic(clinic).get().reason == "not_known_whether_sent"


def test_many_in_doubt_take_as_many_queries_as_one(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    def cost(count: int, start: int) -> int:
        for number in range(start, start + count):
            put_in_doubt(say(clinic, subject=Subject("visit", f"n{number}"), now=now), now=now, began=12 * MINUTE)
        WebhookProbe.objects.bulk_create(
            WebhookProbe(probed_at=clock.real() - minute * MINUTE, was_up=True) for minute in range(13)
        )
        with CaptureQueriesContext(connection) as queries:
            resolve(now=now)
        return len(queries)

    assert cost(1, 0) == cost(20, 100)
