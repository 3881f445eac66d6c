"""Control of the whole: start afresh, clock, knobs, faults, settling, the wire."""

from __future__ import annotations

import dataclasses
from typing import Any

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from messaging.simulator.control.common import as_iso, as_seconds, number_in, the_world, wishes
from messaging.simulator.control.events import post_raw
from messaging.simulator.errors import UnknownThingError
from messaging.simulator.faults import add_fault, clear_faults, list_faults
from messaging.simulator.knobs import Knobs
from messaging.simulator.network.settling import pending, settle
from messaging.simulator.network.updates import release_withheld

running = Blueprint("running", __name__, url_prefix="/control")
LONGEST_WAIT_SECONDS = 120.0


def clock_now() -> dict[str, Any]:
    clock = the_world().clock
    return {"now": as_iso(clock.now()), "seconds": clock.now(), "frozen": clock.is_frozen}


@running.get("/health")
def health() -> ResponseReturnValue:
    world = the_world()
    return jsonify({"ok": True, "is_verified": world.knobs.get().webhook.is_verified, "pending": pending(world)})


@running.post("/reset")
def reset() -> ResponseReturnValue:
    """Forget everything but the webhook of the command line. `clock` may go back here, `frozen` stops it."""
    world, wish = the_world(), wishes()
    with world.ledger.transaction():
        world.ledger.wipe()
        world.clock.remember()
        world.knobs.remember()
        world.take_up_options()
        world.wire.clear()
        at = as_seconds(wish["clock"]) if "clock" in wish else world.clock.now()
        world.clock.set(at, frozen=bool(wish.get("frozen")))
    return jsonify(clock_now())


@running.get("/clock")
def clock() -> ResponseReturnValue:
    return jsonify(clock_now())


@running.post("/clock")
def move_clock() -> ResponseReturnValue:
    """`set`, `advance_seconds`, `frozen`: forwards only."""
    world, wish = the_world(), wishes()
    at = as_seconds(wish["set"]) if "set" in wish else world.clock.now()
    by = number_in(wish, "advance_seconds", default=0)
    world.clock.set(at + by, frozen=bool(wish["frozen"]) if "frozen" in wish else None)
    world.announce()
    return jsonify(clock_now())


@running.get("/knobs")
def knobs() -> ResponseReturnValue:
    return jsonify(dataclasses.asdict(the_world().knobs.get()))


@running.patch("/knobs")
def turn_knobs() -> ResponseReturnValue:
    """A new webhook address or token asks for a new handshake."""
    world, wish = the_world(), wishes()
    webhook = wish.get("webhook")
    if isinstance(webhook, dict) and {"url", "verify_token"} & set(webhook):
        wish = {**wish, "webhook": {"is_verified": False, **webhook}}
    turned = world.knobs.turn(wish)
    world.announce()
    return jsonify(dataclasses.asdict(turned))


@running.delete("/knobs")
def turn_knobs_back() -> ResponseReturnValue:
    """All as at first, but for the webhook's address and secrets."""
    world = the_world()
    first = dataclasses.asdict(Knobs())
    for key in ("url", "app_secret", "verify_token", "is_verified"):
        first["webhook"].pop(key)
    world.knobs.turn(first)
    world.announce()
    return jsonify(dataclasses.asdict(world.knobs.get()))


@running.get("/faults")
def faults() -> ResponseReturnValue:
    return jsonify({"faults": list_faults(the_world().ledger)})


@running.post("/faults")
def make_fault() -> ResponseReturnValue:
    return jsonify({"id": add_fault(the_world().ledger, wishes())})


@running.delete("/faults")
def clear_all_faults() -> ResponseReturnValue:
    return jsonify({"cleared": clear_faults(the_world().ledger)})


@running.delete("/faults/<int:fault_id>")
def clear_fault(fault_id: int) -> ResponseReturnValue:
    if not clear_faults(the_world().ledger, fault_id):
        raise UnknownThingError
    return jsonify({"cleared": 1})


@running.post("/refuse")
def refuse_connections() -> ResponseReturnValue:
    """Stop listening for `seconds` real seconds: whoever calls is refused."""
    seconds = number_in(wishes(), "seconds", default=1)
    for shut in the_world().shut_door:
        shut(seconds)
    return jsonify({"refusing_seconds": seconds})


@running.post("/settle")
def settle_now() -> ResponseReturnValue:
    """Return once all that is due was told, or after `timeout` real seconds."""
    wish = wishes()
    timeout = min(number_in(wish, "timeout", default=10), LONGEST_WAIT_SECONDS)
    return jsonify(
        settle(
            the_world(),
            timeout=timeout,
            hurry_retries=bool(wish.get("hurry_retries")),
            hurry_receipts=bool(wish.get("hurry_receipts")),
        )
    )


@running.post("/receipts/release")
def release() -> ResponseReturnValue:
    world = the_world()
    released = release_withheld(world, now=world.clock.now())
    world.announce()
    return jsonify({"released": released})


@running.post("/webhook/raw")
def webhook_raw() -> ResponseReturnValue:
    return jsonify(post_raw(the_world(), wishes()))


@running.get("/wire")
def wire() -> ResponseReturnValue:
    return jsonify({"lines": the_world().wire.since(request.args.get("since", 0, type=int))})
