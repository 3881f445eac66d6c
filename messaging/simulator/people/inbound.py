"""A message from a person: kept, shown on the phone, and told to the business."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from messaging.simulator.graph.limits import charge_throughput
from messaging.simulator.ids import new_wamid
from messaging.simulator.network.steps import open_chat
from messaging.simulator.network.updates import Update, queue_update
from messaging.simulator.numbers import masked
from messaging.simulator.people.contacts import named_contact, sender_keys
from messaging.simulator.people.phones import Phone, number_is_hidden
from messaging.simulator.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person did. `payload` goes into the webhook beside `type`; `shown` onto the phone."""

    type: str
    payload: Mapping[str, Any]
    shown: Mapping[str, Any]
    summary: str
    quotes: str | None = None
    opens_window: bool = True
    names_contact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the webhook tells it: an old time stamp, a late post, twice."""

    ago_seconds: float = 0.0
    late_seconds: float = 0.0
    twice: bool = False


def say(world: World, phone: Phone, *, number_id: str, said: Said, manner: Manner) -> str:
    """The wamid of the new inbound message."""
    now = world.clock.now()
    at = now - manner.ago_seconds
    wamid = new_wamid()
    with world.ledger.transaction():
        is_hidden = number_is_hidden(world.ledger, phone, number_id=number_id, now=now)
        keep(world, phone, number_id=number_id, said=said, wamid=wamid, at=at)
        note_conversation(world, phone, number_id=number_id, inbound_at=at if said.opens_window else None, now=at)
        open_chat(world, phone_id=phone.id, number_id=number_id, now=now)
        charge_throughput(world.ledger, number_id=number_id, limits=world.knobs.get().limits, now=now)
        update = Update(
            kind="messages",
            number_id=number_id,
            item={
                **sender_keys(phone, is_hidden=is_hidden),
                "id": wamid,
                "timestamp": str(int(at)),
                "type": said.type,
                **said.payload,
            },
            contact=named_contact(phone, is_hidden=is_hidden) if said.names_contact else None,
            lane=str(phone.id),
            wamid=wamid,
            summary=f"{said.summary} from {masked(phone.user_id if is_hidden else phone.wa_id)}",
        )
        due_at = now + manner.late_seconds
        queue_update(world, update, due_at=due_at)
        if manner.twice:
            queue_update(world, update.again(), due_at=due_at)
    world.announce()
    return wamid


def keep(world: World, phone: Phone, *, number_id: str, said: Said, wamid: str, at: float) -> None:
    world.ledger.add(
        "messages",
        wamid=wamid,
        direction="in",
        number_id=number_id,
        phone_id=phone.id,
        addressed=phone.wa_id,
        type=said.type,
        shown=json.dumps(said.shown),
        request="{}",
        quotes=said.quotes,
        state="read",
        at=at,
    )


def note_conversation(world: World, phone: Phone, *, number_id: str, inbound_at: float | None, now: float) -> None:
    """An old message told late does not shorten a window that is open longer."""
    world.ledger.change(
        "INSERT INTO conversations (number_id, phone_id, last_inbound_at, last_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (number_id, phone_id) DO UPDATE SET last_at = max(last_at, excluded.last_at), last_inbound_at ="
        " CASE WHEN excluded.last_inbound_at IS NULL THEN last_inbound_at"
        " ELSE max(coalesce(last_inbound_at, 0), excluded.last_inbound_at) END",
        number_id, phone.id, inbound_at, now,
    )  # fmt: skip
