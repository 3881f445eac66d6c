"""Point 16: what happens to accounts, numbers and templates is told, and then really so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.receiver import Receiver
from tests.simulator.running import NUMBER_ID, Simulator
from tests.simulator.templates import filled, provide, reminder, send_template

ANA = "+573001234567"


@pytest.fixture
def template_id(simulator: Simulator) -> str:
    return provide(simulator, reminder())["reminder/en"]


def code_of(simulator: Simulator) -> int | None:
    answer: dict[str, Any] = send_template(simulator, ANA, filled()).json()
    code: int | None = answer.get("error", {}).get("code")
    return code


def value_of(simulator: Simulator, receiver: Receiver, field: str) -> dict[str, Any]:
    simulator.settle()
    return receiver.values(field)[-1]


@pytest.mark.parametrize(
    ("status", "code", "title"),
    [("PAUSED", 132015, "FIRST_PAUSE"), ("DISABLED", 132016, "DISABLED"), ("REJECTED", 132001, None), ("NEW_WORD", 132001, None)],
)  # fmt: skip
def test_a_template_changes_status(
    simulator: Simulator, receiver: Receiver, template_id: str, status: str, code: int, title: str | None
) -> None:
    simulator.event("template_status", template_id=template_id, status=status)

    value = value_of(simulator, receiver, "message_template_status_update")
    assert (value["event"], value["message_template_name"], value["message_template_id"]) == (
        status,
        "reminder",
        int(template_id),
    )
    assert value.get("other_info", {}).get("title") == title
    assert code_of(simulator) == code

    simulator.event("template_status", template_id=template_id, status="APPROVED")
    assert code_of(simulator) is None


def test_a_template_becomes_marketing_with_and_without_warning(
    simulator: Simulator, receiver: Receiver, template_id: str
) -> None:
    simulator.event("template_category", template_id=template_id, category="MARKETING", warning=True)
    warning = value_of(simulator, receiver, "template_category_update")
    assert (warning["new_category"], warning["correct_category"]) == ("UTILITY", "MARKETING")

    simulator.event("template_category", template_id=template_id, category="MARKETING")
    done = value_of(simulator, receiver, "template_category_update")
    assert (done["previous_category"], done["new_category"]) == ("UTILITY", "MARKETING")
    send_template(simulator, ANA, filled())
    simulator.settle()
    assert receiver.statuses()[-1]["status"] == "read"
    assert simulator.messages()[-1]["category"] == "marketing"


def test_quality_of_a_template_and_a_number(simulator: Simulator, receiver: Receiver, template_id: str) -> None:
    simulator.event("template_quality", template_id=template_id, quality="RED")
    simulator.event(
        "number_quality", number_id=NUMBER_ID, quality="RED", current_limit="TIER_250", number_event="DOWNGRADE"
    )

    assert value_of(simulator, receiver, "message_template_quality_update")["new_quality_score"] == "RED"
    assert value_of(simulator, receiver, "phone_number_quality_update")["event"] == "DOWNGRADE"
    assert simulator.graph("GET", NUMBER_ID).json()["quality_rating"] == "RED"
    fields = {"fields": "quality_score"}
    assert simulator.graph("GET", template_id, params=fields).json()["quality_score"] == {"score": "RED"}


def test_a_restricted_account_may_only_answer(simulator: Simulator, receiver: Receiver, template_id: str) -> None:
    simulator.event("restriction")

    assert value_of(simulator, receiver, "account_update")["event"] == "ACCOUNT_RESTRICTION"
    assert code_of(simulator) == 131031
    simulator.type_text(ANA, "hola")
    assert code_of(simulator) is None


def test_a_disabled_account_sends_nothing_until_it_is_back(
    simulator: Simulator, receiver: Receiver, template_id: str
) -> None:
    simulator.type_text(ANA, "hola")
    simulator.event("ban", state="SCHEDULE_FOR_DISABLE")
    assert code_of(simulator) is None

    simulator.event("ban", state="DISABLE")
    assert value_of(simulator, receiver, "account_update")["ban_info"]["waba_ban_state"] == "DISABLE"
    assert code_of(simulator) == 131031

    simulator.event("ban", state="REINSTATE")
    assert code_of(simulator) is None


def test_without_payment_every_template_fails_later(simulator: Simulator, receiver: Receiver, template_id: str) -> None:
    simulator.event("billing", ok=False)
    simulator.type_text(ANA, "hola")
    send_template(simulator, ANA, filled())
    simulator.send({"to": ANA, "type": "text", "text": {"body": "free"}})
    simulator.settle()

    assert [one["error_code"] for one in simulator.messages(direction="out")] == [131042, None]


@pytest.mark.parametrize(("status", "code"), [("DISCONNECTED", 133010), ("DELETED", 33)])
def test_a_number_that_is_gone_sends_nothing(simulator: Simulator, template_id: str, status: str, code: int) -> None:
    simulator.event("number_status", number_id=NUMBER_ID, status=status)

    assert code_of(simulator) == code
    fields = {"fields": "health_status,status"}
    health = simulator.graph("GET", NUMBER_ID, params=fields).json()["health_status"]
    assert health["can_send_message"] == "BLOCKED"


def test_any_other_field(simulator: Simulator, receiver: Receiver) -> None:
    simulator.event("other", field="something_new", value={"event": "WHATEVER"})

    assert value_of(simulator, receiver, "something_new") == {"event": "WHATEVER"}
