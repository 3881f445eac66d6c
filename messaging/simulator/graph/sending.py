"""A send, from the checks to "accepted"."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from messaging.simulator.graph.content import Content, free_form
from messaging.simulator.graph.envelope import Addressed, Envelope, checked_envelope
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.filling import filled_template
from messaging.simulator.graph.limits import check_rates, check_tier
from messaging.simulator.ids import new_wamid
from messaging.simulator.network.fates import fate_of, plan
from messaging.simulator.people.phones import Phone, find_by_number, find_by_user_id, make_phone
from messaging.simulator.world import World

WINDOW_SECONDS = 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What the answer says of a message taken."""

    wamid: str
    addressed: Addressed
    phone: Phone | None
    content: Content
    message_status: str

    def body(self) -> dict[str, Any]:
        contact: dict[str, Any] = {"input": self.addressed.typed}
        if self.addressed.user_id:
            contact["user_id"] = self.addressed.user_id
        else:
            contact["wa_id"] = self.phone.wa_id if self.phone else self.addressed.digits
        message = {"id": self.wamid}
        if self.content.is_template:
            message["message_status"] = self.message_status
        return {"messaging_product": "whatsapp", "contacts": [contact], "messages": [message]}


def accept(world: World, number: sqlite3.Row, request: Mapping[str, Any], *, forced_code: int | None) -> Accepted:
    """Take one message, as often as it is posted. Raises: GraphError."""
    now = world.clock.now()
    check_number(number)
    envelope = checked_envelope(request, business_digits=number["digits"])
    with world.ledger.transaction():
        waba = world.ledger.one("SELECT * FROM wabas WHERE id = ?", number["waba_id"])
        content = content_of(world, request, envelope, waba_id=waba["id"])
        phone = find_phone(world, envelope.addressed)
        check_recipient(number, envelope.addressed, content)
        in_window = phone is not None and window_is_open(world, number_id=number["id"], phone=phone, now=now)
        refuse_outside(world, waba, content, in_window=in_window)
        limits = world.knobs.get().limits
        person = str(phone.id) if phone else envelope.addressed.typed
        check_rates(world.ledger, number_id=number["id"], person=person, limits=limits, now=now)
        if phone is not None and not in_window:
            check_tier(world.ledger, portfolio=waba["portfolio"], phone_id=phone.id, limits=limits, now=now)
        wamid = record(
            world, number, request, envelope=envelope, content=content, phone=phone, in_window=in_window, now=now
        )
        if not envelope.addressed.misplaced:
            knobs = world.knobs.get()
            steps = fate_of(
                phone, content=content, in_window=in_window, waba=waba, knobs=knobs, forced_code=forced_code
            )
            plan(world.ledger, wamid=wamid, steps=steps, now=now)
    world.announce()
    held = world.knobs.get().switches.hold_templates and content.is_template
    status = "held_for_quality_assessment" if held else "accepted"
    return Accepted(wamid=wamid, addressed=envelope.addressed, phone=phone, content=content, message_status=status)


def check_number(number: sqlite3.Row) -> None:
    if number["status"] == "DELETED":
        raise GraphError(33, "The business phone number has been deleted.")
    if number["status"] != "CONNECTED":
        raise GraphError(133010, "The phone number is not registered.")


def content_of(world: World, request: Mapping[str, Any], envelope: Envelope, *, waba_id: str) -> Content:
    switches = world.knobs.get().switches
    if envelope.kind == "template":
        return filled_template(request, ledger=world.ledger, waba_id=waba_id, switches=switches)
    return free_form(request, kind=envelope.kind, switches=switches)


def find_phone(world: World, addressed: Addressed) -> Phone | None:
    """A number nobody set up is a phone too, unless a switch says that no such phone exists."""
    if addressed.misplaced:
        return None
    if addressed.user_id:
        return find_by_user_id(world.ledger, addressed.user_id)
    found = find_by_number(world.ledger, addressed.digits)
    if found is None and world.knobs.get().switches.unknown_numbers_exist:
        return make_phone(world.ledger, digits=addressed.digits)
    return found


def check_recipient(number: sqlite3.Row, addressed: Addressed, content: Content) -> None:
    allowed = json.loads(number["allow_list"])
    if allowed is not None and addressed.digits not in allowed:
        raise GraphError(131030, "The recipient is not among the numbers this test number may write to.")
    if addressed.user_id and not addressed.misplaced and content.category == "authentication":
        raise GraphError(131062, "Authentication templates need a phone number.")


def window_is_open(world: World, *, number_id: str, phone: Phone, now: float) -> bool:
    """A day from the person's last message, by its own time. What we send never opens or prolongs it."""
    last = world.ledger.value(
        "SELECT last_inbound_at FROM conversations WHERE number_id = ? AND phone_id = ?", number_id, phone.id
    )
    return last is not None and now - last < WINDOW_SECONDS


def refuse_outside(world: World, waba: sqlite3.Row, content: Content, *, in_window: bool) -> None:
    """A locked account sends nothing, a restricted one only answers; free text outside may be refused at once."""
    if waba["state"] == "disabled":
        raise GraphError(131031, "The business account has been disabled.")
    if waba["state"] == "restricted" and not in_window:
        raise GraphError(131031, "The business account may not start conversations.")
    switches = world.knobs.get().switches
    if not content.is_template and not in_window and switches.outside_window == "sync":
        raise GraphError(
            switches.outside_window_code, "More than 24 hours have passed since the recipient last replied."
        )


def record(
    world: World,
    number: sqlite3.Row,
    request: Mapping[str, Any],
    *,
    envelope: Envelope,
    content: Content,
    phone: Phone | None,
    in_window: bool,
    now: float,
) -> str:
    wamid = new_wamid()
    world.ledger.add(
        "messages",
        wamid=wamid,
        direction="out",
        number_id=number["id"],
        phone_id=phone.id if phone else None,
        addressed=envelope.addressed.user_id or f"+{envelope.addressed.digits}",
        type=content.type,
        shown=json.dumps(content.shown),
        request=json.dumps(request),
        callback=envelope.callback,
        quotes=envelope.quotes,
        state="accepted",
        at=now,
        expires_at=now + content.ttl_seconds,
        in_window=int(in_window),
        category=content.category,
        template_id=content.template_id,
    )
    if phone is not None:
        world.ledger.change(
            "INSERT INTO conversations (number_id, phone_id, last_at) VALUES (?, ?, ?)"
            " ON CONFLICT (number_id, phone_id) DO UPDATE SET last_at = excluded.last_at, typing_until = NULL",
            number["id"], phone.id, now,
        )  # fmt: skip
    return wamid
