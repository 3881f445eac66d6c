"""What a person sent: every type of message Meta delivers, read into one shape.

Shapes: https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#messages-object and the samples of
pywa's test suite; what is missing or unknown reads as empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from messaging.channels.whatsapp.webhook.reading import Json, clean, moment, part, parts, word

LONGEST_TEXT = 4096

# They change or mark another message, or tell of the person; nothing is asked. Whether they open the window is not
# documented, so they do not.
ASIDES = frozenset({"reaction", "edit", "revoke", "system"})

_REPLIES = {"button_reply": "button", "list_reply": "list", "nfm_reply": "flow"}
_MEDIA = frozenset({"image", "document", "audio", "video", "sticker"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote, as far as Meta says. At least one is set; a user with a username may show no number."""

    whatsapp_id: str = field(default="", repr=False)
    user_id: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """The same person is known by another id from now on. Empty where it stays."""

    old_user_id: str = field(default="", repr=False)
    new_user_id: str = field(default="", repr=False)
    new_whatsapp_id: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedMessage:
    """One message from a person.

    type: as Meta names it, but "button", "list" and "flow" for the answers to those, "unsupported" for a broken one.
    text: what was typed, or the label that was tapped. payload: of the button or row.
    quoted_id: the provider's id of the message that was answered.
    sent_at: the person's own timestamp; None when Meta's cannot be read.
    """

    provider_message_id: str
    author: Author
    type: str
    sent_at: datetime | None
    text: str = field(default="", repr=False)
    payload: str = ""
    quoted_id: str = ""
    renaming: Renaming | None = None

    @property
    def is_aside(self) -> bool:
        return self.type in ASIDES


def read_message(value: Json) -> ReceivedMessage | None:
    """The message of an item; None when it has no id or nobody wrote it."""
    message: Json = next(parts(value, "messages"), {})
    author = _author(message, value)
    provider_message_id = word(message, "id", length=160)
    if not provider_message_id or author == Author():
        return None
    kind, text, payload = _content(message)
    return ReceivedMessage(
        provider_message_id=provider_message_id,
        author=author,
        type=kind[:24],
        sent_at=moment(message, "timestamp"),
        text=text,
        payload=payload,
        # `context.from` is a number in some payloads and an id in others; a forwarded message has no `context.id`.
        quoted_id=word(part(message, "context"), "id", length=160),
        renaming=_renaming(message),
    )


def _author(message: Json, value: Json) -> Author:
    contact: Json = next(parts(value, "contacts"), {})
    return author_of(
        word(message, "from", length=160) or word(contact, "wa_id", length=160) or _shared_number(message),
        word(message, "from_user_id", length=160) or word(contact, "user_id", length=160),
    )


def author_of(whatsapp_id: str, user_id: str) -> Author:
    """A number is digits; anything else that stands in its place can only be an id of the other kind."""
    digits = whatsapp_id.removeprefix("+")
    if re.fullmatch(r"[0-9]{6,15}", digits):
        return Author(whatsapp_id=digits, user_id=user_id)
    return Author(user_id=user_id or whatsapp_id)


def _content(message: Json) -> tuple[str, str, str]:
    """Type, text and payload."""
    kind = word(message, "type", length=24) or "unknown"
    content = part(message, kind)
    if kind == "text":
        return kind, _text(content, "body"), ""
    if kind == "button":
        return kind, _text(content, "text"), word(content, "payload", length=256)
    if kind == "interactive":
        return _reply(content)
    if kind in _MEDIA:
        return kind, _text(content, "caption"), ""
    if kind == "reaction":
        return kind, _text(content, "emoji"), ""
    if kind == "edit":
        return kind, _text(part(content, "message", "text"), "body"), ""
    if kind == "location":
        return kind, _place(content), ""
    if kind == "system":
        return kind, word(content, "type", length=64), ""
    return kind, "", ""


def _reply(interactive: Json) -> tuple[str, str, str]:
    """Meta has delivered interactive messages with no reply in them at all."""
    name = word(interactive, "type", length=24)
    reply = part(interactive, name)
    if name not in _REPLIES or not reply:
        return "unsupported", "", ""
    return _REPLIES[name], _text(reply, "title") or _text(reply, "body"), word(reply, "id", length=256)


def _place(location: Json) -> str:
    named = ", ".join(filter(None, (word(location, "name"), word(location, "address"))))
    return named or ", ".join(filter(None, (word(location, "latitude"), word(location, "longitude"))))


def _shared_number(message: Json) -> str:
    """Only the answer to our own request for the number proves whose it is; any other card may be anybody's."""
    for card in parts(message, "contacts"):
        if word(card, "origin") == "contact_request":
            phone: Json = next(parts(card, "phones"), {})
            return word(phone, "wa_id", length=64) or "".join(filter(str.isdigit, word(phone, "phone", length=64)))
    return ""


def _renaming(message: Json) -> Renaming | None:
    system = part(message, "system")
    match word(system, "type"):
        case "user_changed_number" | "customer_changed_number":
            return Renaming(
                new_whatsapp_id=word(system, "wa_id", length=64) or word(system, "new_wa_id", length=64),
                new_user_id=word(system, "user_id", length=160),
            )
        case "user_changed_user_id":
            changed = part(system, "user_id")
            return Renaming(
                old_user_id=word(changed, "previous", length=160) or word(system, "previous_user_id", length=160),
                new_user_id=word(changed, "current", length=160) or word(system, "user_id", length=160),
            )
        case _:
            return None


def _text(value: object, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return clean(found)[:LONGEST_TEXT] if isinstance(found, str) else ""
