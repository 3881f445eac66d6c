from __future__ import annotations

import json
from datetime import datetime

import pytest

from messaging.channels.whatsapp.webhook.envelope import DEEPEST, ItemKind, take_apart
from messaging.errors import GarbledWebhookError
from tests.messaging.meta import BUSINESS_ID, NUMBER_ID, call, status, text, value_of, wire


def test_each_message_and_status_of_all_entries_becomes_an_item_of_its_own(now: datetime) -> None:
    first = call(
        value_of(messages=[text("a", wamid="w1", at=now), text("b", wamid="w2", at=now)], number_id="1"),
        value_of(statuses=[status("sent", wamid="w3", at=now)], number_id="2"),
    )
    second = call(value_of(messages=[text("c", wamid="w4", at=now)]), business_id="other")

    items = take_apart(wire({**first, "entry": first["entry"] + second["entry"]}))

    assert [(item.unique_key, item.phone_number_id, item.business_account_id) for item in items] == [
        ("m:w1", "1", BUSINESS_ID),
        ("m:w2", "1", BUSINESS_ID),
        ("s:w3:sent", "2", BUSINESS_ID),
        ("m:w4", NUMBER_ID, "other"),
    ]


def test_an_item_keeps_its_own_contact_and_every_field_we_do_not_know(now: datetime) -> None:
    ana = {"wa_id": "34600111222", "profile": {"name": "Ana"}, "new_field": 1}
    leo = {"wa_id": "34600333444", "user_id": "ES.9"}
    value = value_of(
        messages=[text("a", wamid="w1", at=now), text("b", wamid="w2", at=now, sender="34600333444")],
        contacts=[ana, leo],
    )

    bodies = [json.loads(item.body)["value"] for item in take_apart(wire(call({**value, "later": {"x": 1}})))]

    assert [body["contacts"] for body in bodies] == [[ana], [leo]]
    assert [body["later"] for body in bodies] == [{"x": 1}, {"x": 1}]


def test_the_same_item_has_the_same_key_in_another_call(now: datetime) -> None:
    ours = status("delivered", wamid="w1", at=now)

    alone = take_apart(wire(call(value_of(statuses=[ours]))))
    among_others = take_apart(wire(call(value_of(messages=[text("a", wamid="w2", at=now)], statuses=[ours]))))

    assert alone[0].unique_key == among_others[1].unique_key


def test_the_same_news_at_another_time_is_another_item() -> None:
    def paused(at: int) -> str:
        news = call({"event": "PAUSED", "message_template_name": "x"}, field="message_template_status_update")
        news["entry"][0]["time"] = at
        return take_apart(wire(news))[0].unique_key

    assert paused(1) == paused(1)
    assert paused(1) != paused(2)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"entry": {}}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"entry": ' + b"9" * 5000 + b"}",
        b'{"entry": [' + b"[" * 200 + b"]" * 200 + b"]}",
        *(b'{"entry": [{"changes": %s}]}' % (b'[{"value": ' * n + b"1" + b"}]" * n) for n in (40, 480, 490, 494)),
        *(b'{"entry": [%s]}' % (b'{"a":' * n + b"1" + b"}" * n) for n in range(900, 1010, 9)),
    ],
)
def test_what_is_no_envelope_is_garbled(body: bytes) -> None:
    with pytest.raises(GarbledWebhookError):
        take_apart(body)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "x",
        {},
        {"id": 3, "changes": "x"},
        {"changes": [None]},
        {"changes": [{"field": "messages", "value": None}]},
        {"changes": [{"field": ["x"], "value": {"messages": "x", "statuses": [1], "errors": []}}]},
        {"changes": [{"field": "messages", "value": {"metadata": "x", "contacts": [None, {"wa_id": None}]}}]},
    ],
)
def test_a_part_of_a_strange_shape_is_kept_as_one_item(entry: object) -> None:
    (item,) = take_apart(wire({"entry": [entry]}))

    assert item.kind == ItemKind.NEWS
    assert item.unique_key.startswith("h:")


def test_an_item_without_a_usable_id_is_known_by_its_hash(now: datetime) -> None:
    nameless = {"from": "34600111222", "type": "text"}
    endless = text("a", wamid="w" * 3000, at=now)

    items = take_apart(wire(call(value_of(messages=[nameless, endless], statuses=[{"status": "sent"}]))))

    assert [item.kind for item in items] == [ItemKind.MESSAGE, ItemKind.MESSAGE, ItemKind.RECEIPT]
    assert len({item.unique_key for item in items}) == 3
    assert all(len(item.unique_key) < 100 for item in items)


def test_what_is_as_deep_as_a_call_may_be_is_taken() -> None:
    depth = DEEPEST - 3

    (item,) = take_apart(b'{"entry": [%s]}' % (b"[" * depth + b"]" * depth))

    assert item.kind == ItemKind.NEWS


def test_what_people_wrote_is_not_in_an_item_s_own_words(now: datetime) -> None:
    (item,) = take_apart(wire(call(value_of(messages=[text("secreto", wamid="w1", at=now)]))))

    assert "secreto" in item.body
    assert "secreto" not in repr(item)
