"""What Meta sends, as its own samples look, and how it signs."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.test import Client

SECRET = "app-secret"
URL = "/webhooks/whatsapp/"
NUMBER_ID = "106540352242922"
BUSINESS_ID = "102290129340398"


def wire(call: Any) -> bytes:
    """Escaped as Meta escapes: ASCII with small hex digits, slashes too."""
    return json.dumps(call, ensure_ascii=True).replace("/", "\\/").encode()


def sign(body: bytes, *, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def post(client: Client, call: Any) -> Any:
    return post_raw(client, wire(call))


def post_raw(client: Client, body: bytes, *, signature: str | None = None) -> Any:
    header = sign(body) if signature is None else signature
    return client.post(URL, body, content_type="application/json", headers={"X-Hub-Signature-256": header})


def call(*values: Any, business_id: str = BUSINESS_ID, field: str = "messages") -> dict[str, Any]:
    changes = [{"field": field, "value": value} for value in values]
    entry = {"id": business_id, "time": 1776150000, "changes": changes}
    return {"object": "whatsapp_business_account", "entry": [entry]}


def value_of(
    *,
    messages: Sequence[Any] = (),
    statuses: Sequence[Any] = (),
    contacts: Sequence[Any] = (),
    number_id: str = NUMBER_ID,
) -> dict[str, Any]:
    value: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": number_id},
    }
    for name, items in (("contacts", contacts), ("messages", messages), ("statuses", statuses)):
        if items:
            value[name] = list(items)
    return value


def message(kind: str, *, wamid: str, at: datetime, sender: str = "34600111222", **rest: Any) -> dict[str, Any]:
    """`sender` empty: a user who shows no number. Give `from_user_id` then."""
    found = {"id": wamid, "timestamp": str(int(at.timestamp())), "type": kind, **rest}
    return {"from": sender, **found} if sender else found


def text(body: str, *, wamid: str, at: datetime, **rest: Any) -> dict[str, Any]:
    return message("text", wamid=wamid, at=at, text={"body": body}, **rest)


def status(name: str, *, wamid: str, at: datetime, **rest: Any) -> dict[str, Any]:
    return {
        "id": wamid,
        "status": name,
        "timestamp": str(int(at.timestamp())),
        "recipient_id": "34600111222",
        **rest,
    }


def odd_types(at: datetime) -> dict[str, dict[str, Any]]:
    """Every type and shape that Meta is known to have delivered."""
    media = {"id": "1003383421387256", "mime_type": "image/jpeg", "sha256": "SfInY0gG"}
    context = {"from": "15550783881", "id": "wamid.of-something-else"}
    shapes: dict[str, dict[str, Any]] = {
        "text": {"type": "text", "text": {"body": "Hola ¿está /abierto/? \U0001f600"}},
        "text-without-body": {"type": "text", "text": {}},
        "text-of-nul": {"type": "text", "text": {"body": "a\0b\ud800c"}},
        "text-forwarded": {"type": "text", "text": {"body": "x"}, "context": {"forwarded": True}},
        "text-referral": {"type": "text", "text": {"body": "x"}, "referral": {"source_type": "ad", "ctwa_clid": "A"}},
        "template-tap": {"type": "button", "button": {"payload": "Sí", "text": "Sí"}, "context": context},
        "template-tap-bare": {"type": "button", "button": {"text": "Sí"}},
        "button-reply": {
            "type": "interactive",
            "interactive": {"type": "button_reply", "button_reply": {"id": "x", "title": "Sí"}},
            "context": context,
        },
        "list-reply": {
            "type": "interactive",
            "interactive": {"type": "list_reply", "list_reply": {"id": "s", "title": "10:30", "description": "d"}},
        },
        "flow": {
            "type": "interactive",
            "interactive": {"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{}"}},
        },
        "interactive-broken": {"type": "interactive", "errors": [{"code": 131000, "title": "Something went wrong"}]},
        "interactive-null": {"type": "interactive", "interactive": None},
        "image": {"type": "image", "image": {**media, "caption": "mi radiografía"}},
        "document": {"type": "document", "document": {**media, "filename": "a.pdf"}},
        "audio": {"type": "audio", "audio": {**media, "voice": True}},
        "video": {"type": "video", "video": media},
        "sticker": {"type": "sticker", "sticker": {**media, "animated": False}},
        "location": {"type": "location", "location": {"latitude": 40.4, "longitude": -3.7}},
        "location-named": {
            "type": "location",
            "location": {"latitude": 1, "longitude": 2, "name": "Bar", "address": "C/ 1"},
        },
        "contacts": {
            "type": "contacts",
            "contacts": [{"name": {"formatted_name": "A"}, "phones": [{"phone": "+34 6"}]}],
        },
        "contacts-empty": {"type": "contacts", "contacts": []},
        "reaction": {"type": "reaction", "reaction": {"message_id": "wamid.x", "emoji": "\U0001f44d"}},
        "reaction-removed": {"type": "reaction", "reaction": {"message_id": "wamid.x"}},
        "edit": {
            "type": "edit",
            "edit": {"original_message_id": "wamid.x", "message": {"type": "text", "text": {"body": "no"}}},
        },
        "revoke": {"type": "revoke", "revoke": {"original_message_id": "wamid.x"}},
        "system-number": {
            "type": "system",
            "system": {"type": "user_changed_number", "wa_id": "34600999888", "body": "A changed"},
        },
        "system-identity": {"type": "system", "system": {"type": "customer_identity_changed", "body": "A changed"}},
        "system-user-id": {"type": "system", "system": {"type": "user_changed_user_id", "user_id": "ES.2"}},
        "system-bare": {"type": "system"},
        "unsupported": {
            "type": "unsupported",
            "errors": [{"code": 131051, "title": "Message type unknown"}],
            "unsupported": {"type": "poll"},
        },
        "order": {"type": "order", "order": {"catalog_id": "1", "product_items": []}},
        "request_welcome": {"type": "request_welcome"},
        "type-unheard-of": {"type": "hologram", "hologram": {"depth": 3}},
        "type-missing": {},
        "everything-of-another-type": {"type": ["x"], "text": 3, "context": "x", "interactive": []},
    }
    stamp = str(int(at.timestamp()))
    return {
        name: {"from": "34600111222", "id": f"wamid.{name}", "timestamp": stamp, **shape}
        for name, shape in shapes.items()
    }
