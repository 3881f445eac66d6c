"""Trouble on the line: rules that say what goes wrong with the next calls."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.ledger import Ledger

CHOICES = {
    "on": ("send", "manage", "any"),
    "do": ("answer", "html", "empty", "slow", "hang", "reset", "drop", "drip", "fail_later"),
    "when": ("before", "after"),
}
PASSING = ("slow", "hang", "fail_later")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong, with sends or with management calls.

    do: answer (JSON error `code`), html (`status`, not JSON), empty (`status`, no body), slow (`seconds` more), hang (`seconds`,
    then an answer), reset and drop (the line is cut, hard or soft), drip (the answer trickles for `seconds`), fail_later (taken,
    then a failed receipt with `code`). when: before or after the message was accepted. `label` is for whoever set it.
    """

    do: str
    on: str = "send"
    when: str = "before"
    code: int = 131000
    status: int = 0
    seconds: float = 0.0
    retry_after: int = 0
    details: str = ""
    probability: float = 1.0
    seed: int = 0
    number: str = ""
    number_id: str = ""
    type: str = ""
    label: str = ""


def add_fault(ledger: Ledger, wishes: Mapping[str, Any]) -> int:
    """`count` says how many calls it spoils; without it, all. Raises: BadControlRequestError."""
    rule = {key: value for key, value in wishes.items() if key != "count"}
    try:
        fault = Fault(**rule)
    except TypeError:
        known = ", ".join(item.name for item in dataclasses.fields(Fault))
        raise BadControlRequestError(f"A fault needs `do`, and knows: count, {known}.") from None
    for key, choices in CHOICES.items():
        if getattr(fault, key) not in choices:
            raise BadControlRequestError(f"A fault's {key} is one of {', '.join(choices)}.")
    return ledger.add("faults", rule=json.dumps(dataclasses.asdict(fault)), remaining=wishes.get("count"))


def list_faults(ledger: Ledger) -> list[dict[str, Any]]:
    rows = ledger.rows("SELECT * FROM faults WHERE remaining IS NULL OR remaining > 0 ORDER BY id")
    return [{"id": row["id"], "remaining": row["remaining"], **json.loads(row["rule"])} for row in rows]


def clear_labelled(ledger: Ledger, label: str) -> int:
    return ledger.change("DELETE FROM faults WHERE json_extract(rule, '$.label') = ?", label)


def clear_faults(ledger: Ledger, fault_id: int | None = None) -> int:
    if fault_id is None:
        return ledger.change("DELETE FROM faults")
    return ledger.change("DELETE FROM faults WHERE id = ?", fault_id)


def draw_faults(ledger: Ledger, *, on: str, number_id: str = "", number: str = "", type_: str = "") -> list[Fault]:
    """The faults of this call; counts them down, and spends none that another one hides.

    The dice of a rule fall the same way each time for one seed.
    """
    drawn: list[Fault] = []
    with ledger.transaction():
        for row in ledger.rows("SELECT * FROM faults WHERE remaining IS NULL OR remaining > 0 ORDER BY id"):
            fault = Fault(**json.loads(row["rule"]))
            wanted = (fault.on in (on, "any"), fault.number_id in ("", number_id), fault.type in ("", type_))
            if not all(wanted) or (fault.number and bare(fault.number) != bare(number)) or is_hidden(fault, drawn):
                continue
            ledger.change("UPDATE faults SET draws = draws + 1 WHERE id = ?", row["id"])
            if dice(f"{fault.seed} {row['draws']}") < fault.probability:
                ledger.change("UPDATE faults SET remaining = remaining - 1 WHERE id = ?", row["id"])
                drawn.append(fault)
    return drawn


def is_hidden(fault: Fault, drawn: Sequence[Fault]) -> bool:
    """Whether the call ends before this fault would be felt."""
    endings = {other.when for other in drawn if other.do not in PASSING}
    return "before" in endings or (fault.do not in PASSING and fault.when in endings)


def dice(seed: str) -> float:
    """From 0 up to 1, the same for the same seed."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") / 2**64


def bare(number: str) -> str:
    return "".join(character for character in number if character.isalnum())
