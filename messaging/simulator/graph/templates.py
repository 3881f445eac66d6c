"""Templates: list, create, edit, delete, unpause."""

from __future__ import annotations

import base64
import binascii
import json
import sqlite3
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.template_rules import Template, checked_template
from messaging.simulator.graph.template_status import change_status
from messaging.simulator.ids import new_object_id
from messaging.simulator.world import World

DEFAULT_PAGE, LARGEST_PAGE = 25, 1000
MOST_TEMPLATES = 250
CREATIONS_PER_HOUR = 100
DELETED_NAME_BLOCKED_SECONDS = 30 * 86400.0
EDITABLE = ("APPROVED", "REJECTED", "PAUSED")
DAY_SECONDS, MONTH_SECONDS = 86400.0, 30 * 86400.0
FILTERS = ("status", "category", "language")
DEFAULT_FIELDS = "name,parameter_format,components,language,status,category,id"
TOO_MANY, NOT_EDITABLE, EXISTS, NAME_BLOCKED, SAME_TEXT = 2388019, 2388039, 2388024, 2388023, 2388025


def described(row: sqlite3.Row, fields: str) -> dict[str, Any]:
    """The fields asked for, and the id."""
    known = {
        "id": str(row["id"]),
        "name": row["name"],
        "status": row["status"],
        "category": row["category"],
        "correct_category": row["correct_category"],
        "language": row["language"],
        "components": json.loads(row["components"]),
        "parameter_format": row["format"],
        "quality_score": {"score": row["quality"]},
        "rejected_reason": row["reason"],
        "message_send_ttl_seconds": row["ttl_seconds"],
    }
    asked = [field for field in (fields or DEFAULT_FIELDS).split(",") if field] + ["id"]
    return {field: known[field] for field in asked if field in known and known[field] is not None}


def page_of_templates(world: World, waba_id: str, query: Mapping[str, str], *, address: str) -> dict[str, Any]:
    """25 at a time unless `limit` says otherwise; `paging.next` is there while there is more."""
    limit = min(max(int(query.get("limit") or DEFAULT_PAGE), 1), LARGEST_PAGE)
    clauses, values = ["waba_id = ?", "deleted_at IS NULL", "id > ?"], [waba_id, after_cursor(query.get("after"))]
    for key in FILTERS:
        if query.get(key):
            clauses.append(f"{key} = ?")
            values.append(query[key])
    if query.get("name"):
        clauses.append("name = ?")
        values.append(query["name"])
    rows = world.ledger.rows(
        f"SELECT * FROM templates WHERE {' AND '.join(clauses)} ORDER BY id LIMIT ?", *values, limit + 1
    )
    shown = rows[:limit]
    page: dict[str, Any] = {"data": [described(row, query.get("fields", "")) for row in shown]}
    if shown:
        after = cursor_of(shown[-1]["id"])
        page["paging"] = {"cursors": {"before": cursor_of(shown[0]["id"]), "after": after}}
        if len(rows) > limit:
            page["paging"]["next"] = f"{address}?{urlencode({**query, 'after': after})}"
    return page


def cursor_of(template_id: int) -> str:
    return base64.urlsafe_b64encode(f"after {template_id}".encode()).decode()


def after_cursor(cursor: str | None) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.urlsafe_b64decode(cursor).decode().removeprefix("after "))
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise GraphError(100, "The cursor after is not valid.") from None


