"""The simulator calls our webhook as Meta does: over HTTP, signed, doubled, in parallel, and forged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from pytest_django.live_server_helper import LiveServer

from clinicbot.models import Clinic
from messaging.models import Contact, InboundMessage, SendingAccount, StaffTask, WebhookCall, WebhookItem
from outbox.models import OutboxEvent
from tests.factories import ClinicFactory
from tests.messaging.rows import handle_stored, make_account, outcomes
from tests.simulator.running import NUMBER_ID, WABA_ID, Simulator, running_simulator

ANA = "+573001234567"
AT = datetime(2026, 4, 14, 7, 0, tzinfo=UTC)
LATER = AT + timedelta(minutes=1)


@pytest.fixture
def account(live_server: LiveServer) -> SendingAccount:
    clinic: Clinic = ClinicFactory.create(country="CO")
    return make_account(clinic, number_id=NUMBER_ID, business_id=WABA_ID, display_address="+57 601 555 0100")


@pytest.fixture(scope="module")
def _calling(live_server: LiveServer) -> Iterator[Simulator]:
    url = f"{live_server.url}/webhooks/whatsapp/"
    with running_simulator(webhook_url=url, app_secret="app-secret", verify_token="verify-token") as simulator:
        yield simulator


@pytest.fixture
def simulator(_calling: Simulator, account: SendingAccount) -> Simulator:
    _calling.reset(clock=AT, frozen=True)
    _calling.provision()
    _calling.phone(ANA, name="Ana")
    return _calling


def hear(simulator: Simulator) -> None:
    simulator.settle()
    handle_stored(now=LATER)


def test_the_handshake_is_made_and_what_is_written_arrives(simulator: Simulator) -> None:
    simulator.type_text(ANA, "¿Está /abierto/ mañana? \U0001f600")
    hear(simulator)

    assert simulator.control("GET", "health")["is_verified"]
    inbound = InboundMessage.unscoped.get()
    assert inbound.text == "¿Está /abierto/ mañana? \U0001f600"
    assert (inbound.contact.address, inbound.contact.last_inbound_at) == (ANA, AT)


def test_whatever_a_person_does_is_heard(simulator: Simulator) -> None:
    said = simulator.type_text(ANA, "hola")
    for kind in ("image", "document", "audio", "video", "sticker"):
        simulator.act(ANA, "media", kind=kind)
    simulator.act(ANA, "location", latitude=4.6, longitude=-74.1)
    simulator.act(ANA, "contacts")
    simulator.act(ANA, "reaction", message=said, emoji="\U0001f44d")
    simulator.act(ANA, "reaction", message=said)
    simulator.act(ANA, "edit", message=said, body="adiós")
    simulator.act(ANA, "revoke", message=said)
    simulator.act(ANA, "unsupported", code=131051)
    simulator.act(ANA, "broken_interactive")
    simulator.act(ANA, "flow_answer")
    simulator.act(ANA, "prefer", value="stop")
    simulator.act(ANA, "change_user_id", user_id="CO.99999999999999999999")
    hear(simulator)

    assert "" not in outcomes()
    assert "unreadable" not in outcomes()
    assert WebhookItem.objects.filter(handled_at=None).count() == 0
    assert Contact.unscoped.get().user_id == "CO.99999999999999999999"
    assert not WebhookCall.objects.exists()


def test_a_person_who_shows_no_number_is_heard(simulator: Simulator) -> None:
    simulator.phone(ANA, hides_number="always", username="ana")
    simulator.type_text(ANA, "hola")
    hear(simulator)

    contact = Contact.unscoped.get()
    assert contact.address == ""
    assert contact.user_id.startswith("CO.")


def test_a_person_who_changed_the_number_becomes_a_task(simulator: Simulator) -> None:
    simulator.type_text(ANA, "hola")
    simulator.act(ANA, "change_number", number="+573007654321")
    hear(simulator)

    assert StaffTask.unscoped.get().detail == "number_changed"
    assert Contact.unscoped.get().whatsapp_id == "573007654321"


def test_each_call_twice_at_once_and_all_together_is_one_of_each(simulator: Simulator) -> None:
    simulator.knobs(webhook={"in_parallel_twice": True, "hold": True})
    for number in range(30):
        simulator.type_text(ANA, f"hola {number}", twice=True)
    simulator.knobs(webhook={"hold": False})
    hear(simulator)

    assert InboundMessage.unscoped.count() == 30
    assert OutboxEvent.unscoped.filter(type="messaging.inbound_received").count() == 30
    assert not WebhookCall.objects.exists()


@pytest.mark.parametrize("signature", ["missing", "wrong", "sha1", "empty"])
def test_a_forged_call_is_refused_and_leaves_nothing(simulator: Simulator, signature: str) -> None:
    body = {"object": "whatsapp_business_account", "entry": []}

    assert simulator.post_raw(body=body, signature=signature) == 401
    assert simulator.post_raw(body=body, signature="right") == 200
    assert simulator.post_raw(text="{", signature="right") == 400
    assert not WebhookItem.objects.exists()
    assert WebhookCall.objects.count() == 1


def test_a_late_webhook_carries_the_person_s_own_time(simulator: Simulator) -> None:
    simulator.type_text(ANA, "hola", ago_seconds=3 * 3600)
    hear(simulator)

    assert Contact.unscoped.get().last_inbound_at == AT - timedelta(hours=3)


def test_news_of_the_account_are_followed(simulator: Simulator, account: SendingAccount) -> None:
    simulator.event("number_quality", number_id=NUMBER_ID, quality="RED", number_event="DOWNGRADE")
    simulator.event("restriction")
    hear(simulator)

    account.refresh_from_db()
    assert account.quality == "DOWNGRADE"
    assert account.state == "paused"

    simulator.event("ban", state="REINSTATE")
    hear(simulator)
    account.refresh_from_db()
    assert account.state == "active"
