"""Points 15 and 19: everything a person can do with a phone, and only with what was really sent."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import requests

from tests.simulator.receiver import Receiver
from tests.simulator.running import BUSINESS_NUMBER, TOKEN, Simulator, account
from tests.simulator.templates import filled, provide, reminder, send_template

ANA = "+573001234567"
WA_ID = "573001234567"


def buttons(simulator: Simulator) -> str:
    action = {
        "buttons": [
            {"type": "reply", "reply": {"id": "v:1:yes", "title": "Confirm"}},
            {"type": "reply", "reply": {"id": "v:1:no", "title": "Cancel"}},
        ]
    }
    interactive = {"type": "button", "body": {"text": "Tue 10:30?"}, "action": action}
    answer = simulator.send({"to": ANA, "type": "interactive", "interactive": interactive})
    simulator.settle()
    wamid: str = answer.json()["messages"][0]["id"]
    return wamid


def times(simulator: Simulator) -> str:
    rows = [{"id": "s:1", "title": "10:30", "description": "Dr Soto"}, {"id": "s:2", "title": "11:00"}]
    action = {"button": "See times", "sections": [{"title": "Mon", "rows": rows}]}
    interactive = {"type": "list", "body": {"text": "Pick"}, "action": action}
    answer = simulator.send({"to": ANA, "type": "interactive", "interactive": interactive})
    simulator.settle()
    wamid: str = answer.json()["messages"][0]["id"]
    return wamid


@pytest.fixture(autouse=True)
def _open_window(simulator: Simulator, receiver: Receiver) -> None:
    simulator.phone(ANA, name="Ana Soto")
    simulator.type_text(ANA, "hola")
    simulator.settle()
    receiver.received.clear()


def last(simulator: Simulator, receiver: Receiver) -> dict[str, Any]:
    simulator.settle()
    return receiver.inbound()[-1]


def test_a_tap_on_an_interactive_button(simulator: Simulator, receiver: Receiver) -> None:
    wamid = buttons(simulator)
    simulator.tap(ANA, "Confirm")

    message = last(simulator, receiver)
    assert message["type"] == "interactive"
    assert message["interactive"] == {"type": "button_reply", "button_reply": {"id": "v:1:yes", "title": "Confirm"}}
    assert message["context"] == {"from": "576015550100", "id": wamid}
    assert (message["from"], message["from_user_id"][:3]) == (WA_ID, "CO.")


def test_a_tap_on_a_template_button(simulator: Simulator, receiver: Receiver) -> None:
    provide(simulator, reminder())
    wamid = send_template(simulator, ANA, filled()).json()["messages"][0]["id"]
    simulator.settle()

    simulator.tap(ANA, "Confirm")
    assert last(simulator, receiver)["button"] == {"payload": "v:1:yes", "text": "Confirm"}
    assert last(simulator, receiver)["context"]["id"] == wamid
    simulator.tap(ANA, "Cancel", without_context=True)
    assert last(simulator, receiver)["button"] == {"payload": "Cancel", "text": "Cancel"}
    assert "context" not in last(simulator, receiver)


def test_a_link_tells_nobody(simulator: Simulator, receiver: Receiver) -> None:
    provide(simulator, reminder())
    send_template(simulator, ANA, filled())
    simulator.settle()

    opened = simulator.control("POST", f"phones/{ANA}/act", {"do": "tap", "button": "Details"})
    simulator.settle()

    assert opened == {"message": None, "opens": "https://clinic.example/visit/tok_1"}
    assert receiver.inbound() == []


def test_a_choice_from_a_list(simulator: Simulator, receiver: Receiver) -> None:
    times(simulator)
    simulator.pick(ANA, "10:30")

    reply = {"id": "s:1", "title": "10:30", "description": "Dr Soto"}
    assert last(simulator, receiver)["interactive"] == {"type": "list_reply", "list_reply": reply}


def test_an_old_button_and_the_same_again(simulator: Simulator, receiver: Receiver) -> None:
    first, second = buttons(simulator), buttons(simulator)
    simulator.tap(ANA, "Confirm", message=first)
    simulator.tap(ANA, "Confirm", message=first)
    simulator.tap(ANA, "Confirm")
    simulator.settle()

    assert [message["context"]["id"] for message in receiver.inbound()] == [first, first, second]
    assert len({message["id"] for message in receiver.inbound()}) == 3


@pytest.mark.parametrize("act", [{"do": "tap", "button": "Pay"}, {"do": "pick", "row": "12:00"}])
def test_only_what_was_really_sent_can_be_tapped(simulator: Simulator, act: dict[str, str]) -> None:
    buttons(simulator)

    answer = requests.post(f"{simulator.url}/control/phones/{ANA}/act", json=act, timeout=10)

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_on_the_phone")


def test_what_has_not_arrived_cannot_be_tapped_nor_an_off_phone_used(simulator: Simulator) -> None:
    simulator.turn_off(ANA)
    buttons(simulator)
    off = requests.post(
        f"{simulator.url}/control/phones/{ANA}/act", json={"do": "tap", "button": "Confirm"}, timeout=10
    )
    assert off.json()["error"]["code"] == "phone_is_off"

    simulator.turn_on(ANA)
    simulator.settle()
    assert simulator.tap(ANA, "Confirm")


@pytest.mark.parametrize(
    ("do", "wish", "expected"),
    [
        ("text", {"body": "hola"}, {"type": "text", "text": {"body": "hola"}}),
        ("text", {"body": "x", "forwarded": True}, {"context": {"forwarded": True}}),
        ("location", {"latitude": 1, "longitude": 2}, {"location": {"latitude": 1, "longitude": 2}}),
        ("reaction", {"message": "w", "emoji": "\N{THUMBS UP SIGN}"}, {"reaction": {"message_id": "w", "emoji": "\N{THUMBS UP SIGN}"}}),
        ("reaction", {"message": "w"}, {"reaction": {"message_id": "w", "emoji": ""}}),
        ("reaction", {"message": "w", "bare": True}, {"reaction": {"message_id": "w"}}),
        ("revoke", {"message": "w"}, {"type": "revoke", "revoke": {"original_message_id": "w"}}),
        ("edit", {"message": "w", "body": "b"}, {"edit": {"original_message_id": "w", "message": {"type": "text", "text": {"body": "b"}}}}),
        ("flow_answer", {}, {"interactive": {"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{}"}}}),
    ],
)  # fmt: skip
def test_other_things_people_send(
    simulator: Simulator, receiver: Receiver, do: str, wish: dict[str, Any], expected: dict[str, Any]
) -> None:
    simulator.act(ANA, do, **wish)

    message = last(simulator, receiver)
    assert {key: message[key] for key in expected} == expected


def test_unsupported_broken_and_from_an_advertisement(simulator: Simulator, receiver: Receiver) -> None:
    simulator.act(ANA, "unsupported", code=131060, kind="poll")
    unsupported = last(simulator, receiver)
    simulator.act(ANA, "broken_interactive")
    broken = last(simulator, receiver)
    simulator.type_text(ANA, "Hi", referral=True)
    referred = last(simulator, receiver)

    assert (unsupported["errors"][0]["code"], unsupported["unsupported"]) == (131060, {"type": "poll"})
    assert broken["type"] == "interactive"
    assert "interactive" not in broken
    assert broken["errors"][0]["code"] == 131000
    assert referred["referral"]["source_type"] == "ad"


@pytest.mark.parametrize("kind", ["image", "document", "audio", "video", "sticker"])
def test_media_can_be_fetched_with_the_token(simulator: Simulator, receiver: Receiver, kind: str) -> None:
    simulator.act(ANA, "media", kind=kind, caption="x")
    item = last(simulator, receiver)[kind]

    described = simulator.graph("GET", item["id"]).json()
    content = requests.get(described["url"], headers={"Authorization": f"Bearer {TOKEN}"}, timeout=10)

    assert (described["sha256"], described["file_size"]) == (item["sha256"], len(content.content))
    assert requests.get(described["url"], timeout=10).status_code == 401


def test_a_person_known_by_user_id_only(simulator: Simulator, receiver: Receiver) -> None:
    simulator.phone(
        "+573000000001", name="Lu", username="@lu", hides_number="always", user_id="CO.77", parent_user_id="CO.ENT.7"
    )
    simulator.type_text("CO.77", "hola")
    simulator.settle()

    (message,), (contact,) = receiver.inbound(), receiver.values()[0]["contacts"]
    assert "from" not in message
    assert message["from_user_id"] == "CO.77"
    assert contact == {
        "user_id": "CO.77",
        "profile": {"name": "Lu", "username": "@lu"},
        "parent_user_id": "CO.ENT.7",
    }
    assert simulator.send({"recipient": "CO.77", "type": "text", "text": {"body": "hi"}}).ok


def test_a_user_name_hides_the_number_after_a_month_of_silence(simulator: Simulator, receiver: Receiver) -> None:
    simulator.phone(ANA, username="@ana", hides_number="rule")
    simulator.type_text(ANA, "soon")
    assert "from" in last(simulator, receiver)

    simulator.advance(timedelta(days=31))
    simulator.type_text(ANA, "later")
    assert "from" not in last(simulator, receiver)


def test_a_request_for_the_number_is_answered_with_a_contact(simulator: Simulator, receiver: Receiver) -> None:
    interactive = {"type": "request_contact_info", "body": {"text": "?"}, "action": {"name": "request_contact_info"}}
    simulator.send({"to": ANA, "type": "interactive", "interactive": interactive})
    simulator.settle()

    simulator.tap(ANA, 0)

    (card,) = last(simulator, receiver)["contacts"]
    assert (card["origin"], card["phones"][0]["wa_id"]) == ("contact_request", WA_ID)


def test_a_new_number_and_a_new_user_id(simulator: Simulator, receiver: Receiver) -> None:
    simulator.act(ANA, "change_user_id", user_id="CO.new")
    simulator.settle()
    assert receiver.inbound()[-1]["system"]["type"] == "user_changed_user_id"
    (update,) = receiver.values("user_id_update")[0]["user_id_update"]
    assert update["user_id"]["current"] == "CO.new"

    simulator.act("CO.new", "change_number", number="+57 310 000 0000")
    message = last(simulator, receiver)
    assert (message["from"], message["system"]["wa_id"]) == (WA_ID, "573100000000")
    assert "contacts" not in receiver.values()[-1]
    simulator.type_text("+573100000000", "new phone")
    assert last(simulator, receiver)["from"] == "573100000000"


def test_a_webhook_told_late_and_twice(simulator: Simulator, receiver: Receiver) -> None:
    simulator.type_text(ANA, "hola", late_seconds=60, twice=True)
    simulator.settle()
    assert receiver.inbound() == []

    simulator.advance(timedelta(minutes=1))
    simulator.settle()
    first, second = receiver.inbound()
    assert first == second
    assert len(receiver.received) == 2


def test_stopping_marketing_stops_nothing_else(simulator: Simulator, receiver: Receiver) -> None:
    provide(simulator, reminder(), reminder(name="offer", category="MARKETING"))
    simulator.act(ANA, "prefer", value="stop")
    simulator.settle()
    (preference,) = receiver.values("user_preferences")[0]["user_preferences"]
    assert (preference["category"], preference["value"]) == ("marketing_messages", "stop")

    send_template(simulator, ANA, filled())
    send_template(simulator, ANA, {**filled(), "name": "offer"})
    simulator.settle()
    assert [one["error_code"] for one in simulator.messages(direction="out")] == [None, 131050]

    simulator.act(ANA, "prefer", value="resume")
    send_template(simulator, ANA, {**filled(), "name": "offer"})
    simulator.settle()
    assert simulator.messages(direction="out")[-1]["state"] == "read"


def test_the_business_number_spoken_to_is_the_last_one(simulator: Simulator, receiver: Receiver) -> None:
    other = {"id": "222", "number": BUSINESS_NUMBER.replace("0100", "0200"), "verified_name": "Other"}
    simulator.provision(accounts=[account(), account(id="2", numbers=[other])])
    simulator.advance(timedelta(seconds=1))
    simulator.type_text(ANA, "to the other", number_id="222")
    simulator.type_text(ANA, "again")
    simulator.settle()

    assert receiver.values()[-1]["metadata"]["phone_number_id"] == "222"