def create(world: World, waba_id: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    """May come back as MARKETING though UTILITY was asked for. Raises: GraphError."""
    template = checked_template(wish, needs_examples=True)
    switches = world.knobs.get().switches
    with world.ledger.transaction():
        check_room(world, waba_id, template)
        category = "MARKETING" if switches.create_as_marketing else template.category
        template_id = insert(world, template, waba_id=waba_id, category=category, status="PENDING")
        plan_review(world, template_id)
    return {"id": str(template_id), "status": "PENDING", "category": category}


def check_room(world: World, waba_id: str, template: Template) -> None:
    now, ledger = world.clock.now(), world.ledger
    mine = "FROM templates WHERE waba_id = ?"
    if ledger.value(f"SELECT count(*) {mine} AND deleted_at IS NULL", waba_id) >= MOST_TEMPLATES:
        raise GraphError(100, f"An account has at most {MOST_TEMPLATES} templates.", subcode=TOO_MANY)
    if ledger.value(f"SELECT count(*) {mine} AND created_at > ?", waba_id, now - 3600) >= CREATIONS_PER_HOUR:
        raise GraphError(80007, f"At most {CREATIONS_PER_HOUR} templates are created in an hour.")
    for row in ledger.rows(f"SELECT * {mine} ORDER BY id", waba_id):
        named_so = row["name"] == template.name
        if row["deleted_at"] is not None:
            if named_so and now - row["deleted_at"] < DELETED_NAME_BLOCKED_SECONDS:
                raise GraphError(
                    100, "A template of this name was deleted less than 30 days ago.", subcode=NAME_BLOCKED
                )
        elif named_so and row["language"] == template.language:
            raise GraphError(100, "There is already content in this language for this template.", subcode=EXISTS)
        elif row["language"] == template.language and text_of(row) == template.text:
            raise GraphError(100, "Another template has the same body and footer.", subcode=SAME_TEXT)


def text_of(row: sqlite3.Row) -> tuple[str, str]:
    texts = {component["type"]: component.get("text", "") for component in json.loads(row["components"])}
    return texts.get("BODY", ""), texts.get("FOOTER", "")


def insert(world: World, template: Template, *, waba_id: str, category: str, status: str) -> int:
    return world.ledger.add(
        "templates",
        id=int(new_object_id()),
        waba_id=waba_id,
        name=template.name,
        language=template.language,
        category=category,
        status=status,
        format=template.format,
        components=json.dumps(template.components),
        ttl_seconds=template.ttl_seconds,
        created_at=world.clock.now(),
    )


def upsert_template(world: World, template: Template, *, waba_id: str, status: str) -> int:
    """For setting up: put it there as described, or make it so. Tells nobody."""
    row = world.ledger.row(
        "SELECT id FROM templates WHERE waba_id = ? AND name = ? AND language = ? AND deleted_at IS NULL",
        waba_id, template.name, template.language,
    )  # fmt: skip
    if row is None:
        return insert(world, template, waba_id=waba_id, category=template.category, status=status)
    world.ledger.amend(
        "templates", ("id", row["id"]), category=template.category, status=status, format=template.format,
        components=json.dumps(template.components), ttl_seconds=template.ttl_seconds,
    )  # fmt: skip
    return int(row["id"])


def plan_review(world: World, template_id: int) -> None:
    switches = world.knobs.get().switches
    if switches.review != "wait":
        due_at = world.clock.now() + switches.review_seconds
        world.ledger.add("steps", due_at=due_at, step=switches.review, template_id=template_id)
    world.announce()


def edit(world: World, row: sqlite3.Row, wish: Mapping[str, Any]) -> None:
    """Back to review. Raises: GraphError."""
    now = world.clock.now()
    if row["status"] not in EDITABLE:
        raise GraphError(100, f"A template that is {row['status']} cannot be edited.", subcode=NOT_EDITABLE)
    edits: list[float] = json.loads(row["edits"])
    if row["status"] == "APPROVED":
        check_edit_of_approved(row, wish, edits=edits, now=now)
    asked = {
        "name": row["name"],
        "language": row["language"],
        "category": wish.get("category", row["category"]),
        "parameter_format": wish.get("parameter_format", row["format"]),
        "components": wish.get("components", json.loads(row["components"])),
        "message_send_ttl_seconds": wish.get("message_send_ttl_seconds", row["ttl_seconds"]),
    }
    template = checked_template(asked, needs_examples="components" in wish)
    with world.ledger.transaction():
        world.ledger.amend(
            "templates", ("id", row["id"]), category=template.category, format=template.format, status="PENDING",
            components=json.dumps(template.components), ttl_seconds=template.ttl_seconds, edits=json.dumps([*edits, now]),
        )  # fmt: skip
        plan_review(world, row["id"])


def check_edit_of_approved(row: sqlite3.Row, wish: Mapping[str, Any], *, edits: list[float], now: float) -> None:
    """Once a day, ten times a month, and never its category."""
    if wish.get("category", row["category"]) != row["category"]:
        raise GraphError(100, "The category of an approved template is fixed.", subcode=NOT_EDITABLE)
    of_a_day = [at for at in edits if now - at < DAY_SECONDS]
    of_a_month = [at for at in edits if now - at < MONTH_SECONDS]
    if of_a_day or len(of_a_month) >= 10:
        raise GraphError(
            100, "An approved template is edited once in 24 hours and ten times in 30 days.", subcode=NOT_EDITABLE
        )


def delete(world: World, waba_id: str, *, name: str, hsm_id: str | None) -> None:
    """All languages of a name, or the one with this id. Raises: GraphError."""
    deleted = world.ledger.change(
        "UPDATE templates SET deleted_at = ?, status = 'DELETED' WHERE waba_id = ? AND name = ? AND deleted_at IS NULL"
        " AND (? IS NULL OR id = ?)",
        world.clock.now(), waba_id, name, hsm_id, hsm_id,
    )  # fmt: skip
    if not deleted:
        raise GraphError(100, "No template has that name.", subcode=2593002)


def unpause(world: World, row: sqlite3.Row) -> None:
    if row["status"] != "PAUSED":
        raise GraphError(100, "The template is not paused.", subcode=NOT_EDITABLE)
    with world.ledger.transaction():
        change_status(world, template_id=row["id"], status="APPROVED", wish={})
    world.announce()
