"""Receipts on their way through the webhook: they make no conversation, and spoil nothing."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.models import (
    Attempt,
    AttemptState,
    Contact,
    InboundMessage,
    SendingAccount,
    WebhookItem,
)
from messaging.queries.contacts import get_contact_facts
from messaging.usecases.handling import handle_items
from outbox.models import DeliveryState, OutboxDelivery
from outbox.usecases.dispatching import deliver_due
from tests.factories import ClinicFactory
from tests.messaging.meta import call, post, status, text, value_of
from tests.messaging.rows import handle_stored, make_account, make_sent
from tests.messaging.talking import passed_on

pytestmark = pytest.mark.django_db


def test_statuses_make_no_conversation(client: Client, account: SendingAccount, now: datetime) -> None:
    statuses = [status(name, wamid="w1", at=now) for name in ("sent", "delivered", "read", "played", "a-new-word")]

    post(client, call(value_of(statuses=statuses)))
    handle_stored(now=now)

    assert not InboundMessage.unscoped.exists()
    assert passed_on() == 0
    assert WebhookItem.objects.filter(handled_at=None).count() == 0


def test_an_unknown_status_first_loses_nothing_that_comes_with_it(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    statuses = [status("sent", wamid="never-ours", at=now), status("delivered", wamid="ours", at=now)]

    post(client, call(value_of(statuses=statuses, messages=[text("hola", wamid="w1", at=now)])))
    handle_stored(now=now)

    assert Attempt.unscoped.get().state == AttemptState.DELIVERED
    assert InboundMessage.unscoped.count() == 1


def test_an_item_that_cannot_be_read_spoils_no_other(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    post(
        client, call(value_of(statuses=[status("sent", wamid="x", at=now), status("delivered", wamid="ours", at=now)]))
    )
    broken = WebhookItem.objects.get(unique_key="s:x:sent")
    broken.body = "{"
    broken.save()

    for _ in range(2):
        deliver_due(now=now, real=clock.real(), deadline=Deadline(60), limit=100)

    assert Attempt.unscoped.get().state == AttemptState.DELIVERED
    assert list(WebhookItem.objects.filter(handled_at=None)) == [broken]
    assert OutboxDelivery.unscoped.filter(state=DeliveryState.PENDING).count() == 1


def test_receipts_by_the_dozen_take_as_many_queries_as_two(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    def queries_for(first: int, last: int) -> int:
        wamids = [f"wamid.{number}" for number in range(first, last)]
        for wamid in wamids:
            make_sent(account, contact=ana, now=now, wamid=wamid, state=AttemptState.ACCEPTED)
        post(client, call(value_of(statuses=[status("delivered", wamid=wamid, at=now) for wamid in wamids])))
        (item_ids,) = {tuple(WebhookItem.objects.filter(handled_at=None).values_list("pk", flat=True))}
        with CaptureQueriesContext(connection) as captured:
            handle_items(account.clinic_id, item_ids=item_ids, now=now, real=now)
        return len(captured)

    assert queries_for(0, 2) == queries_for(2, 62)
    assert Attempt.unscoped.filter(state=AttemptState.DELIVERED).count() == 62


def test_a_receipt_teaches_the_other_id_of_who_got_the_message(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    told = [status(name, wamid="ours", at=now, recipient_user_id="ES.1") for name in ("sent", "delivered")]

    post(client, call(value_of(statuses=told)))
    handle_stored(now=now)

    ana.refresh_from_db()
    assert ana.user_id == "ES.1"


def test_the_provider_s_stop_of_advertising_leaves_visits_alone(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED, category="recalls")

    refused = status("failed", wamid="ours", at=now, errors=[{"code": 131050, "title": "Unable to deliver message"}])
    post(client, call(value_of(statuses=[refused])))
    handle_stored(now=now)

    assert get_contact_facts(account.clinic_id, [ana.pk], now=now)[ana.pk].opted_out_of == {"recalls"}


def test_a_receipt_from_another_clinic_s_account_does_not_touch_ours(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    attempt = Attempt.unscoped.get()
    make_account(ClinicFactory.create(), number_id="other", business_id="other")

    forged = status("failed", wamid="ours", at=now, biz_opaque_callback_data=str(attempt.pk))
    post(client, call(value_of(statuses=[forged], number_id="other")))
    handle_stored(now=now)

    attempt.refresh_from_db()
    assert attempt.state == AttemptState.ACCEPTED
