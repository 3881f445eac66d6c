"""Evidence about our own webhook, and what is forgotten of it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from clinicbot.models import Clinic
from messaging.models import ParkedReceipt, WebhookCall, WebhookItem, WebhookProbe
from messaging.usecases.probing import probe_webhook
from messaging.usecases.purging import (
    blank_webhook_items,
    purge_parked_receipts,
    purge_probes,
    purge_refusals,
    purge_webhook_items,
)
from tests.messaging.meta import call, post, text, value_of
from tests.messaging.rows import handle_stored, make_account


@pytest.fixture
def site(live_server: LiveServer, settings: Settings) -> Settings:
    settings.BASE_URL = live_server.url
    return settings


def test_a_webhook_that_can_be_reached_is_up(site: Settings, now: datetime) -> None:
    assert probe_webhook(real=now)

    probe = WebhookProbe.objects.get()
    assert (probe.was_up, probe.probed_at) == (True, now)


def test_a_webhook_that_gives_back_something_else_is_down(site: Settings, now: datetime) -> None:
    site.BASE_URL += "/login"

    assert not probe_webhook(real=now)
    assert not WebhookProbe.objects.get().was_up


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["", "http://127.0.0.1:9", "http://not-allowed.example", "nonsense"])
def test_a_webhook_that_cannot_be_fetched_is_down(settings: Settings, url: str, now: datetime) -> None:
    settings.BASE_URL = url

    assert not probe_webhook(real=now)
    assert not WebhookProbe.objects.get().was_up


@pytest.mark.django_db
def test_old_probes_and_refusals_are_forgotten_by_the_batch(now: datetime) -> None:
    for days in range(5):
        WebhookProbe.objects.create(probed_at=now - timedelta(days=days), was_up=True)
        WebhookCall.objects.create(begun_at=now - timedelta(days=days), status=500)
    before = now - timedelta(days=1)

    for purge, kept in ((purge_probes, WebhookProbe), (purge_refusals, WebhookCall)):
        assert [purge(before=before, limit=2), purge(before=before, limit=2)] == [2, 1]
        assert kept.objects.count() == 2


def test_receipts_that_nobody_claimed_are_forgotten(clinic: Clinic, now: datetime) -> None:
    account = make_account(clinic)
    for days in range(3):
        ParkedReceipt.objects.create(
            clinic=clinic,
            account=account,
            channel="whatsapp",
            provider_message_id=f"w{days}",
            status="sent",
            parked_at=now - timedelta(days=days),
        )

    assert purge_parked_receipts(before=now - timedelta(hours=12), limit=10) == 2
    assert ParkedReceipt.unscoped.get().provider_message_id == "w0"


@pytest.mark.django_db
def test_bodies_are_blanked_a_while_after_they_were_handled_and_still_count_once(
    client: Client, clinic: Clinic, now: datetime
) -> None:
    make_account(clinic)
    handled, waiting = (call(value_of(messages=[text("hola", wamid=wamid, at=now)])) for wamid in ("w1", "w2"))
    post(client, handled)
    handle_stored(now=now)
    post(client, waiting)
    later = WebhookItem.objects.get(unique_key="m:w1").received_at + timedelta(days=8)

    assert blank_webhook_items(before=later, limit=10) == 1
    assert blank_webhook_items(before=later, limit=10) == 0

    bodies = dict(WebhookItem.objects.values_list("unique_key", "body"))
    assert bodies["m:w1"] is None
    assert bodies["m:w2"] is not None
    assert post(client, handled).status_code == 200
    assert WebhookItem.objects.count() == 2


@pytest.mark.django_db
def test_items_go_only_when_handled_and_blanked(client: Client, clinic: Clinic, now: datetime) -> None:
    make_account(clinic)
    post(client, call(value_of(messages=[text("hola", wamid="w1", at=now)])))
    later = now + timedelta(days=4000)

    assert purge_webhook_items(before=later, limit=10) == 0
    handle_stored(now=now)
    assert purge_webhook_items(before=later, limit=10) == 0
    blank_webhook_items(before=later, limit=10)
    assert purge_webhook_items(before=later, limit=10) == 1
    assert not WebhookItem.objects.exists()
