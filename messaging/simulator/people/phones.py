"""Patients' phones: who they are, whether they are on, and what is odd about them."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from messaging.simulator.errors import BadControlRequestError, UnknownPhoneError
from messaging.simulator.ids import user_id_of
from messaging.simulator.ledger import Ledger
from messaging.simulator.numbers import DECORATION, language_of, region_of, wa_id_of, zone_exists

NUMBER_KNOWN_SECONDS = 30 * 86400.0
LONGEST_OWN_ID = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What is odd about a phone. `hides_number`: a user name hides it ("rule": unless we spoke within 30 days)."""

    on_whatsapp: bool = True
    blocks_us: bool = False
    receipts: str = "shown"
    chat_open: bool = False
    conflict: bool = False
    fails_with: int = 0
    status_contacts: str = ""
    hides_number: str = "never"
    username: str = ""
    parent_user_id: str = ""
    profile: str = "full"
    stopped_marketing: bool = False
    zone: str = ""


TRAIT_CHOICES = {
    "receipts": ("shown", "hidden"),
    "hides_number": ("never", "rule", "always"),
    "status_contacts": ("", "full", "wa_id", "none"),
    "profile": ("full", "none"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """One person's phone. It always has a number; the business need not be told it."""

    id: int
    name: str
    language: str
    digits: str
    wa_id: str
    user_id: str
    is_on: bool
    off_since: float | None
    pinned: bool
    traits: Traits

    @classmethod
    def of(cls, row: sqlite3.Row) -> Self:
        return cls(
            id=row["id"],
            name=row["name"],
            language=row["language"],
            digits=row["digits"],
            wa_id=row["wa_id"],
            user_id=row["user_id"],
            is_on=bool(row["is_on"]),
            off_since=row["off_since"],
            pinned=bool(row["pinned"]),
            traits=Traits(**json.loads(row["traits"])),
        )


def list_phones(ledger: Ledger) -> list[Phone]:
    return [Phone.of(row) for row in ledger.rows("SELECT * FROM phones ORDER BY pinned DESC, id")]


def find_by_number(ledger: Ledger, digits: str) -> Phone | None:
    row = ledger.row("SELECT * FROM phones WHERE wa_id = ? OR digits = ? ORDER BY id", wa_id_of(digits), digits)
    return None if row is None else Phone.of(row)


def find_by_user_id(ledger: Ledger, user_id: str) -> Phone | None:
    row = ledger.row("SELECT * FROM phones WHERE user_id = ?", user_id)
    return None if row is None else Phone.of(row)


def get_by_id(ledger: Ledger, phone_id: int) -> Phone:
    row = ledger.row("SELECT * FROM phones WHERE id = ?", phone_id)
    if row is None:
        raise UnknownPhoneError
    return Phone.of(row)


def get_phone(ledger: Ledger, handle: str) -> Phone:
    """By number, channel id, user id, or our own short id. Raises: UnknownPhoneError."""
    bare = DECORATION.sub("", handle).removeprefix("+")
    found = find_by_user_id(ledger, handle)
    if found is None and bare.isdigit():
        found = find_by_number(ledger, bare) if len(bare) > LONGEST_OWN_ID else get_by_id(ledger, int(bare))
    if found is None:
        raise UnknownPhoneError
    return found


def make_phone(ledger: Ledger, *, digits: str) -> Phone:
    """Named by its last digits until somebody gives it a name; in the language of its country."""
    region = region_of(digits)
    phone_id = ledger.add(
        "phones",
        name=f"Phone {digits[-4:]}",
        language=language_of(region),
        digits=digits,
        wa_id=wa_id_of(digits),
        user_id=user_id_of(digits, region=region),
    )
    return get_by_id(ledger, phone_id)


def describe_phone(ledger: Ledger, phone: Phone, wishes: Mapping[str, Any]) -> Phone:
    """Change a phone's name, language, pin or traits. Raises: BadControlRequestError."""
    own = {key: wishes[key] for key in ("name", "language", "pinned", "user_id", "wa_id") if key in wishes}
    rest = {key: value for key, value in wishes.items() if key not in {*own, "number", "on", "off_until"}}
    known = {item.name: getattr(phone.traits, item.name) for item in dataclasses.fields(Traits)}
    for key, value in rest.items():
        is_one = key in known and type(value) is type(known[key]) and value in TRAIT_CHOICES.get(key, (value,))
        if not is_one or (key == "zone" and not zone_exists(value)):
            raise BadControlRequestError(f"A phone has no trait {key!r} with the value {value!r}.")
    traits = json.dumps({**known, **rest})
    ledger.amend("phones", ("id", phone.id), **own, traits=traits)
    return get_by_id(ledger, phone.id)


def number_is_hidden(ledger: Ledger, phone: Phone, *, number_id: str, now: float) -> bool:
    """Whether webhooks leave out this phone's number, because its owner took a user name."""
    if phone.traits.hides_number != "rule":
        return phone.traits.hides_number == "always"
    last_at = ledger.value(
        "SELECT last_at FROM conversations WHERE number_id = ? AND phone_id = ?", number_id, phone.id
    )
    return last_at is None or now - last_at > NUMBER_KNOWN_SECONDS
