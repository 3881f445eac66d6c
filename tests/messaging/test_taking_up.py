"""What came for a number before anybody had set it up."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, list_steps
from messaging.models import Contact, InboundMessage, WebhookItem
from messaging.usecases.purging import blank_webhook_items
from messaging.usecases.receiving import RECEIPTS_PER_EVENT
from messaging.usecases.setting_up import add_whatsapp_account
from messaging.usecases.taking_up import BATCH, take_up_kept_items
from outbox.models import OutboxEvent
from tests.factories import ClinicFactory
from tests.messaging.meta import BUSINESS_ID, NUMBER_ID, call, post, status, text, value_of
from tests.messaging.rows import handle_stored, make_account

pytestmark = pytest.mark.django_db


def set_up(clinic: Clinic, *, now: datetime) -> None:
    add_whatsapp_account(
        clinic, label="Desk", number_id=NUMBER_ID, business_id=BUSINESS_ID, number="", token="t", now=now
    )


def look(*, now: datetime) -> int:
    return take_up_kept_items(now=now, deadline=Deadline(60))


def test_what_was_written_to_a_number_is_heard_once_it_is_set_up(client: Client, clinic: Clinic, now: datetime) -> None:
    said = call(value_of(messages=[text("hola", wamid="w1", at=now), text("¿hay alguien?", wamid="w2", at=now)]))
    post(client, said)
    assert look(now=now) == 0

    set_up(clinic, now=now)
    assert (look(now=now), look(now=now)) == (2, 0)
    post(client, said)
    handle_stored(now=now)

    heard = InboundMessage.objects.for_clinic(clinic).order_by("pk")
    assert [inbound.text for inbound in heard] == ["hola", "¿hay alguien?"]
    assert WebhookItem.objects.count() == 2


def test_what_is_old_by_then_opens_no_window(client: Client, clinic: Clinic, now: datetime) -> None:
    """So no answer goes out as written: where no template says it, staff are asked."""
    post(client, call(value_of(messages=[text("hola", wamid="w1", at=now - timedelta(days=5))])))
    set_up(clinic, now=now)

    look(now=now)
    handle_stored(now=now)

    assert Contact.objects.for_clinic(clinic).get().last_inbound_at == now - timedelta(days=5)


def test_it_is_nobody_else_s(client: Client, clinic: Clinic, now: datetime) -> None:
    post(client, call(value_of(messages=[text("hola", wamid="w1", at=now)])))
    post(client, call({"event": "DISABLED_UPDATE"}, field="account_update"))
    make_account(ClinicFactory.create(), number_id="another")
    assert look(now=now) == 0

    set_up(clinic, now=now)
    assert look(now=now) == 1

    owners = {item.field: item.clinic_id for item in WebhookItem.objects.all()}
    assert owners == {"messages": clinic.pk, "account_update": None}


def test_what_is_blank_by_then_stays_where_it_is(client: Client, clinic: Clinic, now: datetime) -> None:
    post(client, call(value_of(messages=[text("hola", wamid="w1", at=now)])))
    blank_webhook_items(before=clock.real() + timedelta(days=8), limit=10)
    set_up(clinic, now=now)

    assert look(now=now) == 0
    assert WebhookItem.objects.get().outcome == "unknown_account"


def test_many_receipts_are_taken_up_in_batches_and_travel_together(
    client: Client, clinic: Clinic, now: datetime
) -> None:
    statuses = [status("sent", wamid=f"s{number}", at=now) for number in range(BATCH + 1)]
    post(client, call(value_of(statuses=statuses)))
    set_up(clinic, now=now)

    assert look(now=now) == BATCH + 1
    assert OutboxEvent.unscoped.filter(type="messaging.receipts_received").count() == BATCH // RECEIPTS_PER_EVENT + 1
    handle_stored(now=now)
    assert not WebhookItem.objects.filter(handled_at=None).exists()


def test_it_is_a_step_of_the_tick_before_events_are_delivered() -> None:
    (found,) = [each for each in list_steps() if each.name == "messaging.take_up_items_of_new_numbers"]

    assert (found.order, found.every_seconds) == (20, 60)
