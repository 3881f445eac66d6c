"""A clinic that can send: one account, one patient with one contact, a scripted channel."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from clinicbot.models import Clinic
from messaging import contracts
from messaging.channels.registry import stand_in
from messaging.contracts import Category, KindSpec, Urgency
from messaging.models import Contact, SendingAccount
from tests.factories import ContactFactory, SendingAccountFactory
from tests.messaging.sending.fakes import KIND, PATIENT, WORDS, FakeChannel, FakeKind, open_window


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
