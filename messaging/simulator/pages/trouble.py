"""The panel that makes trouble: what it offers, what is on, and doing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.faults import add_fault, clear_faults, clear_labelled, list_faults
from messaging.simulator.knobs import Knobs
from messaging.simulator.pages.more_trouble import account_choice
from messaging.simulator.people.phones import Phone, Traits, describe_phone, get_by_id, list_phones
from messaging.simulator.people.setting import switch
from messaging.simulator.world import World

NETWORK, CUT = "network", "cut"
ODD = ("on_whatsapp", "blocks_us", "receipts", "chat_open", "conflict", "fails_with")
AS_USUAL: Mapping[str, Any] = {key: value for key, value in asdict(Traits()).items() if key in ODD}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One line of a select. `wish` is what it sets."""

    key: str
    words: str
    wish: Mapping[str, Any]


PHONE_CHOICES = (
    Choice(key="on", words="On", wish={"on": True}),
    Choice(key="off", words="Off until I turn it on", wish={"on": False}),
    Choice(key="hidden", words="On, receipts hidden", wish={"on": True, "receipts": "hidden"}),
    Choice(key="open", words="On, the chat stands open", wish={"on": True, "chat_open": True}),
    Choice(key="blocks", words="Has blocked the clinic", wish={"on": True, "blocks_us": True}),
    Choice(key="nowhere", words="Not on WhatsApp", wish={"on": True, "on_whatsapp": False}),
    Choice(key="conflict", words="Fails, then arrives after all", wish={"on": True, "conflict": True}),
)
NETWORK_CHOICES = (
    Choice(key="well", words="As it should", wish={}),
    Choice(key="503", words="503 once in five", wish={"do": "answer", "code": 2, "probability": 0.2, "on": "any"}),
    Choice(key="500", words="500 every time", wish={"do": "answer", "code": 131000, "on": "any"}),
    Choice(key="html", words="502 and a web page", wish={"do": "html", "status": 502, "on": "any"}),
    Choice(key="slow", words="3 seconds late", wish={"do": "slow", "seconds": 3.0}),
    Choice(key="hang", words="Takes it, then hangs", wish={"do": "hang", "when": "after", "seconds": 60.0}),
    Choice(key="fast", words="Too fast, wait", wish={"do": "answer", "code": 130429}),
    Choice(key="key", words="The key is refused", wish={"do": "answer", "code": 190, "on": "any"}),
    Choice(key="billing", words="Not paid: fails later", wish={"do": "fail_later", "code": 131042, "type": "template"}),
)
RECEIPT_SWITCHES = (
    ("twice", "come twice"),
    ("reversed", "come in the wrong order"),
    ("before_answer", "come before the answer"),
    ("withhold", "stay away"),
)


def phone_choice(phone: Phone) -> str:
    """The key of what the phone is like now."""
    if not phone.is_on:
        return "off"
    for choice in PHONE_CHOICES[2:]:
        if all(getattr(phone.traits, key) == value for key, value in choice.wish.items() if key != "on"):
            return choice.key
    return "on"


def network_choice(world: World) -> str:
    for fault in list_faults(world.ledger):
        if fault["label"].startswith(f"{NETWORK} "):
            return str(fault["label"].removeprefix(f"{NETWORK} "))
    return "well"


def receipt_switches(knobs: Knobs) -> dict[str, bool]:
    receipts = knobs.receipts
    return {
        "twice": receipts.twice,
        "reversed": receipts.reversed,
        "before_answer": receipts.before_answer,
        "withhold": bool(receipts.withhold),
    }


def count_on(world: World) -> int:
    """How many things are out of order, whoever set them."""
    odd_phones = sum(phone_choice(phone) != "on" for phone in list_phones(world.ledger))
    knobs = world.knobs.get()
    at_meta = (knobs.switches.outside_window != "async") + (account_choice(world) != "ok")
    return odd_phones + len(list_faults(world.ledger)) + sum(receipt_switches(knobs).values()) + at_meta


def set_phone(world: World, phone_id: int, key: str) -> None:
    choice = chosen(PHONE_CHOICES, key)
    with world.ledger.transaction():
        traits = {name: value for name, value in choice.wish.items() if name != "on"}
        phone = describe_phone(world.ledger, get_by_id(world.ledger, phone_id), {**AS_USUAL, **traits})
        switch(world, phone, {"on": choice.wish["on"]})


def set_network(world: World, key: str) -> None:
    choice = chosen(NETWORK_CHOICES, key)
    with world.ledger.transaction():
        for other in NETWORK_CHOICES:
            clear_labelled(world.ledger, f"{NETWORK} {other.key}")
        if choice.wish:
            add_fault(world.ledger, {**choice.wish, "label": f"{NETWORK} {key}"})


def set_receipts(world: World, key: str, *, on: bool) -> None:
    if key not in receipt_switches(world.knobs.get()):
        raise BadControlRequestError("There is no such switch.")
    world.knobs.turn({"receipts": {key: (["all"] if on else []) if key == "withhold" else on}})


def cut_next_send(world: World) -> None:
    """The next message is taken, and the line goes before the answer."""
    add_fault(world.ledger, {"do": "reset", "when": "after", "count": 1, "label": CUT})


def all_well(world: World) -> None:
    """Phones on and as usual, no faults, receipts as they should be; withheld ones go now."""
    with world.ledger.transaction():
        clear_faults(world.ledger)
        for phone in list_phones(world.ledger):
            if phone_choice(phone) != "on":
                set_phone(world, phone.id, "on")
        for key in receipt_switches(world.knobs.get()):
            set_receipts(world, key, on=False)


def chosen(choices: tuple[Choice, ...], key: str) -> Choice:
    for choice in choices:
        if choice.key == key:
            return choice
    raise BadControlRequestError("There is no such choice.")
