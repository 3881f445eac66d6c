"""A clinic that can send: one account, one patient with one contact, a scripted channel. And a message in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from clinicbot import clock
from clinicbot.models import Clinic
from messaging import contracts
from messaging.channels.registry import stand_in
from messaging.contracts import Category, KindSpec, Subject, Urgency
from messaging.models import Attempt, Contact, Message, SendingAccount, WebhookProbe
from tests.factories import ContactFactory, SendingAccountFactory
from tests.messaging.sending.drive import put_in_doubt
from tests.messaging.sending.fakes import (
    KIND,
    PATIENT,
    WORDS,
    FakeChannel,
    FakeKind,
    apply_receipt,
    attempts_of,
    open_window,
    receipt,
    say,
    send,
)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def channel(db: None) -> Iterator[FakeChannel]:
    fake = FakeChannel()
    with stand_in(fake):
        yield fake


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> FakeKind:
    fake = FakeKind()
    spec = KindSpec(
        name=KIND,
        category=Category.VISITS,
        urgency=Urgency.REMINDER,
        texts={"visit_booked": tuple(WORDS)},
        useful_for=timedelta(days=2),
        once_more=True,
        ignores_opt_out=False,
        implementation=fake,
    )
    monkeypatch.setitem(contracts._kinds, KIND, spec)
    return fake


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return SendingAccountFactory.create(clinic=clinic)


@pytest.fixture
def contact(clinic: Clinic, kind: FakeKind, account: SendingAccount, now: datetime) -> Contact:
    """The patient's, who has just written."""
    contact = ContactFactory.create(clinic=clinic)
    kind.contacts[PATIENT] = (contact.pk,)
    open_window(contact, at=now)
    return contact


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
    later = say(clinic, subject=Subject("visit", "later", 1), now=now)
    send(now=now)
    [attempt] = attempts_of(later)
    Attempt.unscoped.filter(pk=attempt.pk).update(started_at=real - 5 * MINUTE)
    apply_receipt(receipt(attempt, "sent", at=now), now=now)
    return later
