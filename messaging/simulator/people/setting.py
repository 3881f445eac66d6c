"""Switching phones on and off from outside."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.network.steps import turn_off, turn_on
from messaging.simulator.people.phones import Phone, get_by_id
from messaging.simulator.world import World


def switch(world: World, phone: Phone, wish: Mapping[str, Any]) -> Phone:
    """`on`, or `off_until`: an ISO time at which it comes on by itself."""
    now = world.clock.now()
    if wish.get("off_until"):
        turn_off(world, phone_id=phone.id, now=now, until=moment_of(wish["off_until"]))
    elif wish.get("on") is False and phone.is_on:
        turn_off(world, phone_id=phone.id, now=now)
    elif wish.get("on") is True and not phone.is_on:
        turn_on(world, phone_id=phone.id, now=now)
    world.announce()
    return get_by_id(world.ledger, phone.id)


def moment_of(value: Any) -> float:
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        raise BadControlRequestError(f"{value!r} is not a time.") from None
