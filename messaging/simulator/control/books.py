"""Looking things up in the ledger."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from messaging.simulator.control.common import as_iso, the_world, wishes
from messaging.simulator.control.events import happen
from messaging.simulator.control.provisioning import provision
from messaging.simulator.people.phones import get_phone

books = Blueprint("books", __name__, url_prefix="/control")
MOST_MESSAGES = 10_000


def described(row: sqlite3.Row) -> dict[str, Any]:
    plain = ("wamid", "direction", "number_id", "phone_id", "addressed", "type", "callback", "quotes", "state", "error_code",
             "category", "template_id")  # fmt: skip
    times = ("at", "sent_at", "delivered_at", "read_at", "failed_at", "expires_at", "seen_by_business_at")
    return {
        **{key: row[key] for key in plain},
        **{key: as_iso(row[key]) for key in times},
        "in_window": bool(row["in_window"]),
        "shown": json.loads(row["shown"]),
        "taps": json.loads(row["taps"]),
    }


@books.post("/provision")
def provide() -> ResponseReturnValue:
    return jsonify(provision(the_world(), wishes()))


@books.post("/events")
def make_happen() -> ResponseReturnValue:
    happen(the_world(), wishes())
    return jsonify({"ok": True})


@books.get("/messages")
def messages() -> ResponseReturnValue:
    """Oldest first. Filters: phone, direction, callback, state, after (a ledger id)."""
    ledger, given = the_world().ledger, request.args
    clauses = ["id > ?"]
    values: list[int | str] = [given.get("after", 0, type=int)]
    if given.get("phone"):
        clauses.append("phone_id = ?")
        values.append(get_phone(ledger, given["phone"]).id)
    for column in ("direction", "callback", "state"):
        if given.get(column):
            clauses.append(f"{column} = ?")
            values.append(given[column])
    sql = f"SELECT * FROM messages WHERE {' AND '.join(clauses)} ORDER BY id LIMIT {MOST_MESSAGES}"
    rows = ledger.rows(sql, *values)
    return jsonify({"messages": [{"id": row["id"], **described(row)} for row in rows]})


@books.get("/counts")
def counts() -> ResponseReturnValue:
    """Accepted sends by state; and each callback data that was accepted more than once: doubled messages."""
    ledger = the_world().ledger
    states = ledger.rows("SELECT state, count(*) AS many FROM messages WHERE direction = 'out' GROUP BY state")
    doubled = ledger.rows(
        "SELECT callback, count(*) AS many FROM messages WHERE direction = 'out' AND callback IS NOT NULL"
        " GROUP BY callback HAVING count(*) > 1"
    )
    updates = ledger.rows("SELECT state, count(*) AS many FROM updates GROUP BY state")
    posts = ledger.rows("SELECT state, count(*) AS many, sum(attempts) AS tries FROM posts GROUP BY state")
    return jsonify(
        {
            "accepted": sum(row["many"] for row in states),
            "inbound": ledger.value("SELECT count(*) FROM messages WHERE direction = 'in'"),
            "by_state": {row["state"]: row["many"] for row in states},
            "doubled_callbacks": {row["callback"]: row["many"] for row in doubled},
            "updates": {row["state"]: row["many"] for row in updates},
            "posts": {row["state"]: row["many"] for row in posts},
            "post_attempts": sum(row["tries"] for row in posts),
        }
    )


@books.get("/recipients")
def recipients() -> ResponseReturnValue:
    """For each phone that was written to: how many sends were accepted, arrived, were read, failed."""
    rows = the_world().ledger.rows(
        "SELECT phone_id, addressed, count(*) AS accepted, count(delivered_at) AS delivered, count(read_at) AS read,"
        " sum(state = 'failed') AS failed FROM messages WHERE direction = 'out' GROUP BY phone_id, addressed ORDER BY phone_id"
    )
    return jsonify({"recipients": [dict(row) for row in rows]})


@books.get("/posts")
def posts() -> ResponseReturnValue:
    """The last posts to the webhook, newest first, with each answer they got."""
    rows = the_world().ledger.rows(
        "SELECT * FROM posts ORDER BY id DESC LIMIT ?", request.args.get("limit", 100, type=int)
    )
    return jsonify({"posts": [posted(row) for row in rows]})


def posted(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "state": row["state"],
        "attempts": row["attempts"],
        "summary": row["summary"],
        "due_at": as_iso(row["due_at"]),
        "answers": json.loads(row["answers"]),
        "body": json.loads(row["body"]),
    }
