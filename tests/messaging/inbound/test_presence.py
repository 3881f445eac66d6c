"""The window, and who can be reached."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client

from clinicbot import clock
from messaging.models import Contact, InboundMessage, SendingAccount, WebhookItem
from messaging.queries.contacts import get_contact_facts
from tests.messaging.meta import call, message, post, text, value_of
from tests.messaging.rows import handle_stored
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
    assert (ana.last_inbound_at, ana.last_inbound_account) == (now - timedelta(hours=2), account)


def test_nobody_writes_in_the_future(say: Say, ana: Contact, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now + timedelta(days=30)))

    ana.refresh_from_db()
    assert ana.last_inbound_at == now
    assert InboundMessage.unscoped.get().sent_at == now


def test_a_time_that_cannot_be_read_is_when_the_message_reached_us(
    client: Client, account: SendingAccount, ana: Contact
) -> None:
    """However long after that it is handled."""
    timeless = {**text("hola", wamid="w1", at=clock.now()), "timestamp": "soon"}
    post(client, call(value_of(messages=[timeless])))
    WebhookItem.objects.update(received_at=clock.real() - timedelta(days=2))
    handle_stored(now=clock.now())

    ana.refresh_from_db()
    stored_at = WebhookItem.objects.get().received_at
    assert ana.last_inbound_at is not None and abs(ana.last_inbound_at - stored_at) < timedelta(minutes=1)
    assert InboundMessage.unscoped.get().sent_at == ana.last_inbound_at
    assert passed_on() == 1


def test_what_opens_no_window_does_not_open_it_without_a_time_either(say: Say, ana: Contact, now: datetime) -> None:
    reaction = message("reaction", wamid="w1", at=now, reaction={"message_id": "wamid.x", "emoji": "\U0001f44d"})
    say({**reaction, "timestamp": "soon"})

    ana.refresh_from_db()
    assert ana.last_inbound_at is None


def test_who_writes_can_be_reached_again(say: Say, ana: Contact, now: datetime) -> None:
    Contact.unscoped.update(unreachable_since=now, unreachable_count=2, unreachable_reason="131026")

    say(text("hola", wamid="w1", at=now))

    ana.refresh_from_db()
    assert (ana.unreachable_since, ana.unreachable_count, ana.unreachable_reason) == (None, 0, "")
