"""Taps and choices: only what was really sent can be tapped, however old, and again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from messaging.simulator.errors import NotOnThePhoneError
from messaging.simulator.people.inbound import Said
from messaging.simulator.people.phones import Phone
from messaging.simulator.people.sayings import business_digits
from messaging.simulator.world import World

SILENT = ("url", "phone")


def messages_on(world: World, phone: Phone, *, wamid: str | None) -> list[sqlite3.Row]:
    """What stands on the phone from businesses, newest first."""
    return world.ledger.rows(
        "SELECT * FROM messages WHERE phone_id = ? AND direction = 'out' AND delivered_at IS NOT NULL"
        " AND (? IS NULL OR wamid = ?) ORDER BY id DESC",
        phone.id, wamid, wamid,
    )  # fmt: skip


def find_button(world: World, phone: Phone, wish: Mapping[str, Any]) -> tuple[sqlite3.Row, dict[str, Any]]:
    """By title, id, payload or place; on the message named, else on the newest that has it. Raises: NotOnThePhoneError."""
    button = wish.get("button")
    for message in messages_on(world, phone, wamid=wish.get("message")):
        for place, shown in enumerate(json.loads(message["shown"]).get("buttons", [])):
            if button in (shown["title"], shown.get("id"), shown.get("payload"), place):
                return message, shown
    raise NotOnThePhoneError


def find_row(world: World, phone: Phone, wish: Mapping[str, Any]) -> tuple[sqlite3.Row, dict[str, Any]]:
    for message in messages_on(world, phone, wamid=wish.get("message")):
        for row in rows_of(message):
            if wish.get("row") in (row["id"], row["title"]):
                return message, row
    raise NotOnThePhoneError


def rows_of(message: sqlite3.Row) -> Iterator[dict[str, Any]]:
    for section in json.loads(message["shown"]).get("list", {}).get("sections", []):
        yield from section["rows"]


def tapped(world: World, message: sqlite3.Row, button: Mapping[str, Any], wish: Mapping[str, Any]) -> Said:
    """A template's button answers as `button`, an interactive one as `interactive`."""
    title = button["title"]
    if button["kind"] == "quick_reply":
        type_, payload = "button", {"button": {"payload": button["payload"], "text": title}}
    else:
        reply = {"type": "button_reply", "button_reply": {"id": button["id"], "title": title}}
        type_, payload = "interactive", {"interactive": reply}
    return answered(world, message, type_=type_, payload=payload, title=title, wish=wish, summary=f"button “{title}”")


def picked(world: World, message: sqlite3.Row, row: Mapping[str, Any], wish: Mapping[str, Any]) -> Said:
    reply = {key: row[key] for key in ("id", "title", "description") if row.get(key)}
    payload = {"interactive": {"type": "list_reply", "list_reply": reply}}
    title = row["title"]
    return answered(
        world, message, type_="interactive", payload=payload, title=title, wish=wish, summary=f"row “{title}”"
    )


def answered(
    world: World,
    message: sqlite3.Row,
    *,
    type_: str,
    payload: dict[str, Any],
    title: str,
    wish: Mapping[str, Any],
    summary: str,
) -> Said:
    """Marks it as tapped and quotes the message; a webhook may leave the context out."""
    taps = [*json.loads(message["taps"]), title]
    world.ledger.amend("messages", ("id", message["id"]), taps=json.dumps(taps))
    if not wish.get("without_context"):
        sender = business_digits(world, message["number_id"])
        payload = {**payload, "context": {"from": sender, "id": message["wamid"]}}
    return Said(type=type_, payload=payload, shown={"body": title}, quotes=message["wamid"], summary=summary)
