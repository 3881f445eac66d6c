from __future__ import annotations

from typing import Any
from uuid import UUID

from messaging.channels.base import (
    Account,
    Button,
    FreeContent,
    OutboundMessage,
    Row,
    Section,
    TemplateContent,
)
from messaging.channels.whatsapp.payloads import outbound

ATTEMPT = UUID("01890000-0000-7000-8000-000000000002")
ACCOUNT = Account(account_id=1, clinic_id=1, channel="whatsapp", external_id="106", secrets={"access_token": "t"})


def message(content: FreeContent | TemplateContent, **rest: Any) -> OutboundMessage:
    if "user_id" not in rest:
        rest["phone"] = "+573001234567"
    return OutboundMessage(attempt_id=ATTEMPT, account=ACCOUNT, content=content, **rest)


def template(**rest: Any) -> TemplateContent:
    wish: dict[str, Any] = {"name": "visit_moved", "language": "es", "is_named": True, "parameters": ()}
    return TemplateContent(**{**wish, **rest})


def components(content: TemplateContent) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = outbound(message(content))["template"]["components"]
    return found


def test_a_text_goes_to_the_number_with_its_plus_and_carries_the_attempt() -> None:
    payload = outbound(message(FreeContent(body="Hello")))

    assert payload == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "+573001234567",
        "biz_opaque_callback_data": str(ATTEMPT),
        "type": "text",
        "text": {"body": "Hello", "preview_url": False},
    }


def test_a_user_without_a_number_is_addressed_as_recipient() -> None:
    payload = outbound(message(FreeContent(body="Hello"), user_id="US.13491208655302741918"))

    assert payload["recipient"] == "US.13491208655302741918"
    assert "to" not in payload


def test_a_number_wins_over_a_user_id() -> None:
    payload = outbound(message(FreeContent(body="Hello"), user_id="US.1", phone="+573001234567"))

    assert payload["to"] == "+573001234567"
    assert "recipient" not in payload


def test_an_answer_quotes_what_it_answers() -> None:
    payload = outbound(message(FreeContent(body="Hello"), quoted_provider_id="wamid.1"))

    assert payload["context"] == {"message_id": "wamid.1"}


def test_buttons() -> None:
    payload = outbound(message(FreeContent(body="Can you come?", buttons=(Button(payload="m:1:yes", label="Yes"),))))

    assert payload["type"] == "interactive"
    assert payload["interactive"] == {
        "type": "button",
        "body": {"text": "Can you come?"},
        "action": {"buttons": [{"type": "reply", "reply": {"id": "m:1:yes", "title": "Yes"}}]},
    }


def test_a_list_leaves_out_what_is_empty() -> None:
    rows = (Row(payload="m:1:a", title="10:30"), Row(payload="m:1:b", title="11:00", description="Dr Soto"))
    content = FreeContent(body="Pick a time", list_label="See times", sections=(Section(title="", rows=rows),))

    payload = outbound(message(content))

    assert payload["interactive"]["action"] == {
        "button": "See times",
        "sections": [
            {
                "rows": [
                    {"id": "m:1:a", "title": "10:30"},
                    {"id": "m:1:b", "title": "11:00", "description": "Dr Soto"},
                ]
            }
        ],
    }


def test_each_parameter_of_a_named_template_has_its_name() -> None:
    assert components(template(parameters=(("patient", "Ana"), ("when", "mar 3, 10:30")))) == [
        {
            "type": "body",
            "parameters": [
                {"type": "text", "parameter_name": "patient", "text": "Ana"},
                {"type": "text", "parameter_name": "when", "text": "mar 3, 10:30"},
            ],
        }
    ]


def test_no_parameter_of_a_positional_template_has_one() -> None:
    assert components(template(is_named=False, parameters=(("patient", "Ana"),))) == [
        {"type": "body", "parameters": [{"type": "text", "text": "Ana"}]}
    ]


def test_a_header_comes_before_the_body() -> None:
    content = template(header_parameters=(("clinic", "Sol"),), parameters=(("patient", "Ana"),))

    assert [component["type"] for component in components(content)] == ["header", "body"]


def test_a_link_after_two_quick_replies_has_index_two_and_only_its_suffix() -> None:
    content = template(button_payloads={0: "m:1:confirm", 1: "m:1:cancel"}, url_suffixes={2: "tok_Ab12"})

    assert components(content) == [
        {
            "type": "button",
            "sub_type": "quick_reply",
            "index": "0",
            "parameters": [{"type": "payload", "payload": "m:1:confirm"}],
        },
        {
            "type": "button",
            "sub_type": "quick_reply",
            "index": "1",
            "parameters": [{"type": "payload", "payload": "m:1:cancel"}],
        },
        {"type": "button", "sub_type": "url", "index": "2", "parameters": [{"type": "text", "text": "tok_Ab12"}]},
    ]


def test_a_template_without_anything_to_fill_has_no_components() -> None:
    payload = outbound(message(template()))

    assert payload["template"] == {"name": "visit_moved", "language": {"code": "es"}}
