"""Receipts: one message's progress, told to the business as `statuses`."""

from __future__ import annotations

import sqlite3
from typing import Any

from messaging.simulator.graph.errors import error_in_a_status
from messaging.simulator.network.updates import Update, queue_update
from messaging.simulator.numbers import masked
from messaging.simulator.people.contacts import status_contact
from messaging.simulator.people.phones import Phone, get_by_id
from messaging.simulator.world import World

RANKS = {"failed": 0, "sent": 1, "delivered": 2, "read": 3}
ENDINGS = ("delivered", "read")


def tell_status(world: World, message: sqlite3.Row, *, status: str, at: float, error_code: int | None = None) -> None:
    """Queue a receipt, with whatever is set to go wrong with receipts."""
    receipts = world.knobs.get().receipts
    phone = get_by_id(world.ledger, message["phone_id"]) if message["phone_id"] is not None else None
    due_at = at + receipts.late_seconds
    if receipts.reversed:
        due_at = max(due_at, last_step_of(world, message["wamid"]) or due_at)
    update = Update(
        kind="statuses",
        number_id=message["number_id"],
        item=status_item(message, phone=phone, status=status, at=at, error_code=error_code),
        contact=status_contact(phone, form=receipts.contacts, addressed=message["addressed"]) if phone else None,
        lane=str(message["phone_id"] or message["wamid"]),
        wamid=message["wamid"],
        summary=f"{status} to {masked(message['addressed'])}",
        place=-RANKS[status] if receipts.reversed else 0,
    )
    state = "withheld" if status in receipts.withhold or "all" in receipts.withhold else "waiting"
    queue_update(world, update, due_at=due_at, state=state)
    if receipts.twice:
        queue_update(world, update.again(), due_at=due_at, state=state)


def last_step_of(world: World, wamid: str) -> float | None:
    last: float | None = world.ledger.value("SELECT max(due_at) FROM steps WHERE wamid = ?", wamid)
    return last


def status_item(
    message: sqlite3.Row, *, phone: Phone | None, status: str, at: float, error_code: int | None
) -> dict[str, Any]:
    """`recipient_user_id` is missing where we addressed a number and it failed; the number, where only the id was used."""
    item: dict[str, Any] = {"id": message["wamid"], "status": status, "timestamp": str(int(at))}
    by_user_id = "." in message["addressed"]
    if not by_user_id:
        item["recipient_id"] = phone.wa_id if phone else message["addressed"].lstrip("+")
    if by_user_id:
        item["recipient_user_id"] = message["addressed"]
    elif phone is not None and status != "failed":
        item["recipient_user_id"] = phone.user_id
    if message["callback"] is not None:
        item["biz_opaque_callback_data"] = message["callback"]
    if error_code is not None:
        item["errors"] = [error_in_a_status(error_code)]
    elif status == "sent" or (status in ENDINGS and is_first_ending(message, status)):
        item["pricing"] = pricing_of(message)
    return item


def is_first_ending(message: sqlite3.Row, status: str) -> bool:
    """Pricing stands on one of delivered and read."""
    return status == "delivered" or message["delivered_at"] is None


def pricing_of(message: sqlite3.Row) -> dict[str, Any]:
    """Free inside the window, but for marketing; regular outside. No `conversation`: it went with v24."""
    is_free = bool(message["in_window"]) and message["category"] != "marketing"
    kind = "free_customer_service" if is_free else "regular"
    return {"billable": not is_free, "pricing_model": "PMP", "type": kind, "category": message["category"]}
