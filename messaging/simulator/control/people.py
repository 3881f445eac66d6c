"""Control of phones: make, describe, switch, act."""

from __future__ import annotations

import dataclasses
from typing import Any

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from messaging.simulator.control.common import as_iso, the_world, wishes
from messaging.simulator.control.provisioning import provide_phone
from messaging.simulator.people.acts import act
from messaging.simulator.people.phones import Phone, describe_phone, get_phone, list_phones
from messaging.simulator.people.setting import switch

people = Blueprint("people", __name__, url_prefix="/control/phones")


def described(phone: Phone) -> dict[str, Any]:
    traits = dataclasses.asdict(phone.traits)
    facts = {key: value for key, value in dataclasses.asdict(phone).items() if key not in ("traits", "off_since")}
    return {**facts, "number": f"+{phone.digits}", "off_since": as_iso(phone.off_since), **traits}


@people.get("")
def phones() -> ResponseReturnValue:
    return jsonify({"phones": [described(phone) for phone in list_phones(the_world().ledger)]})


@people.post("")
def make() -> ResponseReturnValue:
    world = the_world()
    with world.ledger.transaction():
        phone = provide_phone(world, wishes())
    return jsonify(described(phone))


@people.get("/<handle>")
def show(handle: str) -> ResponseReturnValue:
    return jsonify(described(get_phone(the_world().ledger, handle)))


@people.patch("/<handle>")
def change(handle: str) -> ResponseReturnValue:
    world, wish = the_world(), wishes()
    with world.ledger.transaction():
        phone = switch(world, describe_phone(world.ledger, get_phone(world.ledger, handle), wish), wish)
    return jsonify(described(phone))


@people.post("/<handle>/act")
def do(handle: str) -> ResponseReturnValue:
    """A number written with its "+" may act though nobody set it up."""
    world, wish = the_world(), wishes()
    with world.ledger.transaction():
        if handle.startswith("+") and world.knobs.get().switches.unknown_numbers_exist:
            provide_phone(world, {"number": handle})
        return jsonify(act(world, get_phone(world.ledger, handle), wish))
