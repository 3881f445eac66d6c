"""What a person does with the phone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.simulator.errors import BadControlRequestError, PhoneIsOffError, UnknownThingError
from messaging.simulator.people.changes import CHANGES
from messaging.simulator.people.inbound import Manner, say
from messaging.simulator.people.phones import Phone
from messaging.simulator.people.sayings import SAYINGS, contacts
from messaging.simulator.people.tapping import SILENT, find_button, find_row, picked, tapped
from messaging.simulator.world import World

MANNERS = ("ago_seconds", "late_seconds", "twice")


def act(world: World, phone: Phone, wish: Mapping[str, Any]) -> dict[str, Any]:
    """Do what `do` names. Raises: BadControlRequestError, PhoneIsOffError, NotOnThePhoneError."""
    what = wish.get("do")
    if not phone.is_on:
        raise PhoneIsOffError
    manner = Manner(**{key: wish[key] for key in MANNERS if key in wish})
    if what == "tap":
        return tap(world, phone, wish, manner=manner)
    if what == "pick":
        message, row = find_row(world, phone, wish)
        said = picked(world, message, row, wish)
        return {"message": say(world, phone, number_id=message["number_id"], said=said, manner=manner)}
    number_id = number_spoken_to(world, phone, wish)
    if isinstance(what, str) and what in CHANGES:
        return CHANGES[what](world, phone, number_id, wish)
    saying = SAYINGS.get(str(what))
    if saying is None:
        known = ", ".join(("tap", "pick", *SAYINGS, *CHANGES))
        raise BadControlRequestError(f"`do` is one of {known}.")
    said = saying(world, phone, number_id, wish)
    return {"message": say(world, phone, number_id=number_id, said=said, manner=manner)}


def tap(world: World, phone: Phone, wish: Mapping[str, Any], *, manner: Manner) -> dict[str, Any]:
    """A link or a telephone button opens something and tells the business nothing."""
    message, button = find_button(world, phone, wish)
    if button["kind"] in SILENT:
        return {"message": None, "opens": button.get("url") or f"tel:{button.get('phone', '')}"}
    if button["kind"] == "contact_request":
        said = contacts(world, phone, message["number_id"], {"quotes": message["wamid"]})
    else:
        said = tapped(world, message, button, wish)
    return {"message": say(world, phone, number_id=message["number_id"], said=said, manner=manner)}


def number_spoken_to(world: World, phone: Phone, wish: Mapping[str, Any]) -> str:
    """The number named, else the one last spoken with, else the first there is."""
    if wish.get("number_id"):
        found = world.ledger.value("SELECT id FROM numbers WHERE id = ?", str(wish["number_id"]))
    else:
        found = world.ledger.value(
            "SELECT number_id FROM conversations WHERE phone_id = ? ORDER BY last_at DESC LIMIT 1", phone.id
        ) or world.ledger.value("SELECT id FROM numbers ORDER BY rowid LIMIT 1")
    if found is None:
        raise UnknownThingError("There is no business number to write to.")
    return str(found)
