"""Point 10: reading marks; templates listed, made, edited, deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import requests

from tests.simulator.receiver import Receiver
from tests.simulator.running import NUMBER_ID, WABA_ID, Simulator
from tests.simulator.templates import plain, provide, reminder

ANA = "+573001234567"
PATH = f"{WABA_ID}/message_templates"


def body(text: str, *examples: str) -> dict[str, Any]:
    return {"type": "BODY", "text": text, "example": {"body_text": [list(examples)]}}


def proposal(text: str = "Hello {{1}}, we expect you on {{2}} at the clinic.", **rest: Any) -> dict[str, Any]:
    components = [body(text, "Ana", "Tue")]
    return {"name": "fresh", "language": "en", "category": "UTILITY", "components": components, **rest}


def create(simulator: Simulator, wish: dict[str, Any]) -> requests.Response:
    return simulator.graph("POST", PATH, json=wish)


def listed(simulator: Simulator, **query: Any) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = simulator.graph("GET", PATH, params=query).json()["data"]
    return data


@pytest.mark.parametrize("typing", [{}, {"typing_indicator": {"type": "text"}}])
def test_marking_as_read_wants_a_message_that_came(simulator: Simulator, typing: dict[str, Any]) -> None:
    first = simulator.type_text(ANA, "one")
    second = simulator.type_text(ANA, "two")
    assert second != first

    unknown = simulator.send({"status": "read", "message_id": "wamid.none", **typing})
    known = simulator.send({"status": "read", "message_id": second, **typing})

    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, 100)
    assert known.json() == {"success": True}
    assert all(one["seen_by_business_at"] for one in simulator.messages(phone=ANA))
    simulator.advance(timedelta(days=31))
    assert simulator.send({"status": "read", "message_id": second}).status_code == 400


def test_a_list_comes_25_at_a_time(simulator: Simulator) -> None:
    provide(simulator, *(plain(name=f"t{place}") for place in range(30)))

    first = simulator.graph("GET", PATH, params={"fields": "name,status"}).json()
    second = requests.get(
        first["paging"]["next"], headers={"Authorization": "Bearer EAA-simulator-token"}, timeout=10
    ).json()

    assert (len(first["data"]), len(second["data"])) == (25, 5)
    assert set(first["data"][0]) == {"id", "name", "status"}
    assert "next" not in second["paging"]
    assert len({one["id"] for one in first["data"] + second["data"]}) == 30
    assert len(listed(simulator, limit=100)) == 30


def test_filters(simulator: Simulator) -> None:
    provide(simulator, plain(), plain(language="pt_BR", status="PAUSED"), reminder())

    assert {one["language"] for one in listed(simulator, name="plain")} == {"es", "pt_BR"}
    assert [one["name"] for one in listed(simulator, status="PAUSED")] == ["plain"]


def test_a_new_one_waits_for_review_and_is_told_of(simulator: Simulator, receiver: Receiver) -> None:
    made = create(simulator, proposal()).json()
    assert (made["status"], made["category"]) == ("PENDING", "UTILITY")

    simulator.advance(timedelta(seconds=2))
    simulator.settle()
    assert receiver.values("message_template_status_update")[0]["event"] == "APPROVED"
    assert listed(simulator, name="fresh")[0]["status"] == "APPROVED"


def test_a_new_one_may_come_back_as_marketing_or_be_rejected(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(switches={"create_as_marketing": True, "review": "reject", "review_seconds": 0.0})

    assert create(simulator, proposal()).json()["category"] == "MARKETING"
    simulator.settle()
    value = receiver.values("message_template_status_update")[0]
    assert (value["event"], value["reason"]) == ("REJECTED", "INVALID_FORMAT")


def quick(count: int) -> list[dict[str, str]]:
    return [{"type": "QUICK_REPLY", "text": f"B{place}"} for place in range(count)]


def link(url: str = "https://x.org/{{1}}", **rest: Any) -> dict[str, Any]:
    return {"type": "URL", "text": "Open", "url": url, "example": ["https://x.org/a"], **rest}


def with_buttons(*buttons: dict[str, Any]) -> dict[str, Any]:
    return proposal(components=[body("Come {{1}} to us at once", "Ana"), {"type": "BUTTONS", "buttons": list(buttons)}])


@pytest.mark.parametrize(
    ("wish", "subcode"),
    [
        (proposal(name="Fresh"), None),
        (proposal(language="en-US"), None),
        (proposal(category="REMINDER"), None),
        (proposal(message_send_ttl_seconds=43_201), None),
        (proposal("{{1}}, we expect you on {{2}} at the clinic."), 2388299),
        (proposal("Hello {{1}}, we expect you at the clinic on {{2}}"), 2388299),
        (proposal("Hello {{1}} {{2}}, we expect you at the clinic."), 2388072),
        (proposal("Hello {{1}}, we expect you on {{3}} at the clinic."), 2388072),
        (proposal("Hello {{1}} at {{2}} soon."), 2388293),
        (proposal("Hello {{1}} {{2}}" + " x" * 1024), 2388072),
        (proposal(components=[body("Hello {{1}}, we expect you on {{2}} there.", "Ana")]), 2388043),
        (proposal(components=[]), 2388043),
        (proposal(components=[body("Hi"), {"type": "FOOTER", "text": "By {{1}} now"}]), 2388073),
        (proposal(components=[body("Hi"), {"type": "HEADER", "format": "TEXT", "text": "x" * 61}]), 2388047),
        (with_buttons(*quick(11)), 2388043),
        (with_buttons({"type": "QUICK_REPLY", "text": "x" * 26}), 2388043),
        (with_buttons(*quick(1), link(), *quick(1)), 2388043),
        (with_buttons(link(), link(), link()), 2388043),
        (with_buttons(link("https://x.org/{{1}}/more")), 2388043),
        (with_buttons(link(example=[])), 2388043),
        (proposal(name="plain", language="es"), 2388024),
        (proposal(name="twin", language="es", components=plain()["components"] and [
            {**plain()["components"][0], "example": {"body_text": [["a", "b"]]}}
        ]), 2388025),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused(simulator: Simulator, wish: dict[str, Any], subcode: int | None) -> None:
    provide(simulator, plain())

    answer = create(simulator, wish)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, 100)
    assert answer.json()["error"].get("error_subcode") == subcode
    assert len(listed(simulator)) == 1


def test_named_variables_and_buttons_that_keep_the_rules(simulator: Simulator) -> None:
    example = {"body_text_named_params": [{"param_name": "name", "example": "Ana"}]}
    components = [
        {"type": "BODY", "text": "Hello {{name}}, can you come?", "example": example},
        {
            "type": "BUTTONS",
            "buttons": [*quick(3), link(), {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+1"}],
        },
    ]

    assert create(simulator, proposal(components=components, parameter_format="NAMED", message_send_ttl_seconds=30)).ok


def test_an_edit_goes_back_to_review_once_a_day(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(switches={"review": "wait"})
    template_id = provide(simulator, plain())["plain/es"]
    new = {"components": [body("Hello {{1}}, please come to us on {{2}} at ten.", "Ana", "Tue")]}

    assert simulator.graph("POST", template_id, json=new).json() == {"success": True}
    assert listed(simulator)[0]["status"] == "PENDING"
    assert simulator.graph("POST", template_id, json=new).json()["error"]["error_subcode"] == 2388039

    simulator.event("template_status", template_id=template_id, status="APPROVED")
    assert not simulator.graph("POST", template_id, json=new).ok
    assert not simulator.graph("POST", template_id, json={"category": "MARKETING"}).ok
    simulator.advance(timedelta(days=1))
    assert simulator.graph("POST", template_id, json=new).ok


def test_a_deleted_name_is_blocked_for_a_month(simulator: Simulator) -> None:
    create(simulator, proposal())
    deleted = simulator.graph("DELETE", PATH, params={"name": "fresh"})
    assert (deleted.json(), listed(simulator)) == ({"success": True}, [])

    assert create(simulator, proposal()).json()["error"]["error_subcode"] == 2388023
    simulator.advance(timedelta(days=31))
    assert create(simulator, proposal()).ok


def test_a_paused_one_is_let_go(simulator: Simulator, receiver: Receiver) -> None:
    template_id = provide(simulator, plain(status="PAUSED"))["plain/es"]

    assert simulator.graph("POST", f"{template_id}/unpause").json() == {"success": True}
    simulator.settle()
    value = receiver.values("message_template_status_update")[0]
    assert (value["event"], value["other_info"]["title"]) == ("APPROVED", "UNPAUSE")
    assert not simulator.graph("POST", f"{template_id}/unpause").ok


def test_what_a_number_says_of_itself(simulator: Simulator) -> None:
    fields = "display_phone_number,verified_name,quality_rating,throughput,whatsapp_business_manager_messaging_limit"

    number = simulator.graph("GET", NUMBER_ID, params={"fields": fields}).json()

    assert number == {
        "id": NUMBER_ID,
        "display_phone_number": "+57 601 555 0100",
        "verified_name": "Clinic",
        "quality_rating": "GREEN",
        "throughput": {"level": "STANDARD"},
        "whatsapp_business_manager_messaging_limit": "TIER_250",
    }
    assert simulator.graph("GET", NUMBER_ID, token="").json()["error"]["code"] == 190
    assert simulator.graph("GET", "1").json()["error"]["error_subcode"] == 33
