from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from messaging.channels.whatsapp.webhook.messages import Author, ReceivedMessage, read_message
from tests.messaging.meta import message, odd_types, text, value_of


def read(found: dict[str, Any], **rest: Any) -> ReceivedMessage:
    received = read_message(value_of(messages=[found], **rest))
    assert received is not None
    return received


@pytest.mark.parametrize("name", sorted(odd_types(datetime(2026, 4, 14, tzinfo=UTC))))
def test_every_type_meta_delivers_can_be_read(name: str, now: datetime) -> None:
    received = read(odd_types(now)[name])

    assert received.provider_message_id == f"wamid.{name}"
    assert received.sent_at == now
    assert 0 < len(received.type) <= 24
    assert "\0" not in received.text
    received.text.encode()


@pytest.mark.parametrize(
    ("name", "kind", "payload", "said"),
    [
        ("template-tap", "button", "Sí", "Sí"),
        ("template-tap-bare", "button", "", "Sí"),
        ("button-reply", "button", "x", "Sí"),
        ("list-reply", "list", "s", "10:30"),
        ("flow", "flow", "", "Sent"),
        ("interactive-broken", "unsupported", "", ""),
        ("interactive-null", "unsupported", "", ""),
        ("image", "image", "", "mi radiografía"),
        ("location", "location", "", "40.4, -3.7"),
        ("location-named", "location", "", "Bar, C/ 1"),
        ("edit", "edit", "", "no"),
        ("text-of-nul", "text", "", "ab?c"),
    ],
)
def test_taps_and_words_are_found_wherever_meta_puts_them(
    name: str, kind: str, payload: str, said: str, now: datetime
) -> None:
    received = read(odd_types(now)[name])

    assert (received.type, received.payload, received.text) == (kind, payload, said)


@pytest.mark.parametrize("name", ["reaction", "reaction-removed", "edit", "revoke", "system-bare"])
def test_what_only_marks_another_message_asks_for_no_answer(name: str, now: datetime) -> None:
    assert read(odd_types(now)[name]).is_aside


def test_a_user_without_a_number_is_known_by_the_other_id(now: datetime) -> None:
    nameless = text("hola", wamid="w", at=now, sender="", from_user_id="US.13491208655302741918")

    assert read(nameless).author == Author(user_id="US.13491208655302741918")


@pytest.mark.parametrize("contacts", [[], [{}], [{"wa_id": "34600111222"}], [{"profile": None, "user_id": None}]])
def test_contacts_may_be_missing_or_bare(contacts: list[Any], now: datetime) -> None:
    assert read(text("hola", wamid="w", at=now), contacts=contacts).author.whatsapp_id == "34600111222"


def test_both_ids_are_learned_when_the_contact_has_both(now: datetime) -> None:
    contacts = [{"wa_id": "34600111222", "user_id": "ES.1", "parent_user_id": "ES.ENT.1"}]

    received = read(text("hola", wamid="w", at=now), contacts=contacts)

    assert received.author == Author(whatsapp_id="34600111222", user_id="ES.1")


def test_an_id_of_the_other_kind_in_the_place_of_the_number_is_no_number(now: datetime) -> None:
    assert read(text("hola", wamid="w", at=now, sender="CO.1349")).author == Author(user_id="CO.1349")


@pytest.mark.parametrize("stamp", ["", "x", None, "-5", "1e400", "99999999999999", 12, True, [1]])
def test_a_timestamp_that_cannot_be_one_is_none(stamp: object, now: datetime) -> None:
    assert read({**text("hola", wamid="w", at=now), "timestamp": stamp}).sent_at is None


@pytest.mark.parametrize("found", [{}, {"id": "w"}, {"from": "34600111222"}, {"id": "", "from": "34600111222"}])
def test_a_message_of_nobody_or_without_an_id_is_none(found: dict[str, Any]) -> None:
    assert read_message(value_of(messages=[found])) is None
    assert read_message({}) is None


def test_a_number_is_a_proof_only_when_it_was_asked_for(now: datetime) -> None:
    card = {"phones": [{"phone": "+34 600 999 888", "wa_id": "34600999888"}]}

    def author_of_card(origin: str) -> Author:
        cards = [{**card, "origin": origin}]
        return read(message("contacts", wamid="w", at=now, sender="", from_user_id="ES.1", contacts=cards)).author

    assert author_of_card("contact_request") == Author(whatsapp_id="34600999888", user_id="ES.1")
    assert author_of_card("other") == Author(user_id="ES.1")


def test_what_people_wrote_does_not_show_when_a_message_is_printed(now: datetime) -> None:
    received = read(text("secreto", wamid="w", at=now))

    assert "secreto" not in repr(received)
    assert "34600111222" not in repr(received)
