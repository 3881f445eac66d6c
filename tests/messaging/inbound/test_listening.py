"""A message is kept once and passed on once, whatever it is."""

from __future__ import annotations

from datetime import datetime

import pytest

from messaging.models import (
    Contact,
    InboundMessage,
    InboundState,
    WebhookItem,
)
from tests.messaging.meta import odd_types, text
from tests.messaging.rows import handle_stored, outcomes
from tests.messaging.talking import Say, passed_on

pytestmark = pytest.mark.django_db


def test_what_a_person_writes_is_kept_and_passed_on(say: Say, ana: Contact, now: datetime) -> None:
    say(text("¿A qué hora es?", wamid="w1", at=now))

    inbound = InboundMessage.unscoped.get()
    assert (inbound.contact, inbound.text, inbound.state) == (ana, "¿A qué hora es?", InboundState.NEW)
    assert passed_on() == 1
    assert outcomes() == ["received"]


def test_an_item_handled_twice_is_heard_once(say: Say, ana: Contact, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now))
    WebhookItem.objects.update(handled_at=None)
    handle_stored(now=now)

    assert InboundMessage.unscoped.count() == 1
    assert passed_on() == 1
    assert outcomes() == ["heard_before"]


@pytest.mark.parametrize("name", sorted(odd_types(datetime(2026, 4, 14))))  # noqa: DTZ001
def test_every_odd_type_is_heard_without_a_crash(say: Say, ana: Contact, name: str, now: datetime) -> None:
    say(odd_types(now)[name])

    assert WebhookItem.objects.get().handled_at is not None
    assert all(inbound.state in InboundState.values for inbound in InboundMessage.unscoped.all())


@pytest.mark.parametrize("name", ["reaction", "reaction-removed", "edit", "revoke"])
def test_what_only_marks_a_message_is_noted_and_opens_no_window(
    say: Say, ana: Contact, name: str, now: datetime
) -> None:
    say(odd_types(now)[name])

    assert InboundMessage.unscoped.get().state == InboundState.NOTED
    assert passed_on() == 0
    ana.refresh_from_db()
    assert ana.last_inbound_at is None
