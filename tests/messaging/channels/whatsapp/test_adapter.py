"""Against the real simulator, over HTTP."""

from __future__ import annotations

import dataclasses
import socket
from typing import Any

import pytest
from pytest_django import Settings

from clinicbot.ids import uuid7
from messaging.channels.base import (
    Account,
    Button,
    FreeContent,
    OutboundMessage,
    Row,
    Section,
    TemplateContent,
    Verdict,
)
from messaging.channels.whatsapp.adapter import WhatsAppChannel
from messaging.channels.whatsapp.templates_api import components_of
from messaging.texts.definitions import definition_of
from tests.simulator.running import NUMBER_ID, TOKEN, Simulator
from tests.simulator.running import account as simulated_account

ANA = "+573001234567"
BUTTONS = (Button(payload="m:1:confirm", label="Confirmo"), Button(payload="m:1:cancel", label="Cancelar"))


@pytest.fixture
def account() -> Account:
    return Account(
        account_id=1, clinic_id=1, channel="whatsapp", external_id=NUMBER_ID, secrets={"access_token": TOKEN}
    )


def to_ana(account: Account, content: FreeContent | TemplateContent, **rest: Any) -> OutboundMessage:
    return OutboundMessage(attempt_id=uuid7(), account=account, content=content, **{"phone": ANA, **rest})


def approve_our_template(simulator: Simulator, name: str, *, language: str = "es") -> None:
    ours = definition_of(name, language)
    template = {"name": name, "language": ours.language, "category": "UTILITY", "parameter_format": "NAMED"}
    simulator.provision(accounts=[simulated_account(templates=[{**template, "components": components_of(ours)}])])


def our_template(name: str, *, language: str = "es", **rest: Any) -> TemplateContent:
    ours = definition_of(name, language)
    payloads = {index: f"m:1:{index}" for index, _label in enumerate(ours.labels)}
    content = TemplateContent(
        name=name, language=ours.language, is_named=True, parameters=ours.examples, button_payloads=payloads
    )
    return dataclasses.replace(content, **rest)


def open_window(simulator: Simulator) -> None:
    simulator.phone(ANA, name="Ana")
    simulator.type_text(ANA, "Hola")


def test_text_and_buttons_and_list_reach_the_phone(simulator: Simulator, account: Account) -> None:
    open_window(simulator)
    rows = (Row(payload="m:1:slot", title="10:30", description="Dra. Soto"),)
    asked = [
        FreeContent(body="Hola"),
        FreeContent(body="¿Podrá venir?", buttons=BUTTONS),
        FreeContent(body="¿Cuál?", list_label="Ver horas", sections=(Section(title="martes", rows=rows),)),
    ]

    outcomes = [WhatsAppChannel().send(to_ana(account, content)) for content in asked]

    assert [outcome.verdict for outcome in outcomes] == [Verdict.ACCEPTED] * 3
    assert {outcome.recipient_id for outcome in outcomes} == {"573001234567"}
    assert len(simulator.messages(phone=ANA)) == 4  # And what Ana wrote.


def test_every_receipt_can_be_traced_to_its_attempt(simulator: Simulator, account: Account) -> None:
    open_window(simulator)
    message = to_ana(account, FreeContent(body="Hola"))

    outcome = WhatsAppChannel().send(message)

    sent = simulator.messages(direction="out", callback=str(message.attempt_id))
    assert [one["wamid"] for one in sent] == [outcome.provider_message_id]


@pytest.mark.parametrize("name", ["visit_moved", "visit_reminder_ask", "visit_cancelled_by_clinic"])
def test_our_own_template_is_accepted_with_the_window_shut(simulator: Simulator, account: Account, name: str) -> None:
    approve_our_template(simulator, name)
    simulator.phone(ANA, name="Ana")

    outcome = WhatsAppChannel().send(to_ana(account, our_template(name)))

    assert outcome.verdict == Verdict.ACCEPTED, outcome
    assert outcome.detail == "accepted"


