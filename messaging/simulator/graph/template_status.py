"""Templates change status, category and quality; each change is told, and then holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from messaging.simulator.errors import UnknownThingError
from messaging.simulator.network.updates import Update, queue_update
from messaging.simulator.world import World

DAY_SECONDS = 86400
PAUSE_TITLES = {"PAUSED": "FIRST_PAUSE", "DISABLED": "DISABLED", "APPROVED": "UNPAUSE"}


def get_template(world: World, template_id: int) -> sqlite3.Row:
    row = world.ledger.row("SELECT * FROM templates WHERE id = ?", template_id)
    if row is None:
        raise UnknownThingError("No template has that id.")
    return row


def tell_of_template(world: World, row: sqlite3.Row, *, field: str, value: Mapping[str, Any], summary: str) -> None:
    named = {
        "message_template_id": row["id"],
        "message_template_name": row["name"],
        "message_template_language": row["language"],
    }
    update = Update(
        kind="event",
        waba_id=row["waba_id"],
        field=field,
        item={**named, **value},
        lane=f"template {row['id']}",
        summary=f"template {row['name']}/{row['language']}: {summary}",
    )
    queue_update(world, update, due_at=world.clock.now())


def change_status(world: World, *, template_id: int, status: str, wish: Mapping[str, Any]) -> None:
    """Any of Meta's statuses, or a new word. Raises: UnknownThingError."""
    row = get_template(world, template_id)
    reason = wish.get("reason", "NONE")
    world.ledger.amend("templates", ("id", row["id"]), status=status, reason=reason or "NONE")
    value: dict[str, Any] = {"event": status, "reason": reason, "message_template_category": row["category"]}
    was_paused = row["status"] == "PAUSED"
    if status in ("PAUSED", "DISABLED") or (status == "APPROVED" and was_paused):
        title = wish.get("title", PAUSE_TITLES[status])
        value["other_info"] = {"title": title, "description": "Because of the template's quality."}
    if status == "REJECTED":
        value["rejection_info"] = {"reason": reason, "recommendation": "Change the text and submit it again."}
    tell_of_template(world, row, field="message_template_status_update", value=value, summary=status.lower())


def recategorise(world: World, *, template_id: int, category: str, is_warning: bool) -> None:
    """A warning names the present category `new_category`, and what it should be `correct_category`."""
    row = get_template(world, template_id)
    if is_warning:
        world.ledger.amend("templates", ("id", row["id"]), correct_category=category)
        value = {
            "new_category": row["category"],
            "correct_category": category,
            "category_update_timestamp": int(world.clock.now()) + DAY_SECONDS,
        }
    else:
        world.ledger.amend("templates", ("id", row["id"]), category=category, correct_category=None)
        value = {"previous_category": row["category"], "new_category": category}
    tell_of_template(world, row, field="template_category_update", value=value, summary=category.lower())


def rescore(world: World, *, template_id: int, quality: str) -> None:
    row = get_template(world, template_id)
    world.ledger.amend("templates", ("id", row["id"]), quality=quality)
    value = {"previous_quality_score": row["quality"], "new_quality_score": quality}
    tell_of_template(world, row, field="message_template_quality_update", value=value, summary=f"quality {quality}")
