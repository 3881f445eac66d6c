"""What the absence of a receipt is worth: each piece of evidence, taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.models import Clinic
from messaging import contracts
from messaging.contracts import Person, Subject
from messaging.models import (
    Attempt,
    Message,
    MessageState,
    SendingAccount,
    StaffTask,
    WebhookCall,
    WebhookItem,
    WebhookProbe,
)
from messaging.usecases.evidence import Evidence
from tests.factories import ClinicFactory, ContactFactory, SendingAccountFactory
from tests.messaging.sending.drive import is_sent_once_more, put_in_doubt
from tests.messaging.sending.fakes import (
    KIND,
    FakeChannel,
    FakeKind,
    again,
    attempts_of,
    open_window,
    say,
    states_of,
)

MINUTE = timedelta(minutes=1)


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
    WebhookCall.objects.create(begun_at=clock.real() - 3 * MINUTE, status=500)


def a_signed_call_was_cut_off(message: Message) -> None:
    WebhookCall.objects.create(begun_at=clock.real() - 3 * MINUTE)


def a_signed_call_is_under_way(message: Message) -> None:
    WebhookCall.objects.create(begun_at=clock.real())


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
        a_signed_call_was_cut_off,
        a_signed_call_is_under_way,
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


def test_a_call_under_way_is_waited_for_and_then_says_nothing(
    message: Message, evidence: Message, channel: FakeChannel, clinic: Clinic, now: datetime
) -> None:
    a_signed_call_is_under_way(message)
    assert not is_sent_once_more(message, channel, now=now)
    assert not StaffTask.objects.for_clinic(clinic).exists()

    WebhookCall.objects.all().delete()

    assert is_sent_once_more(message, channel, now=now)


@pytest.mark.parametrize("happened", [a_signed_call_was_refused, a_signed_call_was_cut_off])
def test_a_call_that_failed_is_waited_for_as_it_comes_again(
    message: Message,
    evidence: Message,
    channel: FakeChannel,
    clinic: Clinic,
    now: datetime,
    happened: Callable[[Message], None],
) -> None:
    happened(message)
    assert not is_sent_once_more(message, channel, now=now)
    assert not StaffTask.objects.for_clinic(clinic).exists()

    WebhookCall.objects.all().delete()

    assert is_sent_once_more(message, channel, now=now)


def test_a_call_cut_off_before_an_attempt_began_says_nothing_about_it(
    message: Message, evidence: Message, channel: FakeChannel, now: datetime
) -> None:
    WebhookCall.objects.create(begun_at=clock.real() - 13 * MINUTE)

    assert is_sent_once_more(message, channel, now=now)


def test_a_call_that_is_stored_while_the_evidence_is_read_is_seen_as_one_or_the_other(message: Message) -> None:
    """Calls are read before the items: what has gone from the one is in the other."""
    with CaptureQueriesContext(connection) as queries:
        Evidence.gather(attempts_of(message), real=clock.real())

    tables = [query["sql"] for query in queries]
    [calls] = [number for number, sql in enumerate(tables) if "messaging_webhookcall" in sql]
    [items] = [number for number, sql in enumerate(tables) if "messaging_webhookitem" in sql]
    assert calls < items
