"""What the tests of this house ask for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from appointments.usecases.clinics import add_default_rules
from clinicbot.models import Clinic
from messaging.channels.registry import stand_in
from messaging.texts.definitions import list_template_texts
from tests.appointments.making import Practice, make_practice
from tests.messaging.sending.fakes import FakeChannel
from tests.messaging.templates import make_account, make_template


@pytest.fixture
def practice(clinic: Clinic, now: datetime) -> Practice:
    return make_practice(clinic, now=now)


@pytest.fixture
def channel(db: None) -> Iterator[FakeChannel]:
    """WhatsApp, scripted."""
    fake = FakeChannel()
    with stand_in(fake):
        yield fake


@pytest.fixture
def speaking(practice: Practice, channel: FakeChannel, now: datetime) -> Practice:
    """The practice with a WhatsApp number and every template approved in Spanish."""
    account = make_account(practice.clinic)
    for name in list_template_texts():
        make_template(account, name, now=now)
    return practice


@pytest.fixture
def default_rules(clinic: Clinic) -> None:
    """Three days and one day before at 10:00, two hours before if unconfirmed."""
    add_default_rules(clinic)
