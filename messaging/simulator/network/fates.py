"""What will become of an accepted message, decided when it is accepted."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from messaging.simulator.graph.content import Content
from messaging.simulator.knobs import Knobs, Receipts
from messaging.simulator.ledger import Ledger
from messaging.simulator.people.phones import Phone

STEPS = ("sent", "delivered", "read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`barred`: sent, and it will never be delivered. `opened`: read in an open chat, with no `delivered` before."""

    name: str
    after_seconds: float
    error_code: int | None = None


def fate_of(
    phone: Phone | None, *, content: Content, in_window: bool, waba: sqlite3.Row, knobs: Knobs, forced_code: int | None
) -> list[Step]:
    """The steps of a message, unless the phone is found off on the way."""
    sent, delivered, read = delays(knobs.receipts)
    code = forced_code or failure_of(phone, content=content, in_window=in_window, waba=waba, knobs=knobs)
    if code or phone is None:
        return [Step(name="failed", after_seconds=sent, error_code=code)]
    if phone.traits.blocks_us:
        return [Step(name="barred", after_seconds=sent)]
    first = Step(name="sent", after_seconds=sent)
    if phone.traits.chat_open:
        return [first, Step(name="opened", after_seconds=delivered)]
    rest = [Step(name="delivered", after_seconds=delivered), Step(name="read", after_seconds=read)]
    if phone.traits.conflict:
        return [first, Step(name="failed", after_seconds=sent, error_code=131026), *rest]
    return [first, *rest]


def failure_of(
    phone: Phone | None, *, content: Content, in_window: bool, waba: sqlite3.Row, knobs: Knobs
) -> int | None:
    """The code with which it fails after being accepted, or None."""
    if content.is_template and not waba["billing_ok"]:
        return 131042
    if content.is_template and knobs.switches.hold_templates:
        return 132015
    if not content.is_template and not in_window:
        return knobs.switches.outside_window_code
    if phone is None or not phone.traits.on_whatsapp:
        return 131026
    if phone.traits.fails_with:
        return phone.traits.fails_with
    return 131050 if content.category == "marketing" and phone.traits.stopped_marketing else None


def delays(receipts: Receipts) -> tuple[float, float, float]:
    if receipts.instant:
        return 0.0, 0.0, 0.0
    return receipts.sent_after, receipts.delivered_after, receipts.read_after


def plan(ledger: Ledger, *, wamid: str, steps: list[Step], now: float) -> None:
    for step in steps:
        due_at = now + step.after_seconds
        ledger.add("steps", due_at=due_at, step=step.name, wamid=wamid, error_code=step.error_code)
