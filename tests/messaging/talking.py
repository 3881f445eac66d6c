"""Short ways to let people talk in tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from messaging.events import InboundReceived
from outbox.models import OutboxEvent
from tests.messaging.meta import message

Say = Callable[..., None]
"""Delivers messages by a signed call, and handles them."""


def tap(wamid: str, *, at: datetime, said: str, label: str = "Sí", **rest: Any) -> dict[str, Any]:
    reply = {"type": "button_reply", "button_reply": {"id": said, "title": label}}
    return message("interactive", wamid=wamid, at=at, interactive=reply, **rest)


def template_tap(wamid: str, *, at: datetime, said: str, label: str = "Sí", **rest: Any) -> dict[str, Any]:
    return message("button", wamid=wamid, at=at, button={"payload": said, "text": label}, **rest)


def passed_on() -> int:
    """How many messages wait for somebody's answer."""
    return OutboxEvent.unscoped.filter(type=InboundReceived.name).count()
