"""Marking inbound messages as read, and showing that we type."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from messaging.simulator.graph.envelope import check_product
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.shape import a_text, an_object
from messaging.simulator.world import World

LONGEST_AGE_SECONDS = 30 * 86400.0
TYPING_SECONDS = 25.0


def mark_read(world: World, number: sqlite3.Row, request: Mapping[str, Any]) -> None:
    """Everything earlier counts as read too. Raises: GraphError: 100, we know no such inbound message."""
    check_product(request)
    if request.get("status") != "read":
        raise GraphError(100, "Param status must be read.")
    wamid = a_text(request, "message_id", where="", longest=128, code=100)
    now = world.clock.now()
    message = world.ledger.row(
        "SELECT * FROM messages WHERE wamid = ? AND direction = 'in' AND number_id = ?", wamid, number["id"]
    )
    if message is None or now - message["at"] > LONGEST_AGE_SECONDS:
        raise GraphError(100, "Param message_id is not a message this number has received in the last 30 days.")
    with world.ledger.transaction():
        world.ledger.change(
            "UPDATE messages SET seen_by_business_at = ? WHERE phone_id = ? AND number_id = ? AND direction = 'in'"
            " AND id <= ? AND seen_by_business_at IS NULL",
            now, message["phone_id"], number["id"], message["id"],
        )  # fmt: skip
        if request.get("typing_indicator") is not None:
            show_typing(world, message, request, until=now + TYPING_SECONDS)
    world.announce()


def show_typing(world: World, message: sqlite3.Row, request: Mapping[str, Any], *, until: float) -> None:
    if an_object(request, "typing_indicator", where="").get("type") != "text":
        raise GraphError(100, "Param typing_indicator['type'] must be text.")
    world.ledger.change(
        "UPDATE conversations SET typing_until = ? WHERE number_id = ? AND phone_id = ?",
        until, message["number_id"], message["phone_id"],
    )  # fmt: skip
