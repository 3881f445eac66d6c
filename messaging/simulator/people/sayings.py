"""The webhook form of each thing a person can send."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.graph.errors import error_in_a_status
from messaging.simulator.ids import new_object_id
from messaging.simulator.people.inbound import Said
from messaging.simulator.people.phones import Phone
from messaging.simulator.world import World

Saying = Callable[[World, Phone, str, Mapping[str, Any]], Said]
MIME_TYPES = {
    "image": "image/jpeg",
    "document": "application/pdf",
    "audio": "audio/ogg; codecs=opus",
    "video": "video/mp4",
    "sticker": "image/webp",
}
PIXEL = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")


def wanted(wish: Mapping[str, Any], key: str) -> str:
    value = wish.get(key)
    if not isinstance(value, str) or not value:
        raise BadControlRequestError(f"This needs a {key!r}.")
    return value


def business_digits(world: World, number_id: str) -> str:
    return str(world.ledger.value("SELECT digits FROM numbers WHERE id = ?", number_id))


def quoting(world: World, number_id: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    quoted = wish.get("quotes")
    return {"context": {"from": business_digits(world, number_id), "id": quoted}} if quoted else {}


def text(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    body = wanted(wish, "body")
    payload: dict[str, Any] = {"text": {"body": body}, **quoting(world, number_id, wish)}
    if wish.get("forwarded"):
        payload["context"] = {"forwarded": True}
    if wish.get("referral"):
        payload["referral"] = {"source_type": "ad", "source_id": "120212345", "ctwa_clid": "ARAkLkA8rmlFeiCktEJQ"}
    return Said(type="text", payload=payload, shown={"body": body}, quotes=wish.get("quotes"), summary="text")


def media(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    kind = wish.get("kind", "image")
    if kind not in MIME_TYPES:
        raise BadControlRequestError(f"Media is one of {', '.join(MIME_TYPES)}.")
    content, media_id = PIXEL, new_object_id()
    digest = hashlib.sha256(content).hexdigest()
    world.ledger.add(
        "media", id=media_id, number_id=number_id, mime_type=MIME_TYPES[kind], sha256=digest, content=content,
        created_at=world.clock.now(),
    )  # fmt: skip
    item: dict[str, Any] = {"id": media_id, "mime_type": MIME_TYPES[kind], "sha256": digest}
    item |= {key: wish[key] for key in ("caption", "filename") if wish.get(key)}
    if kind == "audio":
        item["voice"] = True
    if kind == "sticker":
        item["animated"] = False
    shown = {"media": kind, "body": wish.get("caption", ""), "filename": wish.get("filename", "")}
    return Said(type=kind, payload={kind: item, **quoting(world, number_id, wish)}, shown=shown, summary=kind)


def location(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    item = {"latitude": wish.get("latitude", 4.6097), "longitude": wish.get("longitude", -74.0817)}
    item |= {key: wish[key] for key in ("name", "address", "url") if wish.get(key)}
    shown = {"location": {"name": wish.get("name", ""), "address": wish.get("address", "")}, "body": ""}
    return Said(type="location", payload={"location": item}, shown=shown, summary="location")


def contacts(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    """The person's own number, as an answer to a request or of their own accord."""
    card = {
        "name": {"formatted_name": phone.name, "first_name": phone.name.split()[0]},
        "phones": [{"phone": f"+{phone.digits}", "wa_id": phone.wa_id, "type": "CELL"}],
        "origin": wish.get("origin", "contact_request"),
    }
    shown = {"body": phone.name, "contacts": [phone.name]}
    return Said(
        type="contacts", payload={"contacts": [card], **quoting(world, number_id, wish)}, shown=shown, summary="contact"
    )


def reaction(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    """Without `emoji` the reaction is taken back: an empty string, or with `bare` no key at all."""
    target, emoji = wanted(wish, "message"), wish.get("emoji", "")
    item = {"message_id": target} if wish.get("bare") else {"message_id": target, "emoji": emoji}
    shown = {"reaction": emoji, "to": target, "body": ""}
    return Said(type="reaction", payload={"reaction": item}, shown=shown, summary="reaction", opens_window=False)


def edit(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    body, original = wanted(wish, "body"), wanted(wish, "message")
    item = {"original_message_id": original, "message": {"type": "text", "text": {"body": body}}}
    return Said(
        type="edit", payload={"edit": item}, shown={"body": body, "edits": original}, summary="edit", opens_window=False
    )


def revoke(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    original = wanted(wish, "message")
    return Said(
        type="revoke",
        payload={"revoke": {"original_message_id": original}},
        shown={"body": "", "revokes": original},
        summary="revoke",
        opens_window=False,
    )


def unsupported(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    code = wish.get("code", 131051)
    payload: dict[str, Any] = {"errors": [error_in_a_status(code)]}
    if wish.get("kind"):
        payload["unsupported"] = {"type": wish["kind"]}
    return Said(type="unsupported", payload=payload, shown={"unsupported": True, "body": ""}, summary="unsupported")


def broken_interactive(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    payload = {"errors": [error_in_a_status(131000)]}
    return Said(
        type="interactive", payload=payload, shown={"unsupported": True, "body": ""}, summary="broken interactive"
    )


def flow_answer(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> Said:
    answer = {"name": "flow", "body": "Sent", "response_json": wish.get("response_json", "{}")}
    payload = {"interactive": {"type": "nfm_reply", "nfm_reply": answer}}
    return Said(type="interactive", payload=payload, shown={"body": "Sent"}, summary="form")


SAYINGS: dict[str, Saying] = {
    "text": text,
    "media": media,
    "location": location,
    "contacts": contacts,
    "reaction": reaction,
    "edit": edit,
    "revoke": revoke,
    "unsupported": unsupported,
    "broken_interactive": broken_interactive,
    "flow_answer": flow_answer,
}
