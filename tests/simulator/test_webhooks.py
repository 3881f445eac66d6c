"""Points 11 to 14: handshake, subscription, signature, redelivery, and everything receipts can do."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta
from typing import Any

import pytest

from tests.simulator.conftest import NOW
from tests.simulator.receiver import Receiver
from tests.simulator.running import APP_SECRET, WABA_ID, Simulator, account
from tests.simulator.templates import filled, provide, reminder, send_template

ANA = "+573001234567"
BEN = "+573007654321"


def say(simulator: Simulator, to: str = ANA, **rest: Any) -> str:
    answer = simulator.send({"to": to, "type": "text", "text": {"body": "Hola"}, **rest})
    wamid: str = answer.json()["messages"][0]["id"]
    return wamid


@pytest.fixture(autouse=True)
def _open_window(simulator: Simulator, receiver: Receiver) -> None:
    simulator.type_text(ANA, "hola")
    simulator.type_text(BEN, "hola")
    simulator.settle()
    receiver.received.clear()


def test_nothing_is_told_before_the_handshake(simulator: Simulator, receiver: Receiver) -> None:
    receiver.knows_token = False
    simulator.knobs(webhook={"url": receiver.url})
    say(simulator)
    settled = simulator.control("POST", "settle", {"timeout": 1.5})
    assert (settled["settled"], receiver.received) == (False, [])
    assert receiver.handshakes > 0

    receiver.knows_token = True
    simulator.settle()
    assert receiver.words() == ["sent", "delivered", "read"]


def test_an_account_without_subscription_is_told_nothing(simulator: Simulator, receiver: Receiver) -> None:
    assert simulator.graph("DELETE", f"{WABA_ID}/subscribed_apps").json() == {"success": True}
    say(simulator)
    simulator.settle()
    assert receiver.received == []
    assert simulator.graph("GET", f"{WABA_ID}/subscribed_apps").json() == {"data": []}

    simulator.graph("POST", f"{WABA_ID}/subscribed_apps")
    say(simulator)
    simulator.settle()
    assert receiver.words() == ["sent", "delivered", "read"]


def test_the_signature_is_over_the_raw_escaped_bytes(simulator: Simulator, receiver: Receiver) -> None:
    simulator.type_text(ANA, "sí, mañana 10/3 \N{GRINNING FACE}")
    simulator.settle()

    (post,) = receiver.received
    digest = hmac.new(APP_SECRET.encode(), post.raw, hashlib.sha256).hexdigest()
    assert post.headers["X-Hub-Signature-256"] == f"sha256={digest}"
    assert b"s\\u00ed, ma\\u00f1ana 10\\/3 \\ud83d\\ude00" in post.raw
    assert post.raw.isascii()
    assert receiver.inbound()[0]["text"]["body"] == "sí, mañana 10/3 \N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("form", "header"),
    [("missing", None), ("wrong", "sha256="), ("sha1", None), ("empty", "sha256=")],
)
def test_odd_signatures_for_one_post(simulator: Simulator, receiver: Receiver, form: str, header: str | None) -> None:
    receiver.answers = [401]
    simulator.knobs(webhook={"signature": form, "signature_left": 1})
    simulator.type_text(ANA, "hola")
    simulator.settle(hurry_retries=True)
    simulator.settle(hurry_retries=True)

    odd, right = receiver.received
    digest = hmac.new(APP_SECRET.encode(), odd.raw, hashlib.sha256).hexdigest()
    assert odd.raw == right.raw
    assert odd.headers.get("X-Hub-Signature-256") != f"sha256={digest}"
    assert (odd.headers.get("X-Hub-Signature-256") or "")[:7] == (header or "")
    assert ("X-Hub-Signature" in odd.headers) == (form == "sha1")
    assert right.headers["X-Hub-Signature-256"] == f"sha256={digest}"


def test_a_post_that_fails_comes_again_the_same_with_growing_gaps(simulator: Simulator, receiver: Receiver) -> None:
    receiver.answers = [500, 404, 302]
    say(simulator)
    simulator.settle()
    for wait, so_far in ((0.9, 1), (0.2, 2), (1.9, 2), (0.2, 3), (4.1, 4), (9, 4)):
        simulator.advance(timedelta(seconds=wait))
        simulator.settle()
        assert len(receiver.received) == so_far

    assert len({post.raw for post in receiver.received}) == 1
    post = simulator.posts()[0]
    assert (post["attempts"], post["state"]) == (4, "done")
    assert [answer["answer"] for answer in post["answers"]] == ["500", "404", "302", "200"]


def test_a_slow_answer_does_not_count(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(webhook={"timeout_seconds": 0.2})
    receiver.slow_seconds = 0.6
    say(simulator)
    simulator.settle()
    receiver.slow_seconds = 0.0
    simulator.settle(hurry_retries=True)

    assert [answer["answer"] for answer in simulator.posts()[0]["answers"]] == ["too slow", "200"]


def test_a_post_is_given_up_after_a_week(simulator: Simulator, receiver: Receiver) -> None:
    receiver.answers = [500, 500]
    say(simulator)
    simulator.settle()
    simulator.advance(timedelta(days=7, seconds=1))
    simulator.settle()

    assert simulator.posts()[0]["state"] == "given up"


def test_the_same_body_may_come_twice_at_once(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(webhook={"in_parallel_twice": True})
    receiver.slow_seconds = 0.2
    say(simulator)
    simulator.settle()

    assert receiver.most_at_once == 2
    assert len({post.raw for post in receiver.received}) == 1


def test_nobody_at_that_number_and_a_phone_that_blocks_us(simulator: Simulator, receiver: Receiver) -> None:
    simulator.phone(ANA, on_whatsapp=False)
    simulator.phone(BEN, blocks_us=True)
    say(simulator, ANA)
    say(simulator, BEN)
    simulator.advance(timedelta(days=40))
    simulator.settle()

    failed, sent = receiver.statuses()
    assert failed["errors"][0]["code"] == 131026
    assert sent["status"] == "sent"


def test_a_phone_that_is_off_gets_it_later_unless_it_ran_out(simulator: Simulator, receiver: Receiver) -> None:
    provide(simulator, reminder(message_send_ttl_seconds=3600))
    simulator.phone(ANA, off_until=(NOW + timedelta(hours=2)).isoformat())
    perishable = send_template(simulator, ANA, filled()).json()["messages"][0]["id"]
    lasting = say(simulator)
    simulator.settle()
    assert receiver.words() == ["sent", "sent"]

    simulator.advance(timedelta(hours=2))
    simulator.settle()
    assert receiver.words() == ["sent", "sent", "delivered", "read"]
    states = {one["wamid"]: one["state"] for one in simulator.messages(direction="out")}
    assert states == {perishable: "expired", lasting: "read"}


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"receipts": "hidden"}, ["sent", "delivered"]),
        ({"chat_open": True}, ["sent", "read"]),
        ({"conflict": True}, ["sent", "failed", "delivered", "read"]),
        ({"fails_with": 131049}, ["failed"]),
    ],
)
def test_odd_phones(simulator: Simulator, receiver: Receiver, traits: dict[str, Any], words: list[str]) -> None:
    simulator.phone(ANA, **traits)
    say(simulator)
    simulator.settle()

    assert receiver.words() == words


@pytest.mark.parametrize(("form", "contacts"), [("wa_id", [{"wa_id": "573001234567"}]), ("none", None)])
def test_receipts_with_few_contacts_or_none(
    simulator: Simulator, receiver: Receiver, form: str, contacts: list[dict[str, str]] | None
) -> None:
    simulator.phone(ANA, status_contacts=form, on_whatsapp=False)
    say(simulator)
    simulator.settle()

    assert receiver.values()[0].get("contacts") == contacts


def test_receipts_before_the_answer(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(receipts={"before_answer": True})
    wamid = say(simulator)

    assert receiver.words() == ["sent", "delivered", "read"]
    assert {status["id"] for status in receiver.statuses()} == {wamid}


def test_receipts_twice_and_in_the_wrong_order(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(receipts={"twice": True, "reversed": True})
    say(simulator)
    simulator.settle()

    assert receiver.words() == ["read", "delivered", "sent"] * 2
    assert len(receiver.received) == 2


def test_receipts_in_the_wrong_order_though_they_take_their_time(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(receipts={"instant": False, "reversed": True}, webhook={"batch_max": 1})
    say(simulator)
    simulator.settle(hurry_receipts=True)

    assert receiver.words() == ["read", "delivered", "sent"]


def test_withheld_receipts_are_told_when_released(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(receipts={"withhold": ["all"]})
    say(simulator)
    simulator.settle()
    assert receiver.received == []

    simulator.release_receipts()
    simulator.settle()
    assert receiver.words() == ["sent", "delivered", "read"]


def test_late_receipts_tell_when_it_was(simulator: Simulator, receiver: Receiver) -> None:
    simulator.knobs(receipts={"late_seconds": 3600})
    say(simulator)
    simulator.settle()
    assert receiver.received == []

    simulator.advance(timedelta(hours=1))
    simulator.settle()
    assert {status["timestamp"] for status in receiver.statuses()} == {str(int(NOW.timestamp()))}


def test_one_post_mixes_receipts_messages_accounts_and_fields(simulator: Simulator, receiver: Receiver) -> None:
    other = {"id": "222", "number": "+57 601 555 0200", "verified_name": "Other"}
    simulator.provision(accounts=[account(templates=[reminder()]), account(id="2", numbers=[other])])
    simulator.knobs(webhook={"hold": True})
    say(simulator)
    simulator.type_text(BEN, "hola", number_id="222")
    simulator.event("other", field="account_alerts", value={"alert_type": "x"}, waba_id=WABA_ID)
    simulator.type_text(ANA, "sí")
    simulator.settle()
    assert receiver.received == []

    simulator.knobs(webhook={"hold": False})
    simulator.settle()
    (post,) = receiver.received
    first, second = post.body["entry"]
    assert [entry["id"] for entry in (first, second)] == [WABA_ID, "2"]
    assert [change["field"] for change in first["changes"]] == ["messages", "account_alerts", "messages"]
    assert len(receiver.statuses()) == 3
    assert [message["text"]["body"] for message in receiver.inbound()] == ["sí", "hola"]


def test_a_receipt_for_a_message_never_sent(simulator: Simulator, receiver: Receiver) -> None:
    status = {"id": "wamid.unknown", "status": "delivered", "timestamp": "1772463600", "recipient_id": "573001234567"}
    value = {"messaging_product": "whatsapp", "metadata": {}, "statuses": [status]}
    change = {"field": "messages", "value": value}
    entry = {"id": WABA_ID, "changes": [change]}

    answer = simulator.post_raw(body={"object": "whatsapp_business_account", "entry": [entry]})

    assert answer == 200
    assert receiver.statuses() == [status]


def test_what_was_not_told_is_told_by_the_next_process(simulator: Simulator, receiver: Receiver) -> None:
    receiver.answers = [500]
    say(simulator)
    simulator.settle()
    before = simulator.messages()

    simulator.kill()
    simulator.start()
    simulator.settle(hurry_retries=True)

    assert receiver.words() == ["sent", "delivered", "read"] * 2
    assert simulator.messages() == before
    assert simulator.now() == NOW
