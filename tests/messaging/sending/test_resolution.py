"""What the absence of a receipt is worth."""

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
from messaging.contracts import Person, Standing, Subject
from messaging.models import (
    Attempt,
    Contact,
    Message,
    MessageState,
    SendingAccount,
    StaffTask,
    WebhookItem,
    WebhookProbe,
    WebhookRefusal,
)
from messaging.usecases.resolution import resolve_messages_in_doubt
from messaging.usecases.sending import send_again
from messaging.usecases.switches import throw_switch
from tests.factories import ClinicFactory, ContactFactory, SendingAccountFactory
from tests.messaging.sending.drive import put_in_doubt
from tests.messaging.sending.fakes import (
    KIND,
    FakeChannel,
    FakeKind,
    again,
    apply_receipt,
    attempts_of,
    open_window,
    receipt,
    refused,
    say,
    send,
    states_of,
)

LATER = Subject("visit", "later", 1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def message(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> Message:
    """In doubt for twelve minutes."""
    message = say(clinic, now=now)
    put_in_doubt(message, now=now, began=12 * MINUTE)
    return message


@pytest.fixture
def evidence(message: Message, clinic: Clinic, channel: FakeChannel, now: datetime) -> Message:
    """All that can be had: our webhook was up each minute, and a later attempt of the account has its receipt."""
    real = clock.real()
    WebhookProbe.objects.bulk_create(
        WebhookProbe(probed_at=real - minute * MINUTE, was_up=True) for minute in range(13)
    )
    later = say(clinic, subject=LATER, now=now)
    send(now=now)
    [attempt] = attempts_of(later)
    Attempt.unscoped.filter(pk=attempt.pk).update(started_at=real - 5 * MINUTE)
    apply_receipt(receipt(attempt, "sent", at=now), now=now)
    return later


def resolve(*, now: datetime) -> int:
    return resolve_messages_in_doubt(real=clock.real(), now=now)


def is_sent_once_more(message: Message, channel: FakeChannel, *, now: datetime) -> bool:
    """Resolve, send what is queued, and see whether it was called again."""
    calls = len(channel.calls)
    resolve(now=now)
    while send(now=now).more:
        pass
    return len(channel.calls) > calls


def test_with_all_the_evidence_it_goes_once_more_and_the_story_says_so(
    message: Message, evidence: Message, channel: FakeChannel, now: datetime
) -> None:
    assert is_sent_once_more(message, channel, now=now)

    assert states_of(message) == (MessageState.ACCEPTED, ["unknown", "accepted"])
    assert [attempt.possibly_twice for attempt in attempts_of(message)] == [False, True]


def grace_is_not_over(message: Message) -> None:
    Attempt.unscoped.filter(message=message).update(started_at=clock.real() - 9 * MINUTE)


def no_later_attempt_has_its_receipt(message: Message) -> None:
    Attempt.unscoped.exclude(message=message).update(has_receipt=False)


def only_an_earlier_attempt_has_its_receipt(message: Message) -> None:
    Attempt.unscoped.exclude(message=message).update(started_at=clock.real() - 20 * MINUTE)


def a_fetch_of_our_webhook_failed(message: Message) -> None:
    WebhookProbe.objects.filter(
        probed_at__lt=clock.real() - 6 * MINUTE, probed_at__gt=clock.real() - 8 * MINUTE
    ).update(was_up=False)


def ticks_were_missing(message: Message) -> None:
    WebhookProbe.objects.filter(
        probed_at__lt=clock.real() - 5 * MINUTE, probed_at__gt=clock.real() - 9 * MINUTE
    ).delete()


def no_tick_since_it_began(message: Message) -> None:
    WebhookProbe.objects.all().delete()


def the_last_fetch_is_old(message: Message) -> None:
    WebhookProbe.objects.filter(probed_at__gt=clock.real() - 4 * MINUTE).delete()


def a_signed_call_was_refused(message: Message) -> None:
    WebhookRefusal.objects.create(refused_at=clock.real() - 3 * MINUTE, status=500)


def an_item_is_unread(message: Message) -> None:
    account = SendingAccount.unscoped.get()
    WebhookItem.objects.create(
        clinic_id=account.clinic_id,
        account=account,
        provider="whatsapp",
        field="messages",
        unique_key="s:wamid.x:sent",
        received_at=clock.real(),
    )


def its_kind_forbids_it(message: Message) -> None:
    contracts._kinds[KIND] = replace(contracts._kinds[KIND], once_more=False)


def it_was_sent_once_more_before(message: Message) -> None:
    Message.unscoped.filter(pk=message.pk).update(was_sent_once_more=True)


@pytest.mark.parametrize(
    "lacks",
    [
        grace_is_not_over,
        no_later_attempt_has_its_receipt,
        only_an_earlier_attempt_has_its_receipt,
        a_fetch_of_our_webhook_failed,
        ticks_were_missing,
        no_tick_since_it_began,
        the_last_fetch_is_old,
        a_signed_call_was_refused,
        an_item_is_unread,
        its_kind_forbids_it,
        it_was_sent_once_more_before,
    ],
)
def test_without_one_piece_of_evidence_it_stays_unknown(
    message: Message, evidence: Message, channel: FakeChannel, now: datetime, lacks: Callable[[Message], None]
) -> None:
    lacks(message)

    assert not is_sent_once_more(message, channel, now=now)

    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])


def test_a_receipt_of_another_account_proves_nothing(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    other = SendingAccountFactory.create(clinic=clinic)
    Attempt.unscoped.filter(message=evidence).update(account=other)

    assert not is_sent_once_more(message, channel, now=now)


def test_each_account_needs_evidence_of_its_own(
    message: Message, evidence: Message, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    elsewhere = ClinicFactory.create()
    SendingAccountFactory.create(clinic=elsewhere)
    mother, hers = Person("patient", 9), ContactFactory.create(clinic=elsewhere)
    open_window(hers, at=now)
    kind.contacts[mother] = (hers.pk,)
    other = say(elsewhere, person=mother, now=now)
    put_in_doubt(other, now=now, began=12 * MINUTE)

    assert is_sent_once_more(message, channel, now=now)

    assert again(message).state == MessageState.ACCEPTED
    assert states_of(other) == (MessageState.UNKNOWN, ["unknown"])


def test_a_receipt_says_nothing_about_an_attempt_that_began_after_it(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    younger = say(clinic, subject=Subject("visit", "younger"), now=now)
    put_in_doubt(younger, now=now, began=11 * MINUTE)
    Attempt.unscoped.filter(message=evidence).update(started_at=clock.real() - 11.5 * MINUTE)

    assert is_sent_once_more(message, channel, now=now)

    assert again(message).state == MessageState.ACCEPTED
    assert states_of(younger) == (MessageState.UNKNOWN, ["unknown"])


@pytest.mark.parametrize("lacks", [a_fetch_of_our_webhook_failed, its_kind_forbids_it, it_was_sent_once_more_before])
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
