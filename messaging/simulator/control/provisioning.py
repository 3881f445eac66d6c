"""Setting a world up in one call. The same call again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.graph.template_rules import checked_template
from messaging.simulator.graph.templates import upsert_template
from messaging.simulator.numbers import DECORATION
from messaging.simulator.people.phones import Phone, describe_phone, find_by_number, make_phone
from messaging.simulator.people.setting import switch
from messaging.simulator.world import World


def provision(world: World, wish: Mapping[str, Any]) -> dict[str, Any]:
    """Accounts with their tokens, numbers and templates; and phones. Says the ids of numbers, templates and phones."""
    with world.ledger.transaction():
        accounts = [provide_account(world, account) for account in wish.get("accounts", [])]
        phones = [provide_phone(world, phone).id for phone in wish.get("phones", [])]
        if wish.get("knobs"):
            world.knobs.turn(wish["knobs"])
    world.announce()
    return {"accounts": accounts, "phones": phones}


def needed(wish: Mapping[str, Any], key: str) -> str:
    value = wish.get(key)
    if not isinstance(value, str) or not value:
        raise BadControlRequestError(f"An entry lacks its {key!r}.")
    return value


def provide_account(world: World, wish: Mapping[str, Any]) -> dict[str, Any]:
    waba_id = needed(wish, "id")
    world.ledger.change(
        "INSERT INTO wabas (id, name, portfolio, subscribed) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " name = excluded.name, portfolio = excluded.portfolio",
        waba_id, wish.get("name", waba_id), wish.get("portfolio", waba_id), int(wish.get("subscribed", True)),
    )  # fmt: skip
    for token in wish.get("tokens", []):
        world.ledger.change("INSERT OR IGNORE INTO tokens VALUES (?, ?)", token, waba_id)
    numbers = [provide_number(world, number, waba_id=waba_id) for number in wish.get("numbers", [])]
    templates = {}
    for template in wish.get("templates", []):
        row_id = upsert_template(
            world,
            checked_template({"category": "UTILITY", **template}),
            waba_id=waba_id,
            status=template.get("status", "APPROVED"),
        )
        templates[f"{template['name']}/{template['language']}"] = str(row_id)
    return {"id": waba_id, "numbers": numbers, "templates": templates}


def provide_number(world: World, wish: Mapping[str, Any], *, waba_id: str) -> str:
    number_id, typed = needed(wish, "id"), needed(wish, "number")
    digits = DECORATION.sub("", typed).removeprefix("+")
    world.ledger.change(
        "INSERT INTO numbers (id, waba_id, digits, display, verified_name, allow_list) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET verified_name = excluded.verified_name, allow_list = excluded.allow_list",
        number_id, waba_id, digits, typed, wish.get("verified_name", number_id), json.dumps(wish.get("allow_list")),
    )  # fmt: skip
    return number_id


def provide_phone(world: World, wish: Mapping[str, Any]) -> Phone:
    """Made once, by its number; described anew each time."""
    digits = DECORATION.sub("", needed(wish, "number")).removeprefix("+")
    if not digits.isdigit():
        raise BadControlRequestError("A phone's number is written with its country code, such as +573001234567.")
    phone = find_by_number(world.ledger, digits) or make_phone(world.ledger, digits=digits)
    described = describe_phone(world.ledger, phone, wish)
    return switch(world, described, wish)