def test_a_language_meta_does_not_have_pauses_the_template(simulator: Simulator, account: Account) -> None:
    approve_our_template(simulator, "visit_moved")

    outcome = WhatsAppChannel().send(to_ana(account, our_template("visit_moved", language="pt")))

    assert (outcome.verdict, outcome.code) == (Verdict.PAUSE_TEMPLATE, "132001")


def test_too_few_parameters_pause_the_template(simulator: Simulator, account: Account) -> None:
    approve_our_template(simulator, "visit_moved")
    ours = our_template("visit_moved")

    outcome = WhatsAppChannel().send(to_ana(account, dataclasses.replace(ours, parameters=ours.parameters[:-1])))

    assert (outcome.verdict, outcome.code) == (Verdict.PAUSE_TEMPLATE, "132000")


def test_an_unknown_token_pauses_the_account(simulator: Simulator, account: Account) -> None:
    stranger = dataclasses.replace(account, secrets={"access_token": "wrong"})

    outcome = WhatsAppChannel().send(to_ana(stranger, FreeContent(body="Hola")))

    assert outcome.verdict == Verdict.PAUSE_ACCOUNT


def test_an_unknown_number_id_pauses_the_account(simulator: Simulator, account: Account) -> None:
    stranger = dataclasses.replace(account, external_id="404")

    outcome = WhatsAppChannel().send(to_ana(stranger, FreeContent(body="Hola")))

    assert outcome.verdict == Verdict.PAUSE_ACCOUNT


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [
        ({"do": "answer", "code": 131016}, Verdict.RETRY),
        ({"do": "answer", "code": 131000}, Verdict.RETRY),
        ({"do": "answer", "code": 131056}, Verdict.RETRY_RECIPIENT),
        ({"do": "answer", "code": 131047}, Verdict.USE_TEMPLATE),
        ({"do": "html"}, Verdict.UNKNOWN),
        ({"do": "reset", "when": "after"}, Verdict.UNKNOWN),
    ],
)
def test_each_fault_of_the_provider_has_its_verdict(
    simulator: Simulator, account: Account, fault: dict[str, Any], verdict: Verdict
) -> None:
    open_window(simulator)
    simulator.fault(fault.pop("do"), count=1, **fault)

    outcome = WhatsAppChannel().send(to_ana(account, FreeContent(body="Hola")))

    assert outcome.verdict == verdict, outcome


def test_a_provider_that_takes_the_message_and_hangs_leaves_us_in_doubt(
    simulator: Simulator, account: Account, settings: Settings
) -> None:
    settings.WHATSAPP_CALL_SECONDS = 0.5
    open_window(simulator)
    simulator.fault("hang", when="after", seconds=3, count=1)

    outcome = WhatsAppChannel().send(to_ana(account, FreeContent(body="Hola")))

    assert outcome.verdict == Verdict.UNKNOWN
    assert simulator.counts()["accepted"] == 1


def test_a_refused_connection_is_safe_to_retry(settings: Settings, account: Account) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        settings.WHATSAPP_GRAPH_URL = f"http://127.0.0.1:{taken.getsockname()[1]}"

        outcome = WhatsAppChannel().send(to_ana(account, FreeContent(body="Hola")))

    assert outcome.verdict == Verdict.RETRY
    assert ANA[1:] not in outcome.detail


def test_a_host_we_may_not_call_is_never_called(settings: Settings, account: Account) -> None:
    settings.WHATSAPP_GRAPH_URL = "https://graph.example"
    settings.OUTBOUND_ALLOWLIST = ["127.0.0.1"]

    outcome = WhatsAppChannel().send(to_ana(account, FreeContent(body="Hola")))

    assert (outcome.verdict, outcome.detail) == (Verdict.RETRY, "HostNotAllowed")


def test_nothing_personal_shows_when_a_message_is_printed(account: Account) -> None:
    printed = repr(to_ana(account, FreeContent(body="Hola Ana", buttons=BUTTONS)))

    for secret in (ANA, "Hola Ana", account.secrets["access_token"]):
        assert secret not in printed
