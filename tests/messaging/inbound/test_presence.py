"""The window, and who can be reached."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from messaging.models import (
    Contact,
    InboundMessage,
    SendingAccount,
)
from messaging.queries.contacts import get_contact_facts
from tests.messaging.meta import text
from tests.messaging.talking import Say, passed_on

pytestmark = pytest.mark.django_db


def test_the_window_opens_from_the_person_s_own_time_and_closes_a_little_early(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    written = now - timedelta(hours=1)
    say(text("hola", wamid="w1", at=written))

    def open_until(at: datetime) -> datetime | None:
        return get_contact_facts(account.clinic_id, [ana.pk], now=at)[ana.pk].window_open_until

    closes = written + timedelta(hours=23, minutes=55)
    assert open_until(now) == closes
    assert open_until(closes - timedelta(seconds=1)) == closes
    assert open_until(closes) is None


def test_a_webhook_that_comes_late_or_again_does_not_open_the_window(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    say(text("hola", wamid="w2", at=now - timedelta(hours=2)))
    say(text("antes", wamid="w1", at=now - timedelta(days=3)))

    ana.refresh_from_db()
    assert ana.last_inbound_at == now - timedelta(hours=2)


def test_nobody_writes_in_the_future(say: Say, ana: Contact, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now + timedelta(days=30)))

    ana.refresh_from_db()
    assert ana.last_inbound_at == now
    assert InboundMessage.unscoped.get().sent_at == now


def test_a_time_that_cannot_be_read_opens_nothing(say: Say, ana: Contact, now: datetime) -> None:
    say({**text("hola", wamid="w1", at=now), "timestamp": "soon"})

    ana.refresh_from_db()
    assert ana.last_inbound_at is None
    assert passed_on() == 1


def test_who_writes_can_be_reached_again(say: Say, ana: Contact, now: datetime) -> None:
    Contact.unscoped.update(unreachable_since=now, unreachable_count=2, unreachable_reason="131026")

    say(text("hola", wamid="w1", at=now))

    ana.refresh_from_db()
    assert (ana.unreachable_since, ana.unreachable_count, ana.unreachable_reason) == (None, 0, "")
