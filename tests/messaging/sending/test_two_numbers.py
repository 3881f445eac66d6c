"""A clinic with two WhatsApp numbers: which of them a message goes from."""

from __future__ import annotations

from datetime import datetime

import pytest

from clinicbot.models import Clinic
from messaging.models import AccountState, Attempt, Contact, MessageState, SendingAccount
from tests.factories import SendingAccountFactory
from tests.messaging.sending.fakes import FakeChannel, again, attempts_of, say, send
from tests.messaging.templates import make_template


@pytest.fixture
def second(clinic: Clinic, account: SendingAccount) -> SendingAccount:
    return SendingAccountFactory.create(clinic=clinic)


def from_where(attempts: list[Attempt]) -> list[tuple[int, str]]:
    return [(attempt.account_id, attempt.mode) for attempt in attempts]


def test_an_answer_comes_from_the_number_that_was_written_to(
    clinic: Clinic, contact: Contact, channel: FakeChannel, second: SendingAccount, now: datetime
) -> None:
    Contact.unscoped.update(last_inbound_account=second)
    message = say(clinic, now=now)

    send(now=now)

    assert from_where(attempts_of(message)) == [(second.pk, "free")]


def test_without_a_window_it_comes_from_the_first_number_that_works(
    clinic: Clinic,
    contact: Contact,
    channel: FakeChannel,
    account: SendingAccount,
    second: SendingAccount,
    now: datetime,
) -> None:
    Contact.unscoped.update(last_inbound_at=None)
    for one in (account, second):
        make_template(one, "visit_booked", now=now)
    SendingAccount.unscoped.filter(pk=account.pk).update(state=AccountState.PAUSED)
    message = say(clinic, now=now)

    send(now=now)

    assert from_where(attempts_of(message)) == [(second.pk, "template")]


def test_what_belongs_into_the_window_of_a_paused_number_waits_for_it(
    clinic: Clinic,
    contact: Contact,
    channel: FakeChannel,
    account: SendingAccount,
    second: SendingAccount,
    now: datetime,
) -> None:
    Contact.unscoped.update(last_inbound_account=account)
    SendingAccount.unscoped.filter(pk=account.pk).update(state=AccountState.PAUSED)
    message = say(clinic, now=now)

    send(now=now)

    assert (again(message).state, again(message).reason) == (MessageState.HELD, "account_paused")
    assert attempts_of(message) == []
