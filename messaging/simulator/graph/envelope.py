"""The envelope every send has: product, recipient, callback data, quote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.shape import a_text, an_object, only
from messaging.simulator.numbers import digits_of

TYPES = frozenset({
    "text", "template", "interactive", "image", "document", "audio", "video", "sticker", "location", "contacts",
    "reaction",
})  # fmt: skip
KEYS = TYPES | {
    "messaging_product", "recipient_type", "to", "recipient", "type", "context", "biz_opaque_callback_data",
    "recipient_identity_key_hash", "status", "message_id", "typing_indicator",
}  # fmt: skip
USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")
LONGEST_CALLBACK = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """Whom a send names. A user id put where a number belongs is `misplaced`: taken, and heard of no more."""

    typed: str
    digits: str = ""
    user_id: str = ""
    misplaced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    addressed: Addressed
    kind: str
    callback: str | None
    quotes: str | None


def checked_envelope(request: Mapping[str, Any], *, business_digits: str) -> Envelope:
    """Raises: GraphError."""
    check_product(request)
    kind = request.get("type", "text")
    if kind not in TYPES:
        raise GraphError(100, f"Param type must be one of {', '.join(sorted(TYPES))}.")
    return Envelope(
        addressed=addressed_in(request, business_digits=business_digits),
        kind=kind,
        callback=callback_in(request),
        quotes=quoted_in(request),
    )


def check_product(request: Mapping[str, Any]) -> None:
    only(request, KEYS, where="messages")
    if request.get("messaging_product") != "whatsapp":
        raise GraphError(100, "The parameter messaging_product is required and must be whatsapp.")


def addressed_in(request: Mapping[str, Any], *, business_digits: str) -> Addressed:
    """`to` wins over `recipient`."""
    if request.get("recipient_type", "individual") not in ("individual", "group"):
        raise GraphError(100, "Param recipient_type must be one of individual, group.")
    if request.get("to") not in (None, ""):
        typed = str(request["to"])
        if USER_ID.fullmatch(typed):
            return Addressed(typed=typed, user_id=typed, misplaced=True)
        digits = digits_of(typed, business_digits=business_digits)
        if digits is None:
            raise GraphError(131009, "Param to is not a phone number.")
        if digits == business_digits:
            raise GraphError(131021, "Sender and recipient are the same number.")
        return Addressed(typed=typed, digits=digits)
    user_id = a_text(request, "recipient", where="", longest=140) if request.get("recipient") else ""
    if not user_id:
        raise GraphError(131008, "The parameter to is required.")
    if not USER_ID.fullmatch(user_id):
        raise GraphError(131009, "Param recipient is not a business-scoped user id.")
    return Addressed(typed=user_id, user_id=user_id)


def callback_in(request: Mapping[str, Any]) -> str | None:
    value = request.get("biz_opaque_callback_data")
    if value is not None and (not isinstance(value, str) or len(value) > LONGEST_CALLBACK):
        raise GraphError(
            100, f"Param biz_opaque_callback_data must be a string of at most {LONGEST_CALLBACK} characters."
        )
    return value


def quoted_in(request: Mapping[str, Any]) -> str | None:
    if request.get("context") is None:
        return None
    return a_text(an_object(request, "context", where=""), "message_id", where="context", longest=128)
