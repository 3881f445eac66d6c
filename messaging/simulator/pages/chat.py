"""One conversation as the phone shows it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup

from messaging.simulator.ledger import Ledger
from messaging.simulator.pages.markup import drawn, plain
from messaging.simulator.pages.moments import day_of, hour_of, moment_of, zone_of_phone
from messaging.simulator.pages.words import words_of
from messaging.simulator.people.phones import Phone

MOST_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """A button under a bubble. `kind`: reply, link, phone, list."""

    title: str
    kind: str
    place: int
    was_tapped: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubble:
    """One message, or the note of a day before it."""

    key: str
    wamid: str
    is_own: bool
    day: str
    hour: str
    at: float
    header: str
    body: Markup
    footer: str
    quote: str
    medium: str
    file: str
    mark: str
    note: str
    reactions: Sequence[str] = ()
    taps: Sequence[Tap] = ()
    sections: Sequence[Mapping[str, Any]] = ()
    list_label: str = ""
    waits: bool = False
    useful_until: str = ""


@dataclass(slots=True)
class Thread:
    """The rows of one conversation, with edits, withdrawals and reactions laid over them."""

    rows: Sequence[sqlite3.Row]
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    reactions: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def lay_over(self) -> list[sqlite3.Row]:
        """What is left to draw."""
        self.shown = {row["wamid"]: json.loads(row["shown"]) for row in self.rows}
        return [row for row in self.rows if not self._is_laid_over(row)]

    def _is_laid_over(self, row: sqlite3.Row) -> bool:
        shown = self.shown[row["wamid"]]
        original = shown.get("edits") or shown.get("revokes") or shown.get("to")
        if original is None:
            return False
        if shown.get("edits") and original in self.shown:
            self.shown[original] = {**self.shown[original], "body": shown["body"]}
            self.notes[original] = "edited"
        elif shown.get("revokes"):
            self.notes[original] = "deleted"
        elif "reaction" in shown:
            self.reactions.setdefault(original, {})[row["direction"]] = shown["reaction"]
        return True


def bubbles_of(ledger: Ledger, phone: Phone, *, number_id: str, now: float) -> list[Bubble]:
    """Oldest first, in the order in which they came to the phone; what waits outside comes last."""
    rows = ledger.rows(
        "SELECT *, coalesce(delivered_at, at) AS came_at FROM messages WHERE phone_id = ? AND number_id = ?"
        " AND (direction = 'in' OR delivered_at IS NOT NULL OR (state = 'sent' AND expires_at > ?))"
        " ORDER BY (direction = 'out' AND delivered_at IS NULL) DESC, came_at DESC, id DESC LIMIT ?",
        phone.id, number_id, now, MOST_SHOWN,
    )  # fmt: skip
    thread = Thread(rows[::-1])
    left = [row for row in thread.lay_over() if not is_waiting(row) or not phone.is_on]
    return [bubble_of(row, thread, phone=phone, now=now) for row in left]


def is_waiting(row: sqlite3.Row) -> bool:
    return row["direction"] == "out" and row["delivered_at"] is None


def bubble_of(row: sqlite3.Row, thread: Thread, *, phone: Phone, now: float) -> Bubble:
    shown, zone = thread.shown[row["wamid"]], zone_of_phone(phone)
    note = thread.notes.get(row["wamid"], "")
    is_deleted = note == "deleted"
    waits = is_waiting(row)
    return Bubble(
        key=f"m{row['id']}",
        wamid=row["wamid"],
        is_own=row["direction"] == "in",
        day=day_of(row["came_at"], zone, now=now, language=phone.language),
        hour=hour_of(row["came_at"], zone),
        at=row["came_at"],
        header="" if is_deleted else (shown.get("header") or {}).get("text", ""),
        body=Markup("") if is_deleted else body_of(shown, phone),
        footer="" if is_deleted else shown.get("footer") or "",
        quote=quote_of(row, thread),
        medium="" if is_deleted else medium_of(shown),
        file=shown.get("filename") or (shown.get("location") or {}).get("name", ""),
        mark=mark_of(row),
        note=note,
        reactions=[emoji for emoji in thread.reactions.get(row["wamid"], {}).values() if emoji],
        taps=[] if is_deleted else taps_of(row, shown, phone=phone),
        sections=shown.get("list", {}).get("sections", []),
        list_label=shown.get("list", {}).get("button", ""),
        waits=waits,
        useful_until=until_of(row, zone, phone=phone, now=now) if waits else "",
    )


def body_of(shown: Mapping[str, Any], phone: Phone) -> Markup:
    if shown.get("unsupported"):
        return Markup(words_of(phone.language)["unsupported"])
    return drawn(shown.get("body") or shown.get("note") or "")


def medium_of(shown: Mapping[str, Any]) -> str:
    if shown.get("location") is not None:
        return "location"
    if shown.get("contacts") is not None:
        return "contacts"
    return str(shown.get("media") or "")


def quote_of(row: sqlite3.Row, thread: Thread) -> str:
    """The first words of what it answers; a template quotes nothing."""
    quoted = thread.shown.get(row["quotes"] or "")
    if quoted is None or row["type"] == "template":
        return ""
    return plain(quoted.get("body") or "")


def mark_of(row: sqlite3.Row) -> str:
    """The ring beside the hour. On one's own messages: only once the clinic has seen it."""
    if row["direction"] == "in":
        return "seen" if row["seen_by_business_at"] else ""
    if row["delivered_at"] is None:
        return "sent"
    return "read" if row["read_at"] else "delivered"


def until_of(row: sqlite3.Row, zone: ZoneInfo, *, phone: Phone, now: float) -> str:
    moment = moment_of(row["expires_at"], zone, now=now, language=phone.language)
    return words_of(phone.language)["useful_until"].format(time=moment)


def taps_of(row: sqlite3.Row, shown: Mapping[str, Any], *, phone: Phone) -> list[Tap]:
    """Only what was really sent; links open, and tell nobody."""
    tapped = json.loads(row["taps"])
    taps = []
    for place, button in enumerate(shown.get("buttons", [])):
        kind = {"url": "link", "phone": "phone"}.get(button["kind"], "reply")
        title = button["title"]
        if button["kind"] == "contact_request":
            title = words_of(phone.language)["share_number"]
        href = button.get("url") or f"tel:{button.get('phone', '')}" if kind != "reply" else ""
        taps.append(Tap(title=title, kind=kind, place=place, was_tapped=button["title"] in tapped, href=href))
    return taps
