"""What happens to messages and phones as time passes."""

from __future__ import annotations

import sqlite3

from messaging.simulator.graph.template_status import change_status
from messaging.simulator.network.fates import Step, delays, plan
from messaging.simulator.network.statuses import tell_status
from messaging.simulator.people.phones import get_by_id
from messaging.simulator.world import World

MOST_AT_ONCE = 500
REVIEWS = {"approve": ("APPROVED", "NONE"), "reject": ("REJECTED", "INVALID_FORMAT")}


def take_due_steps(world: World, *, now: float) -> int:
    """In one transaction. Says how many there were."""
    with world.ledger.transaction():
        due = world.ledger.rows("SELECT * FROM steps WHERE due_at <= ? ORDER BY due_at, id LIMIT ?", now, MOST_AT_ONCE)
        for step in due:
            world.ledger.change("DELETE FROM steps WHERE id = ?", step["id"])
            if step["step"] == "phone_on":
                turn_on(world, phone_id=step["phone_id"], now=step["due_at"])
            elif step["step"] in REVIEWS:
                review(world, step)
            else:
                take_step(world, step)
    return len(due)


def review(world: World, step: sqlite3.Row) -> None:
    row = world.ledger.row("SELECT * FROM templates WHERE id = ?", step["template_id"])
    if row is not None and row["status"] == "PENDING":
        status, reason = REVIEWS[step["step"]]
        change_status(world, template_id=row["id"], status=status, wish={"reason": reason})


def take_step(world: World, step: sqlite3.Row) -> None:
    message = world.ledger.row("SELECT * FROM messages WHERE wamid = ?", step["wamid"])
    if message is None:
        return
    name, at = step["step"], step["due_at"]
    if name == "failed":
        amend(world, message, state="failed", failed_at=at, error_code=step["error_code"])
        tell_status(world, message, status="failed", at=at, error_code=step["error_code"])
    elif name in ("sent", "barred"):
        barred = {"expires_at": at} if name == "barred" else {}
        amend(world, message, state="sent", sent_at=at, **barred)
        tell_status(world, message, status="sent", at=at)
    elif name == "read":
        read(world, message, at=at)
    else:
        arrive(world, message, at=at, opened=name == "opened")


def arrive(world: World, message: sqlite3.Row, *, at: float, opened: bool) -> None:
    """The message reaches the phone, if it is on and the message has not run out. Running out tells nobody."""
    phone = get_by_id(world.ledger, message["phone_id"])
    if not phone.is_on:
        world.ledger.change("DELETE FROM steps WHERE wamid = ?", message["wamid"])
    elif message["expires_at"] <= at:
        world.ledger.change("DELETE FROM steps WHERE wamid = ?", message["wamid"])
        amend(world, message, state="expired")
    elif opened:
        amend(world, message, state="read", delivered_at=at, read_at=at)
        tell_status(world, message, status="read", at=at)
    else:
        amend(world, message, state="delivered", delivered_at=at)
        tell_status(world, message, status="delivered", at=at)


def read(world: World, message: sqlite3.Row, *, at: float) -> None:
    """Nobody is told where the phone hides its receipts."""
    if message["state"] != "delivered":
        return
    if get_by_id(world.ledger, message["phone_id"]).traits.receipts == "hidden":
        amend(world, message, read_at=at)
        return
    amend(world, message, state="read", read_at=at)
    tell_status(world, message, status="read", at=at)


def amend(world: World, message: sqlite3.Row, **values: object) -> None:
    world.ledger.amend("messages", ("id", message["id"]), **values)


def turn_off(world: World, *, phone_id: int, now: float, until: float | None = None) -> None:
    with world.ledger.transaction():
        world.ledger.amend("phones", ("id", phone_id), is_on=0, off_since=now)
        world.ledger.change("DELETE FROM steps WHERE phone_id = ? AND step = 'phone_on'", phone_id)
        if until is not None:
            world.ledger.add("steps", due_at=until, step="phone_on", phone_id=phone_id)


def turn_on(world: World, *, phone_id: int, now: float) -> None:
    """What waited outside comes in, in order; what has run out does not."""
    with world.ledger.transaction():
        world.ledger.amend("phones", ("id", phone_id), is_on=1, off_since=None)
        world.ledger.change("DELETE FROM steps WHERE phone_id = ? AND step = 'phone_on'", phone_id)
        waiting = world.ledger.rows(
            "SELECT * FROM messages WHERE phone_id = ? AND direction = 'out' AND state = 'sent'"
            " AND wamid NOT IN (SELECT wamid FROM steps WHERE wamid IS NOT NULL) ORDER BY id",
            phone_id,
        )
        _, _, read_after = delays(world.knobs.get().receipts)
        for message in waiting:
            steps = [Step(name="delivered", after_seconds=0.0), Step(name="read", after_seconds=read_after)]
            plan(world.ledger, wamid=message["wamid"], steps=steps, now=now)


def open_chat(world: World, *, phone_id: int, number_id: str, now: float) -> None:
    """Whoever taps or types has read what stands there."""
    unread = world.ledger.rows(
        "SELECT * FROM messages WHERE phone_id = ? AND number_id = ? AND direction = 'out' AND state = 'delivered'"
        " AND read_at IS NULL ORDER BY id",
        phone_id, number_id,
    )  # fmt: skip
    for message in unread:
        world.ledger.change("DELETE FROM steps WHERE wamid = ?", message["wamid"])
        read(world, message, at=now)
