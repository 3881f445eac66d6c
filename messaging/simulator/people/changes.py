"""A person changes number or user id, or the wish for marketing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.ids import user_id_of
from messaging.simulator.network.updates import Update, queue_update
from messaging.simulator.numbers import masked, region_of, wa_id_of
from messaging.simulator.people.contacts import named_contact
from messaging.simulator.people.inbound import Manner, Said, say
from messaging.simulator.people.phones import Phone, get_by_id
from messaging.simulator.people.sayings import wanted
from messaging.simulator.world import World

Change = Callable[[World, Phone, str, Mapping[str, Any]], dict[str, Any]]


def change_number(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    """Told from the old number, with no `contacts`; from then on the person writes from the new one."""
    digits = "".join(character for character in wanted(wish, "number") if character.isdigit())
    new_id = wa_id_of(digits)
    body = f"User {phone.name} changed from {phone.wa_id} to {new_id}"
    item = {"type": "user_changed_number", "wa_id": new_id, "body": body}
    wamid = say_system(world, phone, number_id=number_id, item=item)
    user_id = user_id_of(digits, region=region_of(digits))
    world.ledger.amend("phones", ("id", phone.id), digits=digits, wa_id=new_id, user_id=user_id)
    return {"message": wamid}


def change_user_id(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    """As a system message, and as a `user_id_update`."""
    new_id = wanted(wish, "user_id")
    item = {"type": "user_changed_user_id", "user_id": new_id, "body": f"{phone.name} has a new user id"}
    wamid = say_system(world, phone, number_id=number_id, item=item)
    update = Update(
        kind="user_id_update",
        field="user_id_update",
        number_id=number_id,
        item={"wa_id": phone.wa_id, "user_id": {"previous": phone.user_id, "current": new_id}},
        contact=None,
        lane=str(phone.id),
        summary=f"new user id of {masked(phone.wa_id)}",
    )
    queue_update(world, update, due_at=world.clock.now())
    world.ledger.amend("phones", ("id", phone.id), user_id=new_id)
    world.announce()
    return {"message": wamid}


def say_system(world: World, phone: Phone, *, number_id: str, item: Mapping[str, Any]) -> str:
    said = Said(
        type="system",
        payload={"system": item},
        shown={"note": item["body"], "body": ""},
        summary=item["type"],
        opens_window=False,
        names_contact=False,
    )
    return say(world, phone, number_id=number_id, said=said, manner=Manner())


def prefer(world: World, phone: Phone, number_id: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    """Stop or resume marketing, and nothing but marketing."""
    value = wish.get("value", "stop")
    if value not in ("stop", "resume"):
        raise BadControlRequestError("The value is one of stop, resume.")
    traits = dataclasses.replace(phone.traits, stopped_marketing=value == "stop")
    world.ledger.amend("phones", ("id", phone.id), traits=json.dumps(dataclasses.asdict(traits)))
    now = world.clock.now()
    update = Update(
        kind="user_preferences",
        field="user_preferences",
        number_id=number_id,
        item={
            "wa_id": phone.wa_id,
            "user_id": phone.user_id,
            "category": "marketing_messages",
            "value": value,
            "detail": f"User requested to {value} marketing messages",
            "timestamp": int(now),
        },
        contact=named_contact(get_by_id(world.ledger, phone.id), is_hidden=False),
        lane=str(phone.id),
        summary=f"marketing {value} by {masked(phone.wa_id)}",
    )
    queue_update(world, update, due_at=now)
    world.announce()
    return {"message": None}


CHANGES: dict[str, Change] = {
    "change_number": change_number,
    "change_user_id": change_user_id,
    "prefer": prefer,
}
