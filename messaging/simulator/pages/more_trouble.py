"""Trouble that comes from Meta itself: the window, the account, a template."""

from __future__ import annotations

from typing import Any

from messaging.simulator.control.events import happen
from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.world import World

WINDOW_CHOICES = (("async", "Is taken, then fails"), ("sync", "Is refused at once"))
ACCOUNT_CHOICES = (
    ("ok", "In order"),
    ("restricted", "May only answer"),
    ("disabled", "Disabled"),
    ("unpaid", "Not paid"),
)
TEMPLATE_STATUSES = ("APPROVED", "PAUSED", "DISABLED", "REJECTED", "PENDING")
ACCOUNT_EVENTS: dict[str, dict[str, Any]] = {
    "restricted": {"event": "restriction"},
    "disabled": {"event": "ban", "state": "DISABLE"},
    "unpaid": {"event": "billing", "ok": False},
}


def account_choice(world: World) -> str:
    """The worst of all accounts."""
    rows = world.ledger.rows("SELECT state, billing_ok FROM wabas")
    for state in ("disabled", "restricted"):
        if any(row["state"] == state for row in rows):
            return state
    return "ok" if all(row["billing_ok"] for row in rows) else "unpaid"


def list_templates(world: World) -> list[dict[str, Any]]:
    rows = world.ledger.rows(
        "SELECT id, name, language, status FROM templates WHERE deleted_at IS NULL ORDER BY name, language"
    )
    return [dict(row) for row in rows]


def set_window(world: World, key: str) -> None:
    world.knobs.turn({"switches": {"outside_window": key}})


def set_account(world: World, key: str) -> None:
    """All accounts at once; first back in order, so that only one thing is wrong."""
    if key not in dict(ACCOUNT_CHOICES):
        raise BadControlRequestError("There is no such choice.")
    with world.ledger.transaction():
        for row in world.ledger.rows("SELECT * FROM wabas"):
            if row["state"] != "ok":
                happen(world, {"event": "ban", "state": "REINSTATE", "waba_id": row["id"]})
            happen(world, {"event": "billing", "ok": True, "waba_id": row["id"]})
            if key != "ok":
                happen(world, {**ACCOUNT_EVENTS[key], "waba_id": row["id"]})


def set_template(world: World, *, template_id: str, status: str) -> None:
    if status not in TEMPLATE_STATUSES or not template_id.isdigit():
        raise BadControlRequestError("There is no such template or status.")
    happen(world, {"event": "template_status", "template_id": int(template_id), "status": status})
